//! Calls of the tool that waits: they end with their connection, and their waiting is no slowness.

use std::pin::pin;
use std::rc::Rc;

use actix_web::{HttpMessage as _, HttpRequest};
use caraplace_http::HandlerResult;
use caraplace_http::response::request_metrics::TimeWaited;
use caraplace_http::transport::timeouts::ConnectionTimeouts;
use platform::clock::monotonic_now;
use tokio::sync::Notify;

/// The name of the tool.
pub(super) const TOOL_NAME: &str = "wait";

/// Waits for the response to a message, and tells the tool when the client closes its connection, so that the
/// call ends like any other.
pub(super) async fn answer(
    request: &HttpRequest,
    response: impl Future<Output = HandlerResult>,
    disconnected: &Notify,
) -> HandlerResult {
    let started = monotonic_now();
    let _on_drop = NotifyOnDrop(disconnected);
    let mut response = pin!(response);
    let answered = tokio::select! {
        answered = &mut response => answered,
        () = peer_closed(request) => {
            disconnected.notify_one();
            response.await
        }
    };
    request.extensions_mut().insert(TimeWaited(started.elapsed()));
    answered
}

/// Completes when the client of a request has closed its connection.
async fn peer_closed(request: &HttpRequest) {
    match request.conn_data::<Rc<ConnectionTimeouts>>() {
        Some(connection) => connection.peer_closed().await,
        None => std::future::pending().await,
    }
}

/// Notifies when it is dropped: a connection that was reset drops its request.
struct NotifyOnDrop<'a>(&'a Notify);

impl Drop for NotifyOnDrop<'_> {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}
