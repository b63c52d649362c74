//! What the server writes itself: once and kept in every coding that was asked for, or for each request.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use askama::Template;
use bytes::Bytes;

use super::negotiate::{cached, coding, has};
use crate::cache::Cache;
use crate::coding::Coding;
use crate::http::Answer;
use crate::refusal::internal;

/// The media type of pages.
pub const HTML: &str = "text/html; charset=utf-8";
/// What changes while the gallery is open may be shown again for a moment without asking.
const A_MOMENT: HeaderValue = HeaderValue::from_static("public, max-age=5, s-maxage=5");

/// How many bytes of texts are cached.
const MAX_BYTES: u32 = 16 << 20;

/// A text as it is sent.
struct Page {
    /// The edition of what it tells of.
    edition: i64,
    tag: String,
    body: Bytes,
}

/// The texts that were asked for.
pub struct PageCache(Cache<(&'static str, Coding), Arc<Page>>);

impl Default for PageCache {
    fn default() -> Self {
        Self(Cache::new("pages", MAX_BYTES, None, |page| page.body.len()))
    }
}

impl PageCache {
    /// A text by its name, written at the first request; while developing, at each.
    ///
    /// # Errors
    /// When it cannot be compressed.
    pub async fn serve(
        &self,
        request: &HttpRequest,
        name: &'static str,
        media_type: &'static str,
        write: impl FnOnce() -> askama::Result<String>,
    ) -> Answer {
        self.serve_in(0, request, name, media_type, write).await
    }

    /// A text that tells of the season and the settings: written anew in each edition.
    ///
    /// # Errors
    /// When it cannot be compressed.
    pub async fn serve_in(
        &self,
        edition: i64,
        request: &HttpRequest,
        name: &'static str,
        media_type: &'static str,
        write: impl FnOnce() -> askama::Result<String>,
    ) -> Answer {
        let coding = coding(request);
        let is_current = |page: &Arc<Page>| page.edition == edition && !cfg!(debug_assertions);
        let compute = async {
            let html = write().map_err(internal("rendering a page"))?;
            let tag = tag(&html, coding);
            let body = coding.encode(html.into_bytes()).map_err(internal("compressing a page"))?.into();
            Ok(Arc::new(Page { edition, tag, body }))
        };
        let page = self.0.get_or_compute((name, coding), is_current, compute).await?;
        let body = page.body.clone();
        Ok(cached(request, &page.tag, coding, |response| response.content_type(media_type).body(body)))
    }
}

/// A page that is written for this request; who has the same already is told so.
///
/// # Errors
/// When it cannot be written or compressed.
pub fn sent(request: &HttpRequest, page: &impl Template) -> Answer {
    let html = page.render()?;
    let coding = coding(request);
    let etag = tag(&html, coding);
    let known = has(request, &etag);
    let body = if known { Ok(Vec::new()) } else { coding.encode(html.into_bytes()) };
    let body = body.map_err(internal("compressing a page"))?;
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
