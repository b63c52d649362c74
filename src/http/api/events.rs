//! `/api/events`: the live stream of numbered events, as server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, VARY};
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::{Stream, stream};
use prometheus::IntCounter;
use rules::rights::Denied;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use super::history::{self, EventRangeQuery};
use crate::app::App;
use crate::history::point_in_time::PointInTime;
use crate::http::HandlerResult;
use crate::http::request::address;
use crate::http::request::authentication;
use crate::http::request::extract::MaybeAuth;
use crate::http::request::query::{QueryParams, parse_point_in_time};
use crate::http::request::stream_slots::StreamSlot;
use crate::http::response::codes::Code;
use crate::http::response::negotiate::accepts;
use crate::http::response::problem::Problem;
use crate::live::event::{self, Event, KEEP_ALIVE_FRAME, SHUTDOWN_FRAME, frames};
use crate::live::hub::{Backlog, Signal, Subscription};
use crate::log::MAX_RESUMABLE_EVENTS;
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::telemetry::METRICS;

/// The interval of the comment lines that keep the connection open.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
const EVENT_STREAM: &str = "text/event-stream";
const LAST_EVENT_ID: &str = "last-event-id";

/// Streams events from now on, or from where the client stopped; with `from`, returns a page of past events.
pub async fn stream(request: HttpRequest, app: Data<App>, caller: MaybeAuth) -> HandlerResult {
    let resume_point = resume_point(&request)?;
    if !request.query_string().is_empty() {
        let range = EventRangeQuery::from_request(&request)?;
        if let Some(from) = range.from {
            return Box::pin(history::events(&request, &app, from, &range)).await;
        }
    }
    if !accepts(&request, EVENT_STREAM) {
        return Err(Problem::new(Code::NotAcceptable, "This endpoint returns text/event-stream."));
    }
    check_ban(&app, caller.0.as_deref())?;
    let mut response = HttpResponse::Ok();
    response
        .content_type(EVENT_STREAM)
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((VARY, "Accept"))
        .insert_header(("X-Accel-Buffering", "no"));
    if request.method() == Method::HEAD {
        return Ok(response.finish());
    }
    let slot = acquire_slot(&request, &app)?;
    let after = match resume_point {
        Some(PointInTime::Seq(seq)) => Some(seq),
        // A time in the future is after every event, so the stream starts at the head.
        Some(PointInTime::Time(time)) => Some(app.history.last_event_until(time).await?),
        None => None,
    };
    // The client may have read from another instance that is ahead of this one.
    if after.is_some_and(|after| after > app.state.read_world(|world| world.head)) {
        Box::pin(app.state.log.refresh()).await?;
    }
    let event_stream = EventStream::open(app.into_inner(), slot, after, caller.0.as_deref());
    Ok(response.streaming(event_stream.into_stream()))
}

/// Takes a stream slot, before the stream uses any other resource.
fn acquire_slot(request: &HttpRequest, app: &App) -> Result<StreamSlot, Problem> {
    let http_state = authentication::http_state(request)?;
    let address = address::rate_limit_address(request, &http_state.trusted_proxies);
    http_state.stream_slots.acquire(address, app.state.settings.current().values.streams_per_ip)
}

/// Refuses banned agents; they can still read the stream without a key.
fn check_ban(app: &App, agent: Option<&Agent>) -> Result<(), Problem> {
    let ban = agent.and_then(|agent| agent.rights.active_ban(app.state.clock.now()));
    ban.map_or(Ok(()), |ban| Err(Refusal::from(Denied::Banned(ban.clone())).into()))
}

/// Returns the point to resume after. `Last-Event-ID` overrides `since`: when a browser reconnects, its URL still
/// has the first value.
fn resume_point(request: &HttpRequest) -> Result<Option<PointInTime>, Problem> {
    let number =
        |text: &str| text.trim().parse().ok().filter(|number: &i64| *number >= 0).map(PointInTime::Seq);
    let time =
        |text| parse_point_in_time("since", text).ok().filter(|point| matches!(point, PointInTime::Time(_)));
    let since = QueryParams::from_request(request)?;
    let since = since.text("since")?.map(|text| {
        let detail = "since must be an event's number or a time such as 2026-01-31T08:30:00Z.";
        number(text)
            .or_else(|| time(text))
            .ok_or_else(|| Problem::for_field(Code::BadCursor, "since", detail))
    });
    let since = since.transpose()?;
    let Some(header) = request.headers().get(LAST_EVENT_ID).filter(|header| !header.is_empty()) else {
        return Ok(since);
    };
    let detail = "Event numbers are whole numbers, 0 or more.";
    let bad_cursor = || Problem::for_field(Code::BadCursor, "Last-Event-ID", detail);
    number(header.to_str().unwrap_or_default()).ok_or_else(bad_cursor).map(Some)
}

