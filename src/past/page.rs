//! The log as it is read back: pages of events by number.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::ser::Serializer;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::store::{self, Placed};
use super::{Past, Turn};
use crate::concurrency::join;
use crate::live::event::Event;
use crate::refusal::Refusal;

/// A stretch of the log, pixels apart from the rest; each is in the order of its numbers.
#[derive(Debug, Serialize, ToSchema)]
pub struct Stretch {
    /// The first number that was asked for.
    pub from: i64,
    /// The last number of this page.
    pub to: i64,
    /// The number of the newest event.
    pub head: i64,
    /// The `from` of the next page; null once the end that was asked for is reached.
    pub next_from: Option<i64>,
    /// `[number, x, y, color, agent, milliseconds since 1970]` each.
    #[schema(value_type = Vec<Vec<serde_json::Value>>)]
    pub pixels: Vec<Placed>,
    #[schema(value_type = Vec<Object>)]
    pub events: Vec<Told>,
}

impl Serialize for Placed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { seq, x, y, color, agent, placed_at } = self;
        (seq, x, y, color, agent, placed_at.timestamp_millis()).serialize(serializer)
    }
}

/// Anything else that happened, with the data that the live stream gives it.
#[derive(Debug, Serialize)]
pub struct Told {
    event: &'static str,
    seq: i64,
    time: DateTime<Utc>,
    data: Box<RawValue>,
}

impl Past {
    /// The events from one number to another, both included, but no more than `limit`; and the turn in which they were
    /// read.
    ///
    /// # Errors
    /// `Overloaded` when too many wait; or that the database cannot be read.
    pub async fn page(&self, from: i64, to: i64, limit: i64) -> Result<(Stretch, Turn), Refusal> {
        let turn = self.reading_turn().await?;
        let last = to.min(from + limit - 1);
        let state = self.state.clone();
        let reading = self.runtime.spawn(async move {
            let pixels = store::placed(&state.pool, from, last).await?;
            Ok::<_, Refusal>((pixels, state.log.others(from - 1, last).await?, turn))
        });
        let (pixels, others, turn) = join("reading a page of the log", reading).await??;
        let talks = self.state.game().chat_enabled;
        let heard =
            |(time, event): (DateTime<Utc>, Event)| (time, if talks { event } else { event.hushed() });
        let stretch = Stretch {
            from,
            to: last,
            head: self.head(),
            next_from: (last < to).then_some(last + 1),
            pixels,
            events: others.into_iter().map(heard).filter_map(told).collect(),
        };
        Ok((stretch, turn))
    }
}

fn told((time, happened): (DateTime<Utc>, Event)) -> Option<Told> {
    let (event, data) = happened.told()?;
    Some(Told { event, seq: happened.seq(), time, data: RawValue::from_string(data).ok()? })
}
