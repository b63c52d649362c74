//! The live stream: everything that happens, by number, over server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::{Stream, stream};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::Answer;
use super::codes::Code;
use super::intake::Visitor;
use super::negotiate::accepts;
use super::problem::Problem;
use super::query::Params;
use crate::app::App;
use crate::live::event::{self, FAREWELL, Frame, KEEP_ALIVE, frames};
use crate::live::hub::{Backlog, Signal, Subscription};
use crate::log::RESUMABLE;

/// So often something is sent, even when nothing happens.
const HEARTBEAT: Duration = Duration::from_secs(15);
const STREAM: &str = "text/event-stream";

/// Streams from the head, or from where the client was.
pub async fn stream(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    if !accepts(&request, STREAM) {
        return Err(Problem::new(Code::NotAcceptable, "This is a stream of text/event-stream."));
    }
    let after = resume_point(&request)?;
    let mut watcher = Watcher::join(app.into_inner(), after);
    watcher.bring_up_to_date(after).await?;
    Ok(HttpResponse::Ok()
        .content_type(STREAM)
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header(("X-Accel-Buffering", "no"))
        .streaming(watcher.into_stream()))
}

/// A browser that reconnects sends the header, and knows better than the address it was given at first.
fn resume_point(request: &HttpRequest) -> Result<Option<i64>, Problem> {
    let bad =
        |from: &str| Problem::field(Code::BadCursor, from, "An event's number is a whole number, 0 or more.");
    let parse = |text: &str, from| {
        text.trim().parse().ok().filter(|number: &i64| *number >= 0).ok_or_else(|| bad(from))
    };
    if let Some(header) = request.headers().get("last-event-id").filter(|header| !header.is_empty()) {
        return parse(header.to_str().unwrap_or_default(), "Last-Event-ID").map(Some);
    }
    Params::of(request)?.text("since")?.map(|text| parse(text, "since")).transpose()
}

/// One open stream.
struct Watcher {
    app: Arc<App>,
    signals: broadcast::Receiver<Signal>,
    /// The last number that was sent, or will be with what is ready.
    sent: i64,
    ready: VecDeque<Bytes>,
    ended: bool,
    backlog: Backlog,
}

impl Watcher {
    fn join(app: Arc<App>, after: Option<i64>) -> Self {
        let Subscription { signals, head, backlog } = app.log.hub.subscribe(after);
        let (version, season) = app.log.snapshot(|world| (world.version, world.season.id.clone()));
        let hello = event::hello(head, version, &season, app.log.hub.spectators());
        Self { app, signals, sent: head, ready: VecDeque::from([hello]), ended: false, backlog }
    }

    /// Puts what lies between the client and the head before everything else.
    async fn bring_up_to_date(&mut self, after: Option<i64>) -> Result<(), Problem> {
        match std::mem::replace(&mut self.backlog, Backlog::Frames(Vec::new())) {
            Backlog::Frames(frames) => self.ready.extend(frames.into_iter().map(|frame| frame.bytes)),
            Backlog::Ahead => self.reset(),
            Backlog::Older => self.read_older(after.unwrap_or(self.sent)).await?,
        }
        Ok(())
    }

    async fn read_older(&mut self, after: i64) -> Result<(), Problem> {
        let head = self.sent;
        if head - after > RESUMABLE {
            self.reset();
            return Ok(());
        }
        let mut reached = after;
        while reached < head {
            let mut events = self.app.log.events_after(reached).await?;
            events.retain(|event| event.seq() <= head);
            reached = events.last().map_or(head, event::Event::seq);
            self.ready.extend(frames(&events).into_iter().map(|frame| frame.bytes));
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.ready.push_back(event::reset(self.app.log.hub.head()));
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
                return Some(bytes);
            }
            if self.ended {
                return None;
            }
            match tokio::time::timeout(HEARTBEAT, self.signals.recv()).await {
                Err(_) => return Some(KEEP_ALIVE),
                Ok(signal) => self.take(signal),
            }
        }
    }

    fn take(&mut self, signal: Result<Signal, RecvError>) {
        match signal {
            Ok(Signal::Frame(frame)) => self.take_frame(frame),
            Ok(Signal::Notice(bytes)) => self.ready.push_back(bytes),
            Ok(Signal::Farewell) | Err(RecvError::Closed) => {
                self.ready.push_back(FAREWELL);
                self.ended = true;
            }
            // Too slow to be told everything: it must reload.
            Err(RecvError::Lagged(_)) => self.reset(),
        }
    }

    fn take_frame(&mut self, frame: Frame) {
        if frame.first > self.sent {
            self.sent = frame.last;
            self.ready.push_back(frame.bytes);
        }
    }
}
