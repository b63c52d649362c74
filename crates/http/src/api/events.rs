//! `/api/events`: the live stream of numbered events, as server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::Method;
use actix_web::web::{Bytes, Data};
use caraplace_accounts::key_cache::KeyCache;
use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_companion::app::App;
use caraplace_live::event::Event;
use caraplace_live::frame::{self, Frame, Hello, KEEP_ALIVE_FRAME, SHUTDOWN_FRAME, frames};
use caraplace_live::hub::{RevokedKey, Signal, Subscription};
use caraplace_log::MAX_RESUMABLE_EVENTS;
use caraplace_log::identity::{ExtraKey, Identity};
use chrono::{DateTime, Utc};
use futures_util::{Stream, stream};
use platform::address_slots::AddressSlot;
use platform::refusal::Refusal;
use platform::refusal::codes::Code;
use platform::telemetry::METRICS;
use prometheus::IntCounter;
use rules::numbers::{AccountNo, Seq};
use rules::rights::Denied;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use super::event_pages::{EventPages, PageRange, as_shown};
use super::history::{self, EventRangeQuery, SINCE};
use super::own_events::{self, OwnEvents};
use crate::HandlerResult;
use crate::request::extract::MaybeAuth;
use crate::request::query::{QueryParams, parse_point_in_time};
use crate::request::stream_slots::acquire_slot;
use crate::response::event_stream::{HEARTBEAT_INTERVAL, event_stream, stream_head};
use crate::response::problem::Problem;

const LAST_EVENT_ID: &str = "last-event-id";

/// Streams events from now on, or from where the client stopped; with `from`, returns a page of past events.
pub async fn stream(
    request: HttpRequest,
    app: Data<App>,
    pages: Data<EventPages>,
    caller: MaybeAuth,
) -> HandlerResult {
    let resume_point = resume_point(&request)?;
    if !request.query_string().is_empty() {
        let range = EventRangeQuery::from_request(&request)?;
        if let Some(from) = range.from {
            return Box::pin(history::events(&request, &app, from, &range, caller.0.as_deref())).await;
        }
    }
    let mut response = event_stream(&request)?;
    check_ban(&app, caller.0.as_deref())?;
    if request.method() == Method::HEAD {
        return Ok(stream_head(response));
    }
    let slot = acquire_slot(&request, &app)?;
    let after = match resume_point {
        Some(ResumePoint::After(seq)) => Some(seq),
        // A time in the future is after every event, so the stream starts at the head.
        Some(ResumePoint::AfterTime(time)) => Some(app.history.last_event_until(time).await?),
        None => None,
    };
    // The client may have read from another instance that is ahead of this one.
    if after.is_some_and(|after| after > app.state.read_world(|world| world.head)) {
        Box::pin(app.state.log.refresh()).await?;
    }
    let events = EventStream::open(app.into_inner(), pages.into_inner(), slot, after, caller.0);
    Ok(response.streaming(events.into_stream()))
}

/// Refuses banned accounts; they can still read the stream without a key.
fn check_ban(app: &App, account: Option<&Identity>) -> Result<(), Problem> {
    let ban = account.and_then(|account| account.rights.active_ban(app.state.clock.now()));
    ban.map_or(Ok(()), |ban| Err(Refusal::from(Denied::Banned(ban.clone())).into()))
}

/// The point after which a stream resumes.
enum ResumePoint {
    After(Seq),
    AfterTime(DateTime<Utc>),
}

/// Returns the point to resume after. `Last-Event-ID` overrides `since`: when a browser reconnects, its URL
/// still has the first value.
fn resume_point(request: &HttpRequest) -> Result<Option<ResumePoint>, Problem> {
    let name = SINCE.param.name;
    let time = |text| match parse_point_in_time(name, text) {
        Ok(PointInTime::Time(time)) => Some(ResumePoint::AfterTime(time)),
        _ => None,
    };
    let since = QueryParams::from_request(request)?;
    let since = since.text(name)?.map(|text| {
        let detail = format!("{name} {}.", PointInTime::REQUIREMENT);
        let seq = parse_event_id(text).map(ResumePoint::After);
        seq.or_else(|| time(text)).ok_or_else(|| Problem::for_field(Code::BadCursor, name, detail))
    });
    let since = since.transpose()?;
    let Some(header) = request.headers().get(LAST_EVENT_ID).filter(|header| !header.is_empty()) else {
        return Ok(since);
    };
    let detail = "Event numbers are whole numbers, 0 or more.";
    let bad_cursor = || Problem::for_field(Code::BadCursor, "Last-Event-ID", detail);
    let seq = parse_event_id(header.to_str().unwrap_or_default()).ok_or_else(bad_cursor)?;
    Ok(Some(ResumePoint::After(seq)))
}

/// Parses the id of an event, which is its number. In ids of earlier versions, it may have leading zeros.
fn parse_event_id(text: &str) -> Option<Seq> {
    text.trim().parse().ok().map(Seq).filter(|seq| *seq >= Seq::ZERO)
}

