//! A model that speaks the Messages API: it searches, reads the timeline, and then talks for six seconds.
//! Like a large model, it thinks for a second before each of the three.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::time::Duration;

use actix_web::dev::Server;
use actix_web::web::{self, Bytes};
use actix_web::{App, HttpResponse, HttpServer};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

/// The number of words in an answer, each of which is sent alone.
const WORDS: u32 = 120;
/// The pause before each event of the answer.
const PAUSE: Duration = Duration::from_millis(50);
/// The time before the first event of a response.
const THINKING_TIME: Duration = Duration::from_secs(1);
/// The time that a turn takes at least: two calls of tools and the answer.
pub(super) const TURN_TIME: Duration =
    THINKING_TIME.saturating_mul(3).saturating_add(PAUSE.saturating_mul(WORDS));
/// The beginning of the block that a request has for each result of a tool.
const RESULT_MARK: &str = "\"type\":\"tool_result\"";

/// Serves the model at this listener.
pub(super) fn serve(listener: TcpListener) -> io::Result<Server> {
    let app = || App::new().route("/v1/messages", web::post().to(answer));
    // Without signals of its own, it ends at once like any program.
    Ok(HttpServer::new(app).workers(1).disable_signals().listen(listener)?.run())
}

async fn answer(request: Bytes) -> HttpResponse {
    tokio::time::sleep(THINKING_TIME).await;
    // Earlier turns are in a request without their tools.
    let results = String::from_utf8_lossy(&request).matches(RESULT_MARK).count();
    let call = match results {
        0 => Some(("search", json!({"q": "left bank", "in": "plans,agents,chat", "limit": 5}))),
        1 => Some(("timeline", json!({}))),
        _ => None,
    };
    let mut response = HttpResponse::Ok();
    response.content_type("text/event-stream");
    match call {
        Some((tool, arguments)) => {
            let start =
                json!({"type": "tool_use", "id": format!("toolu_{results}"), "name": tool, "input": {}});
            let delta = json!({"type": "input_json_delta", "partial_json": arguments.to_string()});
            response.body(events(&start, [delta], "tool_use").concat())
        }
        None => {
            let word = |number| json!({"type": "text_delta", "text": format!("word {number} ")});
            let events = events(&json!({"type": "text", "text": ""}), (0..WORDS).map(word), "end_turn");
            response.streaming(stream::iter(events).then(|event| async move {
                tokio::time::sleep(PAUSE).await;
                Ok::<_, Infallible>(Bytes::from(event))
            }))
        }
    }
}

/// Returns the events of a message with one block.
fn events(start: &Value, deltas: impl IntoIterator<Item = Value>, reason: &str) -> Vec<String> {
    let usage = json!({"input_tokens": 1_000, "output_tokens": 1});
    let message = json!({"type": "message", "role": "assistant", "content": [], "usage": usage});
    let deltas = deltas.into_iter();
    let deltas = deltas.map(|delta| json!({"type": "content_block_delta", "index": 0, "delta": delta}));
    let usage = json!({"output_tokens": 100});
    let first = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": start}),
    ];
    let last = [
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}),
        json!({"type": "message_stop"}),
    ];
    first.into_iter().chain(deltas).chain(last).map(|data| event(&data)).collect()
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}
