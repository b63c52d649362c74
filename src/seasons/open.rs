//! Opening a season: a blank canvas and an empty chat, while the one before is kept as it is.

use chrono::{DateTime, Utc};
use rules::grid::Size;
use rules::season::{Course, Title};

use super::Recorded;
use super::change::{say, seal};
use super::store;
use crate::log::closed::Closed;
use crate::moderation::Cause;
use crate::refusal::Refusal;
use crate::state::AppState;

/// The season that is wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// `Season` and its number where nobody thought of one.
    pub title: Option<Title>,
    /// As the settings have it unless told.
    pub size: Option<Size>,
    pub ends_at: Option<DateTime<Utc>>,
    /// The number of the season that this one follows: what is sent twice opens one season.
    pub after: i64,
}

/// Opens the next season. None when the newest one is not the one that it was to follow.
///
/// # Errors
/// When the database cannot be written.
pub async fn open(state: &AppState, cause: &Cause, wanted: Wanted) -> Result<Option<Recorded>, Refusal> {
    let mut transaction = state.pool.begin().await?;
    let mut closed = Closed::gate(&mut transaction, &state.clock).await?;
    let before = store::newest(&mut transaction).await?;
    if before.number != wanted.after {
        return Ok(None);
    }
    let number = before.number + 1;
    let title = wanted.title.map_or_else(|| format!("Season {number}"), Title::into_string);
    let size = wanted.size.unwrap_or(state.next_size);
    store::archive(&mut transaction, before.first, closed.now).await?;
    let season = closed.open(&mut transaction, title, size).await?;
    let course = Course { ends_at: wanted.ends_at, ..Course::fresh(number) };
    store::set_course(&mut transaction, season.seq, &course).await?;
    let Size { width, height } = size;
    let says = format!("{} has begun: a blank canvas of {width} × {height} pixels.", season.title);
    say(state, &mut transaction, &mut closed, says).await?;
    let after = store::newest(&mut transaction).await?;
    seal(state, &mut transaction, cause, "open season", (&before, &after)).await?;
    state.log.seal(transaction).await?;
    Ok(Some(after))
}