/// Returns the event after which a new stream goes on: the head, unless it resumes after an earlier one. A
/// client that loses its connection before the first event resumes there, and misses nothing.
fn start_seq(after: Option<Seq>, head: Seq) -> Seq {
    after.filter(|after| *after <= head && is_resumable(*after, head)).unwrap_or(head)
}

/// Returns true if a stream can resume after this number.
fn is_resumable(after: Seq, head: Seq) -> bool {
    head.events_since(after) <= MAX_RESUMABLE_EVENTS
}

/// An open stream.
struct EventStream {
    app: Arc<App>,
    pages: Arc<EventPages>,
    /// The agent or viewer that reads the stream; `None` without a key or a session.
    caller: Option<Arc<Identity>>,
    /// The part of the stream that only the caller sees; `None` if there is none.
    own: Option<OwnEvents>,
    signals: broadcast::Receiver<Signal>,
    /// The last event number that was sent or is in `queued`.
    last_sent: Seq,
    /// The head when the stream subscribed; the events up to there are read in pages.
    subscribed_at: Seq,
    queued: VecDeque<Bytes>,
    is_ended: bool,
    /// The time of the next comment line.
    heartbeat: Instant,
    /// The slot, which is released when the stream is dropped.
    _slot: AddressSlot,
}

impl EventStream {
    fn open(
        app: Arc<App>,
        pages: Arc<EventPages>,
        slot: AddressSlot,
        after: Option<Seq>,
        caller: Option<Arc<Identity>>,
    ) -> Self {
        let (subscription, hello) = app.state.read_world(|world| {
            let hub = &app.state.hub;
            let subscription = hub.subscribe();
            let hello = frame::hello_frame(&Hello {
                after: start_seq(after, subscription.head),
                head: subscription.head,
                version: world.version,
                season: &world.season.id,
                presence: hub.presence(),
                chat_enabled: subscription.chat_enabled,
            });
            (subscription, hello)
        });
        METRICS.streams.opened.inc();
        let Subscription { signals, head, newest_own, .. } = subscription;
        let queued = VecDeque::from([hello]);
        let heartbeat = Instant::now() + HEARTBEAT_INTERVAL;
        let has_own_view = caller.as_ref().is_some_and(|caller| caller.has_own_view);
        let mut event_stream = Self {
            app,
            pages,
            caller,
            own: has_own_view.then(|| OwnEvents::new(after, newest_own)),
            signals,
            last_sent: start_seq(after, head),
            subscribed_at: head,
            queued,
            is_ended: false,
            heartbeat,
            _slot: slot,
        };
        // The key or rights may have changed between authentication and subscription, so check again.
        let key_cache = KeyCache::of(&event_stream.app.state);
        if event_stream.caller.as_ref().is_some_and(|caller| !key_cache.has(caller)) {
            event_stream.end(&METRICS.streams.rights_changed);
            return event_stream;
        }
        match after {
            Some(after) if after > head => event_stream.reset(&METRICS.streams.ahead),
            Some(after) if !is_resumable(after, head) => event_stream.reset(&METRICS.streams.too_old),
            _ => {}
        }
        event_stream
    }

    /// Reads what only the caller sees of the past, and queues what has the number after which the stream
    /// resumes. The client may have received it before: its ids do not tell.
    async fn read_own(&mut self) {
        let (Some(own), Some(caller)) = (&mut self.own, &self.caller) else { return };
        let state = &self.app.state;
        match own.read(state, caller).await {
            Ok(()) => self.queued.extend(own.frames_up_to(self.last_sent, state.game().chat_enabled)),
            Err(_) => self.end(&METRICS.streams.unreadable),
        }
    }

    /// Changes events to what the caller sees. Does nothing without a view of its own.
    async fn apply_own_view(&self, events: &mut [Event]) -> Result<(), Refusal> {
        let Some(caller) = self.caller.as_deref().filter(|_| self.own.is_some()) else { return Ok(()) };
        own_events::apply_view(&self.app.state, caller, events).await
    }

    /// Queues an event as the caller sees it.
    async fn queue_own_view(&mut self, event: &Event) {
        let mut events = [event.clone()];
        match self.apply_own_view(&mut events).await {
            Ok(()) => {
                self.last_sent = event.seq();
                self.queued.extend(frames(&events).into_iter().map(|frame| frame.bytes));
            }
            Err(_) => self.end(&METRICS.streams.unreadable),
        }
    }

    /// Queues the next page of events between the client's position and the subscription.
    async fn queue_page(&mut self) {
        let range = PageRange::next(self.last_sent, self.subscribed_at);
        let frames = match self.own {
            Some(_) => self.read_own_page(range).await,
            None => self.pages.get(&self.app.state, range).await.map(|page| page.frames.clone()),
        };
        match frames {
            Ok(frames) => {
                self.last_sent = range.up_to;
                self.queued.extend(frames);
            }
            // The client reconnects and resumes after its last event.
            Err(_) => self.end(&METRICS.streams.unreadable),
        }
    }

