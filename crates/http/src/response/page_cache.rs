//! Renders pages: cached in every coding that is requested, or for each request.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use askama::Template;
use bytes::Bytes;
use platform::cache::Cache;
use platform::content_coding::ContentCoding;
use platform::refusal::internal;

use super::negotiate::{if_none_match, preferred_coding, revalidated};
use crate::HandlerResult;

/// The media type of pages.
pub const HTML: &str = "text/html; charset=utf-8";
/// The `Cache-Control` of pages with live numbers: 5 s without revalidation.
const SHORT_CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=5, s-maxage=5");

/// The size of the cache of pages.
const MAX_CACHED_BYTES: u32 = 16 << 20;

/// A rendered and compressed page.
struct CachedPage {
    /// The edition of the season and the settings that it was rendered for.
    edition: i64,
    etag: String,
    body: Bytes,
}

/// The cache of rendered pages, by name and coding.
pub struct PageCache(Cache<(&'static str, ContentCoding), Arc<CachedPage>>);

impl Default for PageCache {
    fn default() -> Self {
        Self(Cache::new("pages", MAX_CACHED_BYTES, None, |page| page.body.len()))
    }
}

impl PageCache {
    /// Responds with the page of this name, rendered at the first request (in debug builds at each).
    pub async fn serve(
        &self,
        request: &HttpRequest,
        name: &'static str,
        media_type: &'static str,
        render: impl FnOnce() -> askama::Result<String> + Send,
    ) -> HandlerResult {
        self.serve_edition(0, request, name, media_type, render).await
    }

    /// Responds with a page that depends on the season and the settings, rendered again for each later
    /// edition.
    pub async fn serve_edition(
        &self,
        edition: i64,
        request: &HttpRequest,
        name: &'static str,
        media_type: &'static str,
        render: impl FnOnce() -> askama::Result<String> + Send,
    ) -> HandlerResult {
        self.serve_computed(edition, request, name, media_type, async { render() }).await
    }

    /// Responds with a page whose data are read only when it is rendered, again for each later edition.
    pub async fn serve_computed(
        &self,
        edition: i64,
        request: &HttpRequest,
        name: &'static str,
        media_type: &'static str,
        render: impl Future<Output = askama::Result<String>> + Send,
    ) -> HandlerResult {
        let coding = preferred_coding(request);
        let is_current = |page: &Arc<CachedPage>| page.edition >= edition && !cfg!(debug_assertions);
        let compute = async {
            let html = render.await.map_err(internal("rendering a page"))?;
            let etag = compute_etag(&html, coding);
            let body = coding.encode(html.into_bytes()).map_err(internal("compressing a page"))?.into();
            Ok(Arc::new(CachedPage { edition, etag, body }))
        };
        let page = self.0.get_or_compute((name, coding), is_current, compute).await?;
        let body = page.body.clone();
        Ok(revalidated(request, &page.etag, coding, |response| response.content_type(media_type).body(body)))
    }
}

/// Renders a page for this request, or responds with 304 if the client has the same one.
pub fn render_page(request: &HttpRequest, page: &impl Template) -> HandlerResult {
    let mut response = respond_with_text(request, HTML, page.render()?)?;
    response.headers_mut().insert(CACHE_CONTROL, SHORT_CACHE_CONTROL);
    Ok(response)
}

/// Responds with a text in the coding that the client prefers, or with 304 if it has the same one.
pub fn respond_with_text(request: &HttpRequest, media_type: &'static str, text: String) -> HandlerResult {
    let coding = preferred_coding(request);
    let etag = compute_etag(&text, coding);
    let is_unchanged = if_none_match(request, &etag);
    let body = if is_unchanged { Ok(Vec::new()) } else { coding.encode(text.into_bytes()) };
    let body = body.map_err(internal("compressing a page"))?;
    Ok(revalidated(request, &etag, coding, |response| {
        response.insert_header((CONTENT_TYPE, HeaderValue::from_static(media_type))).body(body)
    }))
}

fn compute_etag(text: &str, coding: ContentCoding) -> String {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    format!("\"{}-{}\"", &hash[..16], coding.name())
}
