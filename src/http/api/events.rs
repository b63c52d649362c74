//! The live stream: everything that happens, by number, over server-sent events.

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

use super::past::{self, Wanted};
use crate::app::App;
use crate::http::Answer;
use crate::http::request::address;
use crate::http::request::authentication;
use crate::http::request::extract::Visitor;
use crate::http::request::query::Params;
use crate::http::request::stream_slots::StreamSlot;
use crate::http::response::codes::Code;
use crate::http::response::negotiate::accepts;
use crate::http::response::problem::Problem;
use crate::live::event::{self, Event, FAREWELL, KEEP_ALIVE, frames};
use crate::live::hub::{Backlog, Signal, Subscription};
use crate::log::RESUMABLE;
use crate::log::roster::Agent;
use crate::refusal::Refusal;
use crate::telemetry::METRICS;

/// So often a comment line is sent, whatever else happens.
const HEARTBEAT: Duration = Duration::from_secs(15);
const STREAM: &str = "text/event-stream";

/// Streams from the head, or from where the client was; or gives a page of what was before.
pub async fn stream(request: HttpRequest, app: Data<App>, visitor: Visitor) -> Answer {
    let after = resume_point(&request)?;
    if !request.query_string().is_empty() {
        let wanted = Wanted::of(&request)?;
        if let Some(from) = wanted.from {
            return Box::pin(past::events(&request, &app, from, &wanted)).await;
        }
    }
    if !accepts(&request, STREAM) {
        return Err(Problem::new(Code::NotAcceptable, "This is a stream of text/event-stream."));
    }
    check_ban(&app, visitor.0.as_deref())?;
    let mut response = HttpResponse::Ok();
    response
        .content_type(STREAM)
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((VARY, "Accept"))
        .insert_header(("X-Accel-Buffering", "no"));
    if request.method() == Method::HEAD {
        return Ok(response.finish());
    }
    let slot = take_slot(&request, &app)?;
    // Clients may come from an instance that was ahead of this one.
    if after.is_some_and(|after| after > app.state.snapshot(|world| world.head)) {
        Box::pin(app.state.log.refresh()).await?;
    }
    let watcher = Watcher::join(app.into_inner(), slot, after, visitor.0.as_deref());
    Ok(response.streaming(watcher.into_stream()))
}

/// Takes one of the slots for streams, before anything is spent on the stream.
fn take_slot(request: &HttpRequest, app: &App) -> Result<StreamSlot, Problem> {
    let door = authentication::door(request)?;
    let address = address::of(request, &door.trusted_proxies);
    door.streams.take(address, app.state.settings.current().live.streams_per_ip)
}

/// Who is shut out reads along as anyone may, without a key.
fn check_ban(app: &App, agent: Option<&Agent>) -> Result<(), Problem> {
    let ban = agent.and_then(|agent| agent.rights.active_ban(app.state.clock.now()));
    ban.map_or(Ok(()), |ban| Err(Refusal::from(Denied::Banned(ban.clone())).into()))
}

/// A browser that reconnects sends the header, and knows better than the address it was given at first.
fn resume_point(request: &HttpRequest) -> Result<Option<i64>, Problem> {
    let bad =
        |from: &str| Problem::field(Code::BadCursor, from, "An event's number is a whole number, 0 or more.");
    let parse = |text: &str, from| {
        text.trim().parse().ok().filter(|number: &i64| *number >= 0).ok_or_else(|| bad(from))
    };
    let since = Params::of(request)?.text("since")?.map(|text| parse(text, "since")).transpose()?;
    match request.headers().get("last-event-id").filter(|header| !header.is_empty()) {
        Some(header) => parse(header.to_str().unwrap_or_default(), "Last-Event-ID").map(Some),
        None => Ok(since),
    }
}

/// One open stream.
struct Watcher {
    app: Arc<App>,
    /// The number of the agent who watches, if it has shown its key.
    agent: Option<i64>,
    signals: broadcast::Receiver<Signal>,
    /// The last number that was sent, or will be with what is ready.
    sent: i64,
    /// Where the signals begin: what lies before must be read from the log.
    joined: i64,
    ready: VecDeque<Bytes>,
    ended: bool,
    /// When the next comment line is due.
    heartbeat: Instant,
    /// Held for as long as the stream is open.
    _slot: StreamSlot,
}

