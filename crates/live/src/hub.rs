//! Sends each event to all streams, once and in order, and holds the newest events in memory.

mod recent;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use rules::numbers::{AccountNo, Seq};
use tokio::sync::{broadcast, watch};

use super::event::{Event, MessageFolding};
use super::frame::{self, Frame, Presence, frames};
use super::own_event::OwnEvent;
use super::unread_changes::UnreadChanges;
use super::waits::Waits;

/// The number of events from which a stream can resume in memory. A stream that lacks more reads the log.
const MAX_RECENT_EVENTS: usize = 16_384;
/// The number of frames that a stream may lag behind before it is reset.
const MAX_LAG_FRAMES: usize = 1_024;
/// With more streams than this, pixels are collected for longer before each flush.
const SLOW_FLUSH_STREAMS: usize = 1_000;

/// A signal to a stream.
#[derive(Clone, Debug)]
pub enum Signal {
    /// The next events.
    Frame(Frame),
    /// A frame without a sequence number.
    Unnumbered(Bytes),
    /// The agents with these numbers have new keys or other rights: their own streams end, and their clients
    /// reconnect.
    EndStreamsOf(Arc<[AccountNo]>),
    /// These extra keys were revoked: the streams that were opened with them end.
    EndStreamsOfKeys(Arc<[RevokedKey]>),
    /// An event for its author's streams only.
    Own(Arc<OwnEvent>),
    /// The server shuts down.
    Shutdown,
}

/// An extra key that was revoked.
#[derive(Clone, Copy, Debug)]
pub struct RevokedKey {
    /// The number of the key.
    pub no: i64,
    /// The number of its agent.
    pub agent: AccountNo,
}

/// A subscription to the hub.
pub struct Subscription {
    pub signals: broadcast::Receiver<Signal>,
    /// The number after which the signals begin.
    pub head: Seq,
    /// True if the chat is switched on. The signals tell of later changes.
    pub chat_enabled: bool,
    /// The number of the last own event before the signals.
    pub newest_own: i64,
}

/// The broadcast hub of the live stream.
pub struct Hub {
    inner: Mutex<HubState>,
    signals: broadcast::Sender<Signal>,
    /// True once all streams must end.
    closed: watch::Sender<bool>,
    /// The calls that wait for news.
    pub waits: Arc<Waits>,
    /// The changes of what is unread.
    pub unread_changes: UnreadChanges,
}

struct HubState {
    head: Seq,
    /// Pixels that wait for the next flush.
    unsent: Vec<Event>,
    recent: VecDeque<Event>,
    /// The numbers of the plans that were taken down while this instance runs.
    hidden_plans: HashSet<i64>,
    /// The own events that wait for the public events before them.
    waiting_own: VecDeque<Arc<OwnEvent>>,
    /// The number of the newest own event that was sent or waits.
    newest_own: i64,
    /// The last published presence.
    presence: Presence,
    chat_enabled: bool,
}

impl Hub {
    /// Returns a hub without events, for a chat that is switched on. The next event follows the number
    /// `head`, and the next own event `newest_own`.
    pub fn new(head: Seq, newest_own: i64) -> Self {
        let inner = HubState {
            head,
            unsent: Vec::new(),
            recent: VecDeque::new(),
            hidden_plans: HashSet::new(),
            waiting_own: VecDeque::new(),
            newest_own,
            presence: Presence { spectators: 0, live: true },
            chat_enabled: true,
        };
        let signals = broadcast::Sender::new(MAX_LAG_FRAMES);
        Self {
            inner: Mutex::new(inner),
            signals,
            closed: watch::Sender::new(false),
            waits: Arc::default(),
            unread_changes: UnreadChanges::default(),
        }
    }

    /// Publishes the next events. Pixels are collected until the next flush. Any other event is sent at once,
    /// after the pixels collected before it.
    pub fn publish(&self, events: &[Event]) {
        let mut inner = self.inner.lock();
        for event in events {
            self.send_own(&mut inner);
            inner.push_event(event);
            inner.unsent.push(event.clone());
            if !matches!(event, Event::Pixel(_)) {
                self.flush(&mut inner);
            }
        }
        self.send_own(&mut inner);
    }

    /// Wakes the calls of these accounts that wait for news, and marks what is cached of their unread numbers
    /// as outdated.
    pub fn announce_private_news(&self, accounts: &[AccountNo]) {
        self.unread_changes.record_accounts(accounts);
        self.waits.wake(accounts);
    }

