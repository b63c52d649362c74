//! Reads ranges of events from the log.

use caraplace_live::event::Event;
use caraplace_log::identity::Identity;
use caraplace_messages::shadow::reads::{own_events, shadow_view};
use chrono::{DateTime, Utc};
use platform::concurrency::join;
use platform::refusal::Refusal;
use platform::work_shares::WorkCaller;
use rules::micros;
use rules::numbers::{AccountNo, Seq};
use serde::Serialize;
use serde::ser::Serializer;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::store::{self, PlacementEventRow};
use super::{History, HistoryPermit};

/// The maximum number of events in a page that only the caller can see; the newest are shown.
const MAX_OWN_EVENTS: i64 = 10_000;

/// A range of events. Placements are separate from other events; both are in the order of the log.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventRange {
    /// First sequence number requested.
    #[schema(value_type = i64)]
    pub from: Seq,
    /// Last sequence number of this page.
    #[schema(value_type = i64)]
    pub to: Seq,
    /// Sequence number of the newest event.
    #[schema(value_type = i64)]
    pub head: Seq,
    /// The `from` of the next page; null on the last page.
    #[schema(value_type = Option<i64>)]
    pub next_from: Option<Seq>,
    /// Each placement as `[seq, x, y, color, agent id, milliseconds since 1970]`.
    #[schema(value_type = Vec<Vec<serde_json::Value>>)]
    pub pixels: Vec<PlacementEventRow>,
    #[schema(value_type = Vec<Object>)]
    pub events: Vec<EventRecord>,
}

impl Serialize for PlacementEventRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { seq, x, y, color, agent, placed_at } = self;
        (seq, x, y, color, agent, placed_at.timestamp_millis()).serialize(serializer)
    }
}

/// An event that is not a placement, with the same data as in the live stream.
#[derive(Debug, Serialize)]
pub struct EventRecord {
    event: &'static str,
    seq: Seq,
    #[serde(serialize_with = "micros::serialize")]
    time: DateTime<Utc>,
    data: Box<RawValue>,
}

impl History {
    /// Returns the events from one sequence number to another, both included, but at most `limit`, as an
    /// account sees them, and the permit with which they were read.
    ///
    /// # Errors
    /// Returns `Work` or `Overloaded` if too many requests wait.
    pub async fn read_events(
        &self,
        caller: &WorkCaller,
        from: Seq,
        to: Seq,
        limit: i64,
        reader: Option<&Identity>,
    ) -> Result<(EventRange, HistoryPermit), Refusal> {
        let permit = self.acquire_read_permit(caller).await?;
        let page_end = to.min(from.plus(limit - 1));
        let state = self.state.clone();
        let task = self.runtime.spawn(async move {
            let pixels = store::list_placements(&state.pool, from, page_end).await?;
            let other_events = state.log.events_except_placements(from.previous(), page_end).await?;
            Ok::<_, Refusal>((pixels, other_events, permit))
        });
        let (pixels, mut other_events, permit) = join("reading a page of the log", task).await??;
        if let Some(author) = reader.and_then(Identity::own_view) {
            self.add_own_view(author, from, page_end, &mut other_events).await?;
        }
        let is_chat_enabled = self.state.game().chat_enabled;
        let to_visible_record = |(time, event): (DateTime<Utc>, Event)| {
            let event = if is_chat_enabled { event } else { event.without_text() };
            to_record(time, &event)
        };
        let range = EventRange {
            from,
            to: page_end,
            head: self.head(),
            next_from: (page_end < to).then_some(page_end.next()),
            pixels,
            events: other_events.into_iter().filter_map(to_visible_record).collect(),
        };
        Ok((range, permit))
    }

    /// Changes events to what an account sees that is or was shadow-banned, and adds those that only it can
    /// see.
    async fn add_own_view(
        &self,
        author: AccountNo,
        from: Seq,
        to: Seq,
        events: &mut Vec<(DateTime<Utc>, Event)>,
    ) -> Result<(), Refusal> {
        let ids = events.iter().filter_map(|(_, event)| event.message_id());
        let view = shadow_view(&self.state, Some(author), ids).await?;
        events.iter_mut().for_each(|(_, event)| view.apply_to_event(event));
        let own = own_events(&self.state, author, from..=to, i64::MAX, MAX_OWN_EVENTS).await?;
        events.extend(own.into_iter().map(|own| (own.at, own.event)));
        // The sort is stable, so an own event stays behind the public one with its number.
        events.sort_by_key(|(_, event)| event.seq());
        Ok(())
    }
}

fn to_record(time: DateTime<Utc>, event: &Event) -> Option<EventRecord> {
    let (name, data) = event.name_and_data()?;
    Some(EventRecord { event: name, seq: event.seq(), time, data: RawValue::from_string(data).ok()? })
}
