//! Follows whose turn it is on a connection, and closes it behind a body that was not read to its end.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::http::ConnectionType;
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, HttpMessage as _};
use futures_util::{Stream, StreamExt as _};
use tokio::time::Instant;

use super::timeouts::ConnectionTimeouts;

/// Lies around everything else that a request meets.
///
/// # Errors
/// Returns the errors of the layers below.
pub async fn track_lifecycle(
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<ResponseBody>, Error> {
    let guard = RequestGuard(request.conn_data::<Rc<ConnectionTimeouts>>().cloned());
    if guard.is_connection_ending() {
        // RFC 9112, 9.6: what comes behind the last request is not even answered.
        return std::future::pending().await;
    }
    let incoming = IncomingBody::take_from(&mut request, guard.0.clone());
    guard.begin_request(incoming.is_some(), request.head().connection_type() == ConnectionType::Close);
    let response = next.call(request).await?;
    Ok(response.map_body(|_, body| ResponseBody { body, incoming, guard }))
}

/// The server's turn, from a request's head to the end of its answer.
struct RequestGuard(Option<Rc<ConnectionTimeouts>>);

impl RequestGuard {
    fn begin_request(&self, has_body: bool, is_last: bool) {
        if let Some(timeouts) = &self.0 {
            timeouts.begin_request(has_body, is_last, Instant::now());
        }
    }

    fn is_connection_ending(&self) -> bool {
        self.0.as_ref().is_some_and(|timeouts| timeouts.is_ending())
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        if let Some(timeouts) = &self.0 {
            timeouts.end_response(Instant::now());
        }
    }
}

/// A body on its way in. While any of it is held, actix-http knows that it has not been read to its end, and closes the
/// connection behind the answer; once let go, it would read on for as long as the client goes on sending.
#[derive(Clone)]
struct IncomingBody {
    payload: Rc<RefCell<Payload>>,
    timeouts: Option<Rc<ConnectionTimeouts>>,
}

impl IncomingBody {
    fn take_from(request: &mut ServiceRequest, timeouts: Option<Rc<ConnectionTimeouts>>) -> Option<Self> {
        let payload = request.take_payload();
        if matches!(payload, Payload::None) {
            return None;
        }
        let incoming = Self { payload: Rc::new(RefCell::new(payload)), timeouts };
        request.set_payload(Payload::Stream { payload: incoming.clone().boxed_local() });
        Some(incoming)
    }
}

impl Stream for IncomingBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let item = Pin::new(&mut *self.payload.borrow_mut()).poll_next(context);
        if let (Poll::Ready(None), Some(timeouts)) = (&item, &self.timeouts) {
            timeouts.body_received();
        }
        item
    }
}

/// An answer on its way out, beside what is left of the request's body.
pub struct ResponseBody {
    body: BoxBody,
    incoming: Option<IncomingBody>,
    guard: RequestGuard,
}

impl ResponseBody {
    /// Passes over a body that nobody asked for.
    fn drain_request_body(&mut self, context: &mut Context<'_>) {
        while let Some(incoming) = &mut self.incoming {
            match Pin::new(incoming).poll_next(context) {
                Poll::Pending => return,
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(None | Some(Err(_))) => self.incoming = None,
            }
        }
    }
}

impl Drop for ResponseBody {
    /// What has not arrived by now is not waited for: the connection ends.
    fn drop(&mut self) {
        self.drain_request_body(&mut Context::from_waker(Waker::noop()));
        if let (Some(_), Some(timeouts)) = (&self.incoming, &self.guard.0) {
            timeouts.close_after_response();
        }
    }
}

impl MessageBody for ResponseBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        self.drain_request_body(context);
        Pin::new(&mut self.body).poll_next(context)
    }
}