    /// Wakes all calls that wait for news, and marks the cached unread numbers of all accounts as outdated.
    pub fn announce_private_news_to_all(&self) {
        self.unread_changes.record_all_accounts();
        self.waits.wake_all();
    }

    /// Sends own events to their authors' streams, each after the public event before it. They must be in
    /// order; those that were published before are skipped.
    pub fn publish_own(&self, events: Vec<OwnEvent>) {
        let mut inner = self.inner.lock();
        for event in events {
            if event.no > inner.newest_own {
                inner.newest_own = event.no;
                inner.waiting_own.push_back(event.into());
            }
        }
        self.send_own(&mut inner);
    }

    /// Returns the number of the newest own event that was published.
    pub fn newest_own(&self) -> i64 {
        self.inner.lock().newest_own
    }

    /// Sends the collected pixels.
    pub fn flush_pixels(&self) {
        self.flush(&mut self.inner.lock());
    }

    /// Returns the time for which pixels are collected.
    pub fn flush_interval(&self) -> Duration {
        Duration::from_millis(if self.spectators() > SLOW_FLUSH_STREAMS { 500 } else { 50 })
    }

    /// Returns the number of open streams.
    pub fn spectators(&self) -> usize {
        self.signals.receiver_count()
    }

    /// Returns the number of frames that the slowest stream has not received yet.
    pub fn queued_frames(&self) -> usize {
        self.signals.len()
    }

    /// Returns the number of viewers, and whether the stream is live.
    pub fn presence(&self) -> Presence {
        Presence { spectators: self.spectators(), live: self.inner.lock().presence.live }
    }

    /// Publishes the number of viewers if it has changed.
    pub fn publish_presence_if_changed(&self) {
        let mut inner = self.inner.lock();
        let live = inner.presence.live;
        self.publish_presence(&mut inner, live);
    }

    /// Publishes the number of viewers even if it has not changed, so that clients can tell a quiet canvas
    /// from a server that hangs.
    pub fn publish_heartbeat(&self) {
        let mut inner = self.inner.lock();
        inner.presence.spectators = self.spectators();
        self.send(Signal::Unnumbered(frame::presence_frame(inner.presence)));
    }

    /// Sets whether the follower reads the log, and publishes a change at once.
    pub fn set_live(&self, live: bool) {
        let mut inner = self.inner.lock();
        if inner.presence.live != live {
            self.publish_presence(&mut inner, live);
        }
    }

    /// Sets whether the chat is switched on, and tells all streams of a change.
    pub fn set_chat_enabled(&self, chat_enabled: bool) {
        let mut inner = self.inner.lock();
        if std::mem::replace(&mut inner.chat_enabled, chat_enabled) != chat_enabled && self.spectators() > 0 {
            self.send(Signal::Unnumbered(frame::settings_frame(chat_enabled)));
        }
    }

    /// Returns the number of the newest event.
    pub fn head(&self) -> Seq {
        self.inner.lock().head
    }

    /// Ends the streams and waiting calls of agents that have new keys or other rights.
    pub fn end_streams_of(&self, agents: &[AccountNo]) {
        self.waits.end_waits_of(agents);
        if !agents.is_empty() && self.spectators() > 0 {
            self.send(Signal::EndStreamsOf(agents.into()));
        }
    }

    /// Ends the streams that were opened with these keys, and the waiting calls of their agents.
    pub fn end_streams_of_keys(&self, keys: &[RevokedKey]) {
        let agents: Vec<AccountNo> = keys.iter().map(|key| key.agent).collect();
        self.waits.end_waits_of(&agents);
        if !keys.is_empty() && self.spectators() > 0 {
            self.send(Signal::EndStreamsOfKeys(keys.into()));
        }
    }

    /// Renames an author in the messages in memory.
    pub fn rename_author(&self, author: &Arc<str>, name: &Arc<str>) {
        let mut inner = self.inner.lock();
        let by_author = inner.messages_mut().filter(|message| message.agent_id.as_ref() == Some(author));
        for message in by_author.filter(|message| message.agent_name != *name) {
            Arc::make_mut(message).agent_name = name.clone();
        }
    }

