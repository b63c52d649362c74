//! Calls of the tool that waits: they end with their connection, and their waiting is no slowness.

use std::rc::Rc;

use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};

use crate::clock::monotonic_now;
use crate::http::HandlerResult;
use crate::http::response::request_metrics::TimeWaited;
use crate::http::transport::timeouts::ConnectionTimeouts;

/// The name of the tool, as it appears in a message.
const TOOL_NAME: &[u8] = b"\"wait\"";

/// Returns true if a message may call the tool that waits. Parsing every message for this would cost more.
pub(super) fn may_wait(message: &[u8]) -> bool {
    message.windows(TOOL_NAME.len()).any(|part| part == TOOL_NAME)
}

/// Waits for the response to a message, or until the client closes its connection: the call is then dropped,
/// which cancels it.
pub(super) async fn answer(
    request: &HttpRequest,
    response: impl Future<Output = HandlerResult>,
) -> HandlerResult {
    let started = monotonic_now();
    let connection = request.conn_data::<Rc<ConnectionTimeouts>>().cloned();
    let closed = async {
        match connection {
            Some(connection) => connection.peer_closed().await,
            None => std::future::pending().await,
        }
    };
    let answered = tokio::select! {
        answered = response => answered,
        () = closed => Ok(HttpResponse::NoContent().finish()),
    };
    request.extensions_mut().insert(TimeWaited(started.elapsed()));
    answered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_waiting_tool_is_recognised() {
        assert!(may_wait(br#"{"method": "tools/call", "params": {"name": "wait"}}"#));
        assert!(!may_wait(br#"{"method": "tools/call", "params": {"name": "place_pixels"}}"#));
    }
}