impl Watcher {
    fn join(app: Arc<App>, slot: StreamSlot, after: Option<i64>, agent: Option<&Agent>) -> Self {
        let (subscription, hello) = app.state.snapshot(|world| {
            let hub = &app.state.hub;
            let subscription = hub.subscribe(after);
            let hello = event::hello(subscription.head, world.version, &world.season.id, hub.presence());
            (subscription, hello)
        });
        METRICS.streams.opened.inc();
        let Subscription { signals, head, backlog } = subscription;
        let (ready, heartbeat) = (VecDeque::from([hello]), Instant::now() + HEARTBEAT);
        let no = agent.map(|agent| agent.no);
        let mut watcher = Self {
            app,
            agent: no,
            signals,
            sent: head,
            joined: head,
            ready,
            ended: false,
            heartbeat,
            _slot: slot,
        };
        // Its key or its rights may have changed after they were looked at, and before it could be told.
        if agent.is_some_and(|agent| watcher.app.state.roster.find(&agent.key_hash).is_none()) {
            watcher.end(&METRICS.streams.recalled);
            return watcher;
        }
        match backlog {
            Backlog::Events(missing) => watcher.make_ready(missing),
            Backlog::Older if head - after.unwrap_or(head) <= RESUMABLE => {
                watcher.sent = after.unwrap_or(head);
            }
            Backlog::Older => watcher.reset(&METRICS.streams.too_old),
            Backlog::Ahead => watcher.reset(&METRICS.streams.ahead),
        }
        watcher
    }

    fn make_ready(&mut self, mut events: Vec<Event>) {
        events.retain(|event| event.seq() <= self.joined);
        if !self.app.state.game().chat_enabled {
            events = events.into_iter().map(Event::hushed).collect();
        }
        self.sent = events.last().map_or(self.joined, Event::seq);
        self.ready.extend(frames(&events).into_iter().map(|frame| frame.bytes));
    }

    /// The next page of what lies between the client and where it joined.
    async fn read_older(&mut self) {
        // Streams that resume far back take turns with everything else on this worker, page by page.
        tokio::task::yield_now().await;
        if let Some(events) = self.app.state.hub.page(self.sent) {
            return self.make_ready(events);
        }
        let events = {
            let _permit = self.app.state.scan().await;
            self.app.state.log.events_after(self.sent).await
        };
        match events {
            Ok(events) => self.make_ready(events),
            // The client comes back, and resumes after what it has.
            Err(_) => self.end(&METRICS.streams.unreadable),
        }
    }

    fn reset(&mut self, reason: &IntCounter) {
        reason.inc();
        self.ready.push_back(event::reset(self.app.state.hub.head()));
        self.ended = true;
    }

    fn end(&mut self, reason: &IntCounter) {
        reason.inc();
        self.ready.push_back(FAREWELL);
        self.ended = true;
    }

    fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, |mut watcher| async move {
            let bytes = watcher.next().await?;
            Some((Ok(bytes), watcher))
        })
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.ready.pop_front() {
                METRICS.streams.sent(bytes.len());
                return Some(bytes);
            }
            if self.ended {
                return None;
            }
            if self.sent < self.joined {
                // Large while it waits, and each stream would keep the room for it.
                Box::pin(self.read_older()).await;
                continue;
            }
            match tokio::time::timeout_at(self.heartbeat, self.signals.recv()).await {
                Err(_) => {
                    self.heartbeat = Instant::now() + HEARTBEAT;
                    return Some(KEEP_ALIVE);
                }
                Ok(signal) => self.take(signal),
            }
        }
    }

    fn take(&mut self, signal: Result<Signal, RecvError>) {
        match signal {
            Ok(Signal::Frame(frame)) if frame.first > self.sent => {
                self.sent = frame.last;
                self.ready.push_back(frame.bytes);
            }
            Ok(Signal::Notice(bytes)) => self.ready.push_back(bytes),
            Ok(Signal::Whisper(agent, bytes)) if self.agent == Some(agent) => self.ready.push_back(bytes),
            Ok(Signal::Recall(agents)) if self.agent.is_some_and(|agent| agents.contains(&agent)) => {
                self.end(&METRICS.streams.recalled);
            }
            // Sent with the backlog, or meant for other agents.
            Ok(Signal::Frame(_) | Signal::Whisper(..) | Signal::Recall(_)) => {}
            Ok(Signal::Farewell) | Err(RecvError::Closed) => self.end(&METRICS.streams.farewell),
            // Too slow to be told everything: it must reload.
            Err(RecvError::Lagged(_)) => self.reset(&METRICS.streams.lagged),
        }
    }
}
