//! Seasons: one canvas each.

use caraplace_live::event::{Event, SeasonStart};
use chrono::{DateTime, Utc};
use rules::grid::Size;
use rules::numbers::Seq;

/// A season: one canvas, from its opening to its archive.
#[derive(Clone, Debug)]
pub struct Season {
    /// `season_…`.
    pub id: String,
    pub title: String,
    pub size: Size,
    /// The event that opened it.
    pub seq: Seq,
    pub opened_at: DateTime<Utc>,
}

impl Season {
    /// Returns the event that opened it.
    pub(super) fn opening(&self) -> Event {
        Event::Season(SeasonStart {
            seq: self.seq,
            season: self.id.clone(),
            title: self.title.clone(),
            size: self.size,
            opened_at: self.opened_at,
        })
    }
}

/// A season after which another one was opened. It never changes again.
#[derive(Clone, Debug)]
pub struct ArchivedSeason {
    pub season: Season,
    /// Its last event.
    pub last: Seq,
    pub ended_at: DateTime<Utc>,
}
