//! The projection of the log in memory: the season, its canvas, and what nouns keep.

use std::collections::BTreeSet;
use std::sync::Arc;

use caraplace_live::event::{Event, PlacementEvent, SeasonStart};
use chrono::{DateTime, Utc};
use platform::config::GameSettings;
use rules::numbers::{AccountNo, Seq};
use rules::season::SeasonState;
use sqlx::PgConnection;

use super::canvas::{Canvas, NewestPlacement};
use super::control_entry::ControlEntry;
use super::projection::{AppliedEvent, LoadContext, Projection, Projections};
use super::season::Season;

/// The projection as of event `head`, which serves all reads.
pub struct World {
    pub season: Season,
    /// The state of the season.
    pub season_state: SeasonState,
    /// The entry of the control log as of which the season's state is known.
    season_state_control_head: i64,
    /// The state of a season whose opening has not been applied yet, with the number of its opening.
    next_season_state: Option<(Seq, SeasonState)>,
    /// The newest event.
    pub head: Seq,
    /// The newest event that changed a pixel.
    pub version: Seq,
    pub canvas: Canvas,
    projections: Projections,
}

impl World {
    /// Returns the blank canvas of a season at its opening. Projections must be loaded.
    pub fn new(season: Season, projections: Projections) -> Self {
        Self {
            season_state: SeasonState::new(1),
            season_state_control_head: 0,
            next_season_state: None,
            head: season.seq,
            version: season.seq,
            canvas: Canvas::blank(season.size, season.seq),
            projections,
            season,
        }
    }

    /// Sets the name of an author in all projections.
    pub fn rename_author(&mut self, author: &Arc<str>, name: &Arc<str>) {
        self.projections.iter_mut().for_each(|projection| projection.rename_author(author, name));
    }

    /// Returns the ids of the authors of what is in memory, in ascending order.
    pub(super) fn author_ids(&self) -> BTreeSet<Arc<str>> {
        self.projections.iter().flat_map(Projection::author_ids).collect()
    }

    /// Returns entries of the control log about everything in memory that the control log can change.
    pub(super) fn missed_entries(&mut self) -> Vec<ControlEntry> {
        self.projections.iter_mut().flat_map(|projection| projection.missed_entries()).collect()
    }

    /// Returns the number of the painter whose pixel the next event paints over, if it does.
    pub(crate) fn covered_painter(&self, event: &Event) -> Option<AccountNo> {
        let Event::Pixel(placement) = event else { return None };
        let is_next = placement.seq == self.head.next();
        let covered = is_next.then(|| self.canvas.newest_placement(placement.point).painter)?;
        (covered != 0 && covered != placement.painter).then(|| AccountNo::of_painter(covered))
    }

    /// Applies an event if it is the next one, and returns true. Other events are ignored.
    pub fn apply(&mut self, event: &Event) -> bool {
        if event.seq() != self.head.next() {
            return false;
        }
        let outdates_others = self.outdates_others(event);
        self.head = event.seq();
        let mut covered = None;
        match event {
            Event::Pixel(placement) => covered = Some(self.apply_placement(placement)),
            Event::Season(start) => self.start_season(start),
            _ => {}
        }
        let applied = AppliedEvent { canvas: &self.canvas, covered, outdates_others };
        self.projections.iter_mut().for_each(|projection| projection.apply(event, applied));
        true
    }

    /// Returns true if projections that cannot apply the next event must be read again after it.
    pub fn outdates_others(&self, event: &Event) -> bool {
        self.projections.iter().any(|projection| projection.outdates_others(event))
    }

    /// Returns the projection of this type.
    pub fn projection<P: Projection>(&self) -> &P {
        self.projections.get()
    }

    /// Returns the projection of this type, to be changed.
    pub fn projection_mut<P: Projection>(&mut self) -> &mut P {
        self.projections.get_mut()
    }

    /// Reads the projections as of the head. The canvas must have been read before.
    pub(super) async fn load_projections(
        &mut self,
        connection: &mut PgConnection,
        now: DateTime<Utc>,
        secret: &[u8; 32],
        game: &GameSettings,
    ) -> Result<(), sqlx::Error> {
        let (season, canvas, head) = (&self.season, &self.canvas, self.head);
        for projection in self.projections.iter_mut() {
            projection.load(connection, LoadContext { season, canvas, head, now, secret, game }).await?;
        }
        Ok(())
    }

    /// Paints a pixel, and returns the placement that it covers.
    fn apply_placement(&mut self, placement: &PlacementEvent) -> NewestPlacement {
        self.version = placement.seq;
        let &PlacementEvent { seq, point, color, painter, .. } = placement;
        self.canvas.set_pixel(point, NewestPlacement { color, painter, seq })
    }

    /// Starts a season with a blank canvas.
    fn start_season(&mut self, start: &SeasonStart) {
        let SeasonStart { seq, season, title, size, opened_at } = start.clone();
        let next_state = self.next_season_state.take().filter(|(season_seq, _)| *season_seq == seq);
        self.season_state = next_state
            .map_or_else(|| SeasonState::new(self.season_state.number + 1), |(_, season_state)| season_state);
        self.season = Season { id: season, title, size, seq, opened_at };
        self.canvas = Canvas::blank(size, seq);
        self.version = seq;
    }
}

mod season_state;

#[cfg(test)]
mod tests;
