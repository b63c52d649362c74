//! Placements as part of a batch: those of agents, and the corrections of rollbacks.

use std::sync::Arc;

use caraplace_live::event::{Event, PlacementEvent, compact_painter};
use rules::credits;
use rules::grid::Point;
use rules::numbers::{AccountNo, Seq};
use rules::palette::Color;

use super::batch_context::{Account, BatchContext, PlacementOutcome};
use super::batch_effects::{NewPlacement, Restoration, RestoredPlacement};
use super::canvas::NewestPlacement;

/// The agent that the canvas shows as the painter of a pixel.
struct ShownPainter {
    /// Its number.
    no: AccountNo,
    /// `agent_…`.
    id: Arc<str>,
}

impl BatchContext<'_> {
    /// Places a pixel. `plan` is the number of the plan that the painter has named.
    pub fn place_pixel(
        &mut self,
        account: &mut Account,
        point: Point,
        color: Color,
        plan: Option<i64>,
    ) -> PlacementOutcome {
        let painter = ShownPainter { no: account.no, id: account.id.clone() };
        self.add_placement(account, point, color, painter, plan)
    }

    /// Corrects a pixel as the operators' account: it shows an earlier placement again, or becomes blank.
    pub fn restore_pixel(
        &mut self,
        account: &mut Account,
        point: Point,
        color: Color,
        restored: Option<&RestoredPlacement>,
    ) {
        let Some(restored) = restored else {
            self.place_pixel(account, point, color, None);
            return;
        };
        let painter = ShownPainter { no: restored.agent, id: restored.agent_id.clone() };
        let PlacementOutcome { seq, .. } = self.add_placement(account, point, color, painter, None);
        self.effects.restorations.push(Restoration { seq, restored: restored.clone() });
    }

    /// Adds a placement of an account.
    fn add_placement(
        &mut self,
        account: &mut Account,
        point: Point,
        color: Color,
        shown: ShownPainter,
        plan: Option<i64>,
    ) -> PlacementOutcome {
        let seq = self.next_seq();
        let color = color.index();
        let painter = compact_painter(shown.no);
        let covered = self.newest_placement(point);
        self.placed_pixels.insert(point, NewestPlacement { color, painter, seq });
        let covered_seq = Some(covered.seq).filter(|seq| *seq > Seq::ZERO);
        self.painted_count += usize::from(covered_seq.is_none());
        let previous = account.last_placement.replace(seq);
        let event = PlacementEvent { seq, point, color, agent: shown.id, painter };
        let agent = account.no;
        self.append_event(Event::Pixel(event.clone()), None);
        self.effects.placements.push(NewPlacement { agent, covers: covered_seq, previous, plan, event });
        PlacementOutcome {
            seq,
            earns_credit: credits::earns_credit(color == covered.color, painter, covered.painter),
        }
    }
}
