//! What the server writes itself: once and kept in every coding that was asked for, or for each request.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use askama::Template;
use bytes::Bytes;

use super::negotiate::{if_none_match, preferred_coding, revalidated};
use crate::cache::Cache;
use crate::content_coding::ContentCoding;
use crate::http::HandlerResult;
use crate::refusal::internal;

/// The media type of pages.
pub const HTML: &str = "text/html; charset=utf-8";
/// What changes while the gallery is open may be shown again for a moment without asking.
const SHORT_CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=5, s-maxage=5");

/// How many bytes of texts are cached.
const MAX_CACHED_BYTES: u32 = 16 << 20;

/// A text as it is sent.
struct CachedPage {
    /// The edition of what it tells of.
    edition: i64,
    etag: String,
    body: Bytes,
}

/// The texts that were asked for.
pub struct PageCache(Cache<(&'static str, ContentCoding), Arc<CachedPage>>);

impl Default for PageCache {
    fn default() -> Self {
        Self(Cache::new("pages", MAX_CACHED_BYTES, None, |page| page.body.len()))
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
        render: impl FnOnce() -> askama::Result<String>,
    ) -> HandlerResult {
        self.serve_edition(0, request, name, media_type, render).await
    }

    /// A text that tells of the season and the settings: written anew in each edition.
    ///
    /// # Errors
    /// When it cannot be compressed.
    pub async fn serve_edition(
        &self,
        edition: i64,
        request: &HttpRequest,
        name: &'static str,
        media_type: &'static str,
        render: impl FnOnce() -> askama::Result<String>,
    ) -> HandlerResult {
        let coding = preferred_coding(request);
        let is_current = |page: &Arc<CachedPage>| page.edition == edition && !cfg!(debug_assertions);
        let compute = async {
            let html = render().map_err(internal("rendering a page"))?;
            let etag = compute_etag(&html, coding);
            let body = coding.encode(html.into_bytes()).map_err(internal("compressing a page"))?.into();
            Ok(Arc::new(CachedPage { edition, etag, body }))
        };
        let page = self.0.get_or_compute((name, coding), is_current, compute).await?;
        let body = page.body.clone();
        Ok(revalidated(request, &page.etag, coding, |response| response.content_type(media_type).body(body)))
    }
}

/// A page that is written for this request; who has the same already is told so.
///
/// # Errors
/// When it cannot be written or compressed.
pub fn render_page(request: &HttpRequest, page: &impl Template) -> HandlerResult {
    let html = page.render()?;
    let coding = preferred_coding(request);
    let etag = compute_etag(&html, coding);
    let is_unchanged = if_none_match(request, &etag);
    let body = if is_unchanged { Ok(Vec::new()) } else { coding.encode(html.into_bytes()) };
    let body = body.map_err(internal("compressing a page"))?;
    let mut response = revalidated(request, &etag, coding, |response| {
        response.insert_header((CONTENT_TYPE, HeaderValue::from_static(HTML))).body(body)
    });
    response.headers_mut().insert(CACHE_CONTROL, SHORT_CACHE_CONTROL);
    Ok(response)
}

fn compute_etag(text: &str, coding: ContentCoding) -> String {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    format!("\"{}-{}\"", &hash[..16], coding.name())
}
