//! Placements as part of a batch: those of agents, and the corrections of rollbacks.

use std::sync::Arc;

use rules::credits;
use rules::grid::Point;
use rules::palette::Color;

use super::batch_context::{Account, BatchContext, PlacementOutcome};
use super::batch_effects::{NewPlacement, RestoredPlacement};
use super::world::NewestPlacement;
use crate::live::event::{PlacementEvent, compact_painter};

impl BatchContext<'_> {
    /// Places a pixel. `plan` is the number of the plan that the painter has named.
    pub fn place_pixel(
        &mut self,
        account: &mut Account,
        point: Point,
        color: Color,
        plan: Option<i64>,
    ) -> PlacementOutcome {
        let painter = (compact_painter(account.no), account.id.clone());
        self.add_placement(account, (point, color), painter, plan, None)
    }

    /// Corrects a pixel as the operators' account: it shows an earlier placement again, or becomes blank.
    pub fn restore_pixel(
        &mut self,
        account: &mut Account,
        point: Point,
        color: Color,
        restored: Option<&RestoredPlacement>,
    ) {
        let painter = match restored {
            Some(restored) => (compact_painter(restored.agent), restored.agent_id.clone()),
            None => (compact_painter(account.no), account.id.clone()),
        };
        self.add_placement(account, (point, color), painter, None, restored.cloned());
    }

    /// Adds a placement of an account, which shows an agent as its painter.
    fn add_placement(
        &mut self,
        account: &mut Account,
        (point, color): (Point, Color),
        (painter, painter_id): (u32, Arc<str>),
        plan: Option<i64>,
        restored: Option<RestoredPlacement>,
    ) -> PlacementOutcome {
        let (seq, color) = (self.next_seq(), color.index());
        let covered = self.placed_pixels.insert(point, NewestPlacement { color, painter, seq });
        let covered = covered.unwrap_or_else(|| self.world.newest_placement(point));
        let covered_seq = Some(covered.seq).filter(|seq| *seq > 0);
        self.painted_count += usize::from(covered_seq.is_none());
        let previous = account.last_placement.replace(seq);
        let event = PlacementEvent { seq, point, color, agent: painter_id, painter };
        let agent = account.no;
        self.effects.add_placement(NewPlacement {
            agent,
            covers: covered_seq,
            previous,
            plan,
            restored,
            event,
        });
        PlacementOutcome {
            seq,
            earns_credit: credits::earns_credit(color == covered.color, painter, covered.painter),
        }
    }
}