    /// Reads a page as the caller sees it, with the events that only it sees.
    async fn read_own_page(&mut self, range: PageRange) -> Result<Vec<Bytes>, Refusal> {
        let state = &self.app.state;
        // What only the caller sees is known as it is now, so the public events must be, too.
        let mut events = self.pages.read_events(state, range).await?;
        self.apply_own_view(&mut events).await?;
        let is_chat_enabled = state.game().chat_enabled;
        let events = as_shown(events, is_chat_enabled);
        Ok(self.own.as_mut().map_or_else(Vec::new, |own| own.mixed_frames(&events, is_chat_enabled)))
    }

    fn agent(&self) -> Option<AccountNo> {
        self.caller.as_ref().map(|caller| caller.no)
    }

    /// Returns true if the stream was opened with one of these keys.
    fn has_key_of(&self, keys: &[RevokedKey]) -> bool {
        self.extra_key().is_some_and(|own| keys.iter().any(|key| key.no == own.no))
    }

    /// Returns true if the stream was opened with an extra key that has expired since.
    fn has_expired(&self) -> bool {
        self.extra_key().is_some_and(|key| key.has_expired(self.app.state.clock.now()))
    }

    fn extra_key(&self) -> Option<ExtraKey> {
        self.caller.as_ref().and_then(|caller| caller.extra_key)
    }

    fn reset(&mut self, reason: &IntCounter) {
        reason.inc();
        self.queued.push_back(frame::reset_frame(self.app.state.hub.head()));
        self.is_ended = true;
    }

    fn end(&mut self, reason: &IntCounter) {
        reason.inc();
        self.queued.push_back(SHUTDOWN_FRAME);
        self.is_ended = true;
    }

    fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, |mut watcher| async move {
            let bytes = watcher.next().await?;
            Some((Ok(bytes), watcher))
        })
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.queued.pop_front() {
                METRICS.streams.count_frame(bytes.len());
                return Some(bytes);
            }
            if self.is_ended {
                return None;
            }
            if self.own.as_ref().is_some_and(OwnEvents::is_unread) {
                Box::pin(self.read_own()).await;
                continue;
            }
            if self.last_sent < self.subscribed_at {
                // Boxed, because the future is large and every stream would reserve its size.
                Box::pin(self.queue_page()).await;
                continue;
            }
            let signal = tokio::time::timeout_at(self.heartbeat, self.signals.recv()).await;
            if self.has_expired() {
                self.end(&METRICS.streams.rights_changed);
                continue;
            }
            match signal {
                Err(_) => {
                    self.heartbeat = Instant::now() + HEARTBEAT_INTERVAL;
                    return Some(KEEP_ALIVE_FRAME);
                }
                Ok(Ok(Signal::Frame(Frame { event: Some(event), last, .. })))
                    if self.own.is_some() && last > self.last_sent =>
                {
                    Box::pin(self.queue_own_view(&event)).await;
                }
                Ok(signal) => self.handle_signal(signal),
            }
        }
    }

    fn handle_signal(&mut self, signal: Result<Signal, RecvError>) {
        match signal {
            Ok(Signal::Frame(frame)) if frame.first > self.last_sent => {
                self.last_sent = frame.last;
                self.queued.push_back(frame.bytes);
            }
            Ok(Signal::Unnumbered(bytes)) => self.queued.push_back(bytes),
            Ok(Signal::Own(event)) if self.agent() == Some(event.author) => {
                // The first one may come long after the stream was opened: a shadow-ban ends no stream.
                self.own.get_or_insert_with(OwnEvents::none_before);
                // Its id must not lead the client back.
                self.queued.push_back(event.frame(event.event.seq() >= self.last_sent));
            }
            Ok(Signal::EndStreamsOf(agents)) if self.agent().is_some_and(|agent| agents.contains(&agent)) => {
                self.end(&METRICS.streams.rights_changed);
            }
            Ok(Signal::EndStreamsOfKeys(keys)) if self.has_key_of(&keys) => {
                self.end(&METRICS.streams.rights_changed);
            }
            // Already sent with the backlog, or for other agents.
            Ok(Signal::Frame(_) | Signal::Own(_) | Signal::EndStreamsOf(_) | Signal::EndStreamsOfKeys(_)) => {
            }
            Ok(Signal::Shutdown) | Err(RecvError::Closed) => self.end(&METRICS.streams.shutdown),
            // The client is too slow and missed events, so it must reload.
            Err(RecvError::Lagged(_)) => self.reset(&METRICS.streams.lagged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_an_event_is_its_number() {
        for (id, seq) in [("814", 814), ("0814", 814), ("000814", 814), ("0", 0), ("00", 0), (" 5 ", 5)] {
            assert_eq!(parse_event_id(id), Some(Seq(seq)), "{id}");
        }
        for wrong in ["", "-1", "a", "1.5"] {
            assert_eq!(parse_event_id(wrong), None, "{wrong}");
        }
    }
}
