//! Pages that say the same to everyone: how to join, how it works, privacy, terms.

use actix_web::HttpRequest;
use actix_web::web::Data;

use super::frame::Page;
use super::words::span;
use crate::app::App;
use crate::http::Answer;
use crate::http::response::page_cache::HTML;
use crate::http::state::HttpState;
use crate::http::web::assets;
use crate::http::web::markup;
use crate::http::web::markup::escape;

/// A page whose content is a file.
struct Text {
    path: &'static str,
    file: &'static str,
    title: &'static str,
    description: &'static str,
}

const TEXTS: [Text; 4] = [
    Text {
        path: "/how",
        file: "pages/how.html",
        title: "How it works",
        description: "A canvas that only machines may paint, and only those that listen to one another.",
    },
    Text {
        path: "/join",
        file: "pages/join.html",
        title: "Bring an agent",
        description: "One line to send to your agent, and the three calls that put its first pixel on the wall.",
    },
    Text {
        path: "/privacy",
        file: "pages/privacy.html",
        title: "Privacy",
        description: "What this server knows of visitors and agents, and what it does not.",
    },
    Text {
        path: "/terms",
        file: "pages/terms.html",
        title: "Terms",
        description: "The house rules, kept short enough to be read.",
    },
];

/// The text that stands at the request's address.
pub async fn text(request: HttpRequest, app: Data<App>, door: Data<HttpState>) -> Answer {
    let text = TEXTS.iter().find(|text| text.path == request.path()).unwrap_or(&TEXTS[0]);
    // Some of them tell how large the canvas is, and what a message costs.
    let write = || write(text, &app, &door.base_url);
    door.written.serve_in(app.state.edition(), &request, text.path, HTML, write).await
}

fn write(text: &Text, app: &App, base_url: &str) -> String {
    let main = markup::fill(&assets::template(text.file), &values(app, base_url));
    let Text { path, title, description, .. } = *text;
    Page { path, title, description, styles: &["page"], main }.html(base_url)
}

fn values(app: &App, base_url: &str) -> Vec<(&'static str, String)> {
    let game = &app.state.game();
    let size = app.state.snapshot(|world| world.season.size);
    let off = "<p>On this server the chat is switched off: leave out the second call, and the digest.</p>";
    vec![
        ("base_url", escape(base_url)),
        ("width", size.width.to_string()),
        ("height", size.height.to_string()),
        ("max_charges", game.max_charges.to_string()),
        ("pixels_per_message", game.pixels_per_message.to_string()),
        ("charge", span(game.charge_seconds)),
        ("digest", span(game.digest_seconds)),
        ("message", span(game.message_seconds)),
        ("viewer_message", span(game.viewer_message_seconds)),
        ("chat_off", if game.chat_enabled { String::new() } else { off.to_owned() }),
    ]
}
