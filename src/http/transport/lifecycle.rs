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

use super::timeouts::Patience;

/// Lies around everything else that a request meets.
///
/// # Errors
/// Returns the errors of the layers below.
pub async fn follow(
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<Answering>, Error> {
    let turn = Turn(request.conn_data::<Rc<Patience>>().cloned());
    if turn.is_over() {
        // RFC 9112, 9.6: what comes behind the last request is not even answered.
        return std::future::pending().await;
    }
    let incoming = Incoming::take(&mut request, turn.0.clone());
    turn.begin(incoming.is_some(), request.head().connection_type() == ConnectionType::Close);
    let answer = next.call(request).await?;
    Ok(answer.map_body(|_, body| Answering { body, incoming, turn }))
}

/// The server's turn, from a request's head to the end of its answer.
struct Turn(Option<Rc<Patience>>);

impl Turn {
    fn begin(&self, body: bool, last: bool) {
        if let Some(patience) = &self.0 {
            patience.begin(body, last, Instant::now());
        }
    }

    fn is_over(&self) -> bool {
        self.0.as_ref().is_some_and(|patience| patience.has_ended())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(patience) = &self.0 {
            patience.end(Instant::now());
        }
    }
}

/// A body on its way in. While any of it is held, actix-http knows that it has not been read to its end, and closes the
/// connection behind the answer; once let go, it would read on for as long as the client goes on sending.
#[derive(Clone)]
struct Incoming {
    payload: Rc<RefCell<Payload>>,
    patience: Option<Rc<Patience>>,
}

impl Incoming {
    fn take(request: &mut ServiceRequest, patience: Option<Rc<Patience>>) -> Option<Self> {
        let payload = request.take_payload();
        if matches!(payload, Payload::None) {
            return None;
        }
        let incoming = Self { payload: Rc::new(RefCell::new(payload)), patience };
        request.set_payload(Payload::Stream { payload: incoming.clone().boxed_local() });
        Some(incoming)
    }
}

impl Stream for Incoming {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let item = Pin::new(&mut *self.payload.borrow_mut()).poll_next(context);
        if let (Poll::Ready(None), Some(patience)) = (&item, &self.patience) {
            patience.arrived();
        }
        item
    }
}

/// An answer on its way out, beside what is left of the request's body.
pub struct Answering {
    body: BoxBody,
    incoming: Option<Incoming>,
    turn: Turn,
}

impl Answering {
    /// Passes over a body that nobody asked for.
    fn pass_over(&mut self, context: &mut Context<'_>) {
        while let Some(incoming) = &mut self.incoming {
            match Pin::new(incoming).poll_next(context) {
                Poll::Pending => return,
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(None | Some(Err(_))) => self.incoming = None,
            }
        }
    }
}

impl Drop for Answering {
    /// What has not arrived by now is not waited for: the connection ends.
    fn drop(&mut self) {
        self.pass_over(&mut Context::from_waker(Waker::noop()));
        if let (Some(_), Some(patience)) = (&self.incoming, &self.turn.0) {
            patience.leave();
        }
    }
}

impl MessageBody for Answering {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        self.pass_over(context);
        Pin::new(&mut self.body).poll_next(context)
    }
}
