//! Pages that the server writes once, kept in every coding that was asked for.

use std::collections::HashMap;

use actix_web::HttpRequest;
use bytes::Bytes;
use parking_lot::Mutex;

use super::Answer;
use super::negotiate::{cached, coding};
use crate::coding::Coding;
use crate::refusal::Refusal;

/// A page's entity tag and its body.
type Page = (String, Bytes);

/// The pages that were asked for.
#[derive(Default)]
pub struct Written {
    kept: Mutex<HashMap<(&'static str, Coding), Page>>,
}

impl Written {
    /// A page by its name, written at the first request.
    ///
    /// # Errors
    /// When it cannot be compressed.
    pub fn serve(&self, request: &HttpRequest, name: &'static str, write: impl FnOnce() -> String) -> Answer {
        let coding = coding(request);
        let (etag, body) = self.page(name, coding, write).map_err(|_| Refusal::Overloaded)?;
        Ok(cached(request, &etag, coding, |response| {
            response.content_type("text/html; charset=utf-8").body(body)
        }))
    }

    fn page(
        &self,
        name: &'static str,
        coding: Coding,
        write: impl FnOnce() -> String,
    ) -> std::io::Result<Page> {
        if let Some(page) = self.kept.lock().get(&(name, coding)) {
            return Ok(page.clone());
        }
        let html = write();
        let hash = blake3::hash(html.as_bytes()).to_hex();
        let page = (
            format!("\"{}-{}\"", &hash[..16], coding.name()),
            Bytes::from(coding.encode(html.into_bytes())?),
        );
        self.kept.lock().insert((name, coding), page.clone());
        Ok(page)
    }
}
