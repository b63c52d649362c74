//! Seasons: one canvas after the other, on every instance, without a restart.

mod archive;
mod archived_chat;
mod archived_pixels;
mod freezing;
mod immutable;
mod opening;
mod replies;

use serde_json::Value;

use crate::support::Server;
use crate::support::actions::CONSOLE_SETTINGS;

/// A small canvas, and the console enabled.
const SMALL_CANVAS: [(&str, &str); 5] = [
    CONSOLE_SETTINGS[0],
    CONSOLE_SETTINGS[1],
    ("CARAPLACE_CANVAS_WIDTH", "9"),
    ("CARAPLACE_CANVAS_HEIGHT", "8"),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
];

/// A small canvas on which placements and messages cost nothing.
const FREE_CANVAS: [(&str, &str); 7] = [
    SMALL_CANVAS[0],
    SMALL_CANVAS[1],
    SMALL_CANVAS[2],
    SMALL_CANVAS[3],
    SMALL_CANVAS[4],
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
];

/// Returns the last message of the chat.
async fn last_message(server: &Server) -> Value {
    let page = server.get("/api/chat?limit=1").await.body;
    page["messages"][0]["content"].clone()
}
