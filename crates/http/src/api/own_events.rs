//! The part of an event stream that only its caller sees: the events of a shadow-banned author.

use std::collections::{HashSet, VecDeque};

use actix_web::web::Bytes;
use caraplace_live::event::Event;
use caraplace_live::frame::frames;
use caraplace_live::own_event::OwnEvent;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::shadow::reads::{own_events, shadow_view};
use platform::refusal::Refusal;
use rules::numbers::Seq;

/// The maximum number of own events that a stream resumes over. It receives the newest, because all of them
/// may have one number, behind which it would otherwise never come.
const MAX_RESUMED_EVENTS: i64 = 1_000;

/// The own events between the point at which a stream resumes and its subscription.
pub(super) struct OwnEvents {
    /// The number from which to read; `None` if there is nothing to read any more.
    unread_from: Option<Seq>,
    /// The number of the last own event before the subscription.
    newest_own: i64,
    waiting: VecDeque<OwnEvent>,
}

impl OwnEvents {
    /// Returns the own events of a stream that resumes after a public event, which must still be read: those
    /// with its number stand behind it, too. `None` starts at the head, and there are none.
    pub fn new(after: Option<Seq>, newest_own: i64) -> Self {
        Self { unread_from: after, newest_own, waiting: VecDeque::new() }
    }

    /// Returns no events before the subscription.
    pub fn none_before() -> Self {
        Self::new(None, 0)
    }

    /// Returns true if the events must be read before the stream goes on.
    pub fn is_unread(&self) -> bool {
        self.unread_from.is_some()
    }

    /// Reads the events.
    pub async fn read(&mut self, state: &AppState, caller: &Identity) -> Result<(), Refusal> {
        let Some(from) = self.unread_from else { return Ok(()) };
        let seqs = from..=Seq::MAX;
        let events = own_events(state, caller.no, seqs, self.newest_own, MAX_RESUMED_EVENTS).await?;
        self.waiting = events.into();
        self.unread_from = None;
        Ok(())
    }

    /// Returns the frames of public events, with the own events among them, which it takes.
    pub fn mixed_frames(&mut self, events: &[Event], is_chat_enabled: bool) -> Vec<Bytes> {
        let own_seqs: HashSet<Seq> = self.waiting.iter().map(|own| own.event.seq()).collect();
        let mut mixed = Vec::new();
        for chunk in events.chunk_by(|before, _| !own_seqs.contains(&before.seq())) {
            mixed.extend(frames(chunk).into_iter().map(|frame| frame.bytes));
            mixed.extend(self.frames_up_to(chunk.last().map_or(Seq::ZERO, Event::seq), is_chat_enabled));
        }
        mixed
    }

    /// Takes the frames of the events up to a number.
    pub fn frames_up_to(&mut self, seq: Seq, is_chat_enabled: bool) -> Vec<Bytes> {
        let count = self.waiting.partition_point(|event| event.event.seq() <= seq);
        let to_frame = |event: OwnEvent| {
            let shown = if is_chat_enabled { event.event } else { event.event.without_text() };
            OwnEvent { event: shown, ..event }.frame(true)
        };
        self.waiting.drain(..count).map(to_frame).collect()
    }
}

/// Changes events to what the caller sees.
pub(super) async fn apply_view(
    state: &AppState,
    caller: &Identity,
    events: &mut [Event],
) -> Result<(), Refusal> {
    let ids = events.iter().filter_map(Event::message_id);
    // The caller may have been shadow-banned since the stream was opened.
    let view = shadow_view(state, Some(caller.no), ids).await?;
    events.iter_mut().for_each(|event| view.apply_to_event(event));
    Ok(())
}