    /// Folds or unfolds a message in memory, and tells all streams.
    pub fn set_folded(&self, folding: &MessageFolding) {
        let mut inner = self.inner.lock();
        if let Some(message) = inner.messages_mut().rfind(|message| message.id == folding.message_id) {
            Arc::make_mut(message).folded = folding.folded;
        }
        if self.spectators() > 0 {
            self.send(Signal::Unnumbered(frame::folded_frame(folding)));
        }
    }

    /// Ends all streams and waiting calls.
    pub fn close(&self) {
        self.waits.close();
        self.closed.send_replace(true);
        self.send(Signal::Shutdown);
    }

    /// Completes when all streams must end. Unlike a subscription, it counts as no spectator.
    pub fn ended(&self) -> impl Future<Output = ()> + use<> {
        let mut closed = self.closed.subscribe();
        async move {
            // An error means that the hub is gone, which ends all streams, too.
            let _ = closed.wait_for(|closed| *closed).await;
        }
    }

    /// Subscribes at the head. A stream that resumes reads the events up to there in pages.
    pub fn subscribe(&self) -> Subscription {
        let mut inner = self.inner.lock();
        self.flush(&mut inner);
        let head = inner.head;
        let signals = self.signals.subscribe();
        if *self.closed.borrow() {
            self.send(Signal::Shutdown);
        }
        let chat_enabled = inner.chat_enabled;
        let newest_own = inner.newest_sent_own();
        Subscription { signals, head, chat_enabled, newest_own }
    }

    /// Returns the events between two numbers (the first excluded), or `None` if they are not all in memory.
    pub fn events_between(&self, after: Seq, up_to: Seq) -> Option<Vec<Event>> {
        self.inner.lock().events_between(after, up_to)
    }

    /// Returns true if the events after a number are in memory.
    pub fn has_events_after(&self, after: Seq) -> bool {
        self.inner.lock().position_after(after).is_some()
    }

    fn publish_presence(&self, inner: &mut HubState, live: bool) {
        let presence = Presence { spectators: self.spectators(), live };
        if std::mem::replace(&mut inner.presence, presence) != presence {
            self.send(Signal::Unnumbered(frame::presence_frame(presence)));
        }
    }

    /// Sends the own events whose public event has been published.
    fn send_own(&self, inner: &mut HubState) {
        while inner.waiting_own.front().is_some_and(|event| event.event.seq() <= inner.head) {
            let Some(event) = inner.waiting_own.pop_front() else { return };
            self.flush(inner);
            if self.spectators() > 0 {
                self.send(Signal::Own(event));
            }
        }
    }

    fn flush(&self, inner: &mut HubState) {
        let unsent = std::mem::take(&mut inner.unsent);
        if self.spectators() > 0 {
            frames(&unsent).into_iter().for_each(|frame| self.send(Signal::Frame(frame)));
        }
    }

    fn send(&self, signal: Signal) {
        // Sending fails only if there are no streams.
        let _ = self.signals.send(signal);
    }
}

impl HubState {
    fn push_event(&mut self, event: &Event) {
        match event {
            Event::Hidden(change) | Event::Deleted(change) => self.set_hidden(&change.message_id, true),
            Event::Restored(change) => self.set_hidden(&change.message_id, false),
            Event::Edited(edit) => self.set_text(edit),
            Event::Plan(change) => self.set_plan_hidden(&change.record),
            _ => {}
        }
        self.head = event.seq();
        self.recent.push_back(event.clone());
        if self.recent.len() > MAX_RECENT_EVENTS {
            self.recent.pop_front();
        }
    }

    /// Returns the number of the newest own event that was sent.
    fn newest_sent_own(&self) -> i64 {
        self.waiting_own.front().map_or(self.newest_own, |waiting| waiting.no - 1)
    }

    fn events_between(&self, after: Seq, up_to: Seq) -> Option<Vec<Event>> {
        let start = self.position_after(after)?;
        let end = self.position_after(up_to)?;
        Some(self.recent.range(start..end.max(start)).cloned().collect())
    }

    /// Returns the position in memory of the event after a number, or `None` if events after it are not in
    /// memory, or if the number has not been assigned yet.
    fn position_after(&self, seq: Seq) -> Option<usize> {
        let later_count = usize::try_from(self.head.events_since(seq)).ok()?;
        self.recent.len().checked_sub(later_count)
    }
}

#[cfg(test)]
mod tests;
