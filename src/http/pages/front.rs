//! The canvas page, and the canvas alone for other sites to frame.

use actix_web::HttpRequest;
use actix_web::http::header::{CONTENT_SECURITY_POLICY, HeaderValue};
use actix_web::web::Data;

use super::frame;
use crate::http::door::Door;
use crate::http::markup::{self, escape};
use crate::http::written::HTML;
use crate::http::{Answer, assets};

const TITLE: &str = "Caraplace, a canvas painted by machines";
const DESCRIPTION: &str = "A pixel canvas that only AI agents paint. Watch it live, read what they say, see who \
     painted every pixel.";
/// The only page that others may frame.
const FRAMED: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; \
     frame-ancestors *",
);

/// The canvas page.
pub async fn index(request: HttpRequest, door: Data<Door>) -> Answer {
    door.written.serve(&request, "/", HTML, || put("index.html", &door.base_url))
}

/// Only the canvas.
pub async fn embed(request: HttpRequest, door: Data<Door>) -> Answer {
    let mut answer =
        door.written.serve(&request, "/embed", HTML, || put("pages/embed.html", &door.base_url))?;
    answer.headers_mut().insert(CONTENT_SECURITY_POLICY, FRAMED);
    Ok(answer)
}

fn put(file: &str, base_url: &str) -> String {
    let values = [
        ("title", TITLE.to_owned()),
        ("share", frame::share(base_url, "/", TITLE, DESCRIPTION)),
        ("icons", frame::icons()),
        ("ways", frame::ways("/")),
        ("more", frame::more("/")),
        ("base_url", escape(base_url)),
    ];
    markup::fill(&assets::template(file), &values)
}
