//! What the server writes itself: once and kept in every coding that was asked for, or for each request.

use std::collections::HashMap;

use actix_web::HttpRequest;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use bytes::Bytes;
use parking_lot::Mutex;

use super::negotiate::{cached, coding, has};
use crate::coding::Coding;
use crate::http::Answer;
use crate::refusal::Refusal;

/// The media type of pages.
pub const HTML: &str = "text/html; charset=utf-8";
/// What changes while the gallery is open may be shown again for a moment without asking.
const A_MOMENT: HeaderValue = HeaderValue::from_static("public, max-age=5, s-maxage=5");

/// A text's entity tag and its body.
type Page = (String, Bytes);

/// What a text is kept by.
type Key = (&'static str, Coding);

/// The texts that were asked for, each with the edition of what it tells of.
#[derive(Default)]
pub struct Written {
    kept: Mutex<HashMap<Key, (i64, Page)>>,
}

impl Written {
    /// A text by its name, written at the first request; while developing, at each.
    ///
    /// # Errors
    /// When it cannot be compressed.
    pub fn serve(
        &self,
        request: &HttpRequest,
        name: &'static str,
        media_type: &'static str,
        write: impl FnOnce() -> String,
    ) -> Answer {
        self.serve_in(0, request, name, media_type, write)
    }

    /// A text that tells of the season and the settings: written anew in each edition.
    ///
    /// # Errors
    /// When it cannot be compressed.
    pub fn serve_in(
        &self,
        edition: i64,
        request: &HttpRequest,
        name: &'static str,
        media_type: &'static str,
        write: impl FnOnce() -> String,
    ) -> Answer {
        let coding = coding(request);
        let (etag, body) = self.page(edition, name, coding, write).map_err(|_| Refusal::Overloaded)?;
        Ok(cached(request, &etag, coding, |response| response.content_type(media_type).body(body)))
    }

    fn page(
        &self,
        edition: i64,
        name: &'static str,
        coding: Coding,
        write: impl FnOnce() -> String,
    ) -> std::io::Result<Page> {
        if let Some((written_in, page)) = self.kept.lock().get(&(name, coding))
            && *written_in == edition
            && !cfg!(debug_assertions)
        {
            return Ok(page.clone());
        }
        let html = write();
        let page = (tag(&html, coding), Bytes::from(coding.encode(html.into_bytes())?));
        self.kept.lock().insert((name, coding), (edition, page.clone()));
        Ok(page)
    }
}

/// A page that was written for this request; who has the same already is told so.
///
/// # Errors
/// When it cannot be compressed.
pub fn sent(request: &HttpRequest, html: String) -> Answer {
    let coding = coding(request);
    let etag = tag(&html, coding);
    let known = has(request, &etag);
    let body = if known { Ok(Vec::new()) } else { coding.encode(html.into_bytes()) };
    let body = body.map_err(|_| Refusal::Overloaded)?;
    let mut answer = cached(request, &etag, coding, |response| {
        response.insert_header((CONTENT_TYPE, HeaderValue::from_static(HTML))).body(body)
    });
    answer.headers_mut().insert(CACHE_CONTROL, A_MOMENT);
    Ok(answer)
}

fn tag(text: &str, coding: Coding) -> String {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    format!("\"{}-{}\"", &hash[..16], coding.name())
}