/// An open stream.
struct EventStream {
    app: Arc<App>,
    /// The number of the agent that reads the stream; `None` without a key.
    agent: Option<i64>,
    signals: broadcast::Receiver<Signal>,
    /// The last event number that was sent or is in `queued`.
    last_sent: i64,
    /// The head when the stream subscribed; earlier events are read from the log.
    subscribed_at: i64,
    queued: VecDeque<Bytes>,
    is_ended: bool,
    /// The time of the next comment line.
    heartbeat: Instant,
    /// The slot, which is released when the stream is dropped.
    _slot: StreamSlot,
}

impl EventStream {
    fn open(app: Arc<App>, slot: StreamSlot, after: Option<i64>, agent: Option<&Agent>) -> Self {
        let (subscription, hello) = app.state.read_world(|world| {
            let hub = &app.state.hub;
            let subscription = hub.subscribe(after);
            let position = (subscription.head, world.version);
            let hello =
                event::hello_frame(position, &world.season.id, hub.presence(), subscription.chat_enabled);
            (subscription, hello)
        });
        METRICS.streams.opened.inc();
        let Subscription { signals, head, backlog, .. } = subscription;
        let (queued, heartbeat) = (VecDeque::from([hello]), Instant::now() + HEARTBEAT_INTERVAL);
        let no = agent.map(|agent| agent.no);
        let mut event_stream = Self {
            app,
            agent: no,
            signals,
            last_sent: head,
            subscribed_at: head,
            queued,
            is_ended: false,
            heartbeat,
            _slot: slot,
        };
        // The key or rights may have changed between authentication and subscription, so check again.
        if agent.is_some_and(|agent| event_stream.app.state.key_cache.find(&agent.key_hash).is_none()) {
            event_stream.end(&METRICS.streams.rights_changed);
            return event_stream;
        }
        match backlog {
            Backlog::Events(missing) => event_stream.queue_events(missing),
            Backlog::Older if head - after.unwrap_or(head) <= MAX_RESUMABLE_EVENTS => {
                event_stream.last_sent = after.unwrap_or(head);
            }
            Backlog::Older => event_stream.reset(&METRICS.streams.too_old),
            Backlog::Ahead => event_stream.reset(&METRICS.streams.ahead),
        }
        event_stream
    }

    fn queue_events(&mut self, mut events: Vec<Event>) {
        events.retain(|event| event.seq() <= self.subscribed_at);
        if !self.app.state.game().chat_enabled {
            events = events.into_iter().map(Event::without_text).collect();
        }
        self.last_sent = events.last().map_or(self.subscribed_at, Event::seq);
        self.queued.extend(frames(&events).into_iter().map(|frame| frame.bytes));
    }

    /// Reads the next page of events between the client's position and the subscription.
    async fn read_older(&mut self) {
        // Yield before each page, so that a stream that resumes far back does not block this worker.
        tokio::task::yield_now().await;
        if let Some(events) = self.app.state.hub.events_after(self.last_sent) {
            return self.queue_events(events);
        }
        let events = {
            let _permit = self.app.state.acquire_scan_permit().await;
            self.app.state.log.events_after(self.last_sent).await
        };
        match events {
            Ok(events) => self.queue_events(events),
            // The client reconnects and resumes after its last event.
            Err(_) => self.end(&METRICS.streams.unreadable),
        }
    }

    fn reset(&mut self, reason: &IntCounter) {
        reason.inc();
        self.queued.push_back(event::reset_frame(self.app.state.hub.head()));
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
            if self.last_sent < self.subscribed_at {
                // Boxed, because the future is large and every stream would reserve its size.
                Box::pin(self.read_older()).await;
                continue;
            }
            match tokio::time::timeout_at(self.heartbeat, self.signals.recv()).await {
                Err(_) => {
                    self.heartbeat = Instant::now() + HEARTBEAT_INTERVAL;
                    return Some(KEEP_ALIVE_FRAME);
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
            Ok(Signal::Private(agent, bytes)) if self.agent == Some(agent) => self.queued.push_back(bytes),
            Ok(Signal::EndStreamsOf(agents)) if self.agent.is_some_and(|agent| agents.contains(&agent)) => {
                self.end(&METRICS.streams.rights_changed);
            }
            // Already sent with the backlog, or for other agents.
            Ok(Signal::Frame(_) | Signal::Private(..) | Signal::EndStreamsOf(_)) => {}
            Ok(Signal::Shutdown) | Err(RecvError::Closed) => self.end(&METRICS.streams.shutdown),
            // The client is too slow and missed events, so it must reload.
            Err(RecvError::Lagged(_)) => self.reset(&METRICS.streams.lagged),
        }
    }
}
