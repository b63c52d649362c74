//! Tracks the request phases of a connection for its timeouts, and closes it after a body that was not read
//! to its end, or whose length an HTTP/1.0 client cannot know otherwise.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::http::{ConnectionType, Version};
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, HttpMessage as _};
use futures_util::{Stream, StreamExt as _};
use tokio::time::Instant;

use super::timeouts::ConnectionTimeouts;

/// Outermost middleware: tracks the phases of a request.
pub async fn track_lifecycle(
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<ResponseBody>, Error> {
    let guard = RequestGuard(request.conn_data::<Rc<ConnectionTimeouts>>().cloned());
    if guard.is_connection_ending() {
        // RFC 9112, section 9.6: requests after the last one (`Connection: close`) get no response.
        return std::future::pending().await;
    }
    let incoming = IncomingBody::take_from(&mut request, guard.0.clone());
    guard.begin_request(incoming.is_some(), request.head().connection_type() == ConnectionType::Close);
    let mut response = next.call(request).await?;
    if response.request().version() < Version::HTTP_11
        && response.response().body().size() == BodySize::Stream
    {
        end_body_with_connection(&mut response);
    }
    Ok(response.map_body(|_, body| ResponseBody { body, incoming, guard }))
}

/// Ends a body of unknown length by closing the connection: an HTTP/1.0 client reads chunked framing as part
/// of the body (RFC 9112, section 6.1).
fn end_body_with_connection(response: &mut ServiceResponse<BoxBody>) {
    let head = response.response_mut().head_mut();
    head.no_chunking(true);
    head.set_connection_type(ConnectionType::Close);
}

/// The phase from a request's head to the end of its response.
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

/// The body of a request. While it is held unread, actix-http closes the connection after the response. If it
/// were dropped, actix-http would read it for as long as the client sends.
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

/// The body of a response, together with the rest of the request's body.
pub struct ResponseBody {
    body: BoxBody,
    incoming: Option<IncomingBody>,
    guard: RequestGuard,
}

impl ResponseBody {
    /// Discards the available part of a body that the handler has not read.
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
    /// Closes the connection if the request's body has not arrived in full.
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
