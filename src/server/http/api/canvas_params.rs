//! The response headers and parameters that the current and the past canvas share.

use std::fmt::Write as _;

use actix_web::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use rules::grid::{Rect, Size};
use rules::numbers::Seq;
use rules::token_budget::TokenBudget;

use crate::canvas::formats::{CanvasRegion, RegionOptions, format_span};
use crate::canvas::region_summary::summarize_region_as;
use crate::canvas::visual_grid::Grid;
use crate::server::http::request::query::QueryParams;
use crate::server::http::response::problem::Problem;

/// The header with the number of the last event that changed a pixel.
const CANVAS_VERSION_HEADER: HeaderName = HeaderName::from_static("x-canvas-version");
const MAX_SCALE: i64 = 16;
/// The largest width and height of an image, in image pixels.
const MAX_SIDE_PIXELS: i64 = 16_384;

/// Completes a response with a canvas of this version and media type.
pub fn canvas_response(
    response: &mut HttpResponseBuilder,
    version: Seq,
    media_type: &'static str,
    body: impl Into<Bytes>,
) -> HttpResponse {
    response.insert_header((CANVAS_VERSION_HEADER, version.0));
    response.insert_header((CONTENT_TYPE, HeaderValue::from_static(media_type)));
    response.body(body.into())
}

/// Parses the scale: image pixels per pixel of a canvas of this size, 1 by default.
///
/// # Errors
/// `invalid_field` if it is not a number in range.
pub fn scale(request: &HttpRequest, size: Size) -> Result<u16, Problem> {
    let longest = i64::from(size.width.max(size.height));
    let max = MAX_SCALE.min(MAX_SIDE_PIXELS / longest).max(1);
    Ok(QueryParams::from_request(request)?.number_in_range("scale", 1..=max, 1)? as u16)
}

/// The parameters of a region as JSON.
#[derive(Clone, Copy, Debug)]
pub struct RegionQuery {
    pub rect: Rect,
    options: RegionOptions,
    /// The largest size of the response, in tokens.
    max_tokens: Option<usize>,
}

impl RegionQuery {
    /// Parses the query, on a canvas of this size.
    ///
    /// # Errors
    /// `missing_field`, `invalid_field` or `out_of_bounds`.
    pub fn from_request(request: &HttpRequest, size: Size) -> Result<Self, Problem> {
        let params = QueryParams::from_request(request)?;
        let options = RegionOptions { labels: params.flag("labels")?, palette: wants_palette(request)? };
        Ok(Self { rect: params.rect(size)?, options, max_tokens: params.max_tokens()? })
    }

    /// Returns the part of an entity tag that keeps different queries apart.
    pub fn etag_part(&self) -> String {
        let mut part = format!("region-{}", format_span(self.rect));
        if let Some(tokens) = self.max_tokens {
            let _ = write!(part, "-{tokens}");
        }
        part.push_str(if self.options.labels { "-labels" } else { "" });
        part.push_str(if self.options.palette { "" } else { "-rows" });
        part
    }

    /// Encodes a region as JSON.
    ///
    /// # Errors
    /// Returns an error if the region cannot be encoded.
    pub fn encode(&self, region: &CanvasRegion) -> serde_json::Result<Vec<u8>> {
        match self.max_tokens {
            Some(tokens) => {
                let budget = TokenBudget::from_tokens(tokens);
                serde_json::to_vec(&summarize_region_as(region, self.options, budget))
            }
            None => serde_json::to_vec(&region.to_json(self.options)),
        }
    }
}

/// Parses `palette`; true by default.
///
/// # Errors
/// `invalid_field` if it is neither `true` nor `false`.
pub fn wants_palette(request: &HttpRequest) -> Result<bool, Problem> {
    // Most requests have no query.
    if request.query_string().is_empty() {
        return Ok(true);
    }
    let choices = [("true", true), ("false", false)];
    Ok(QueryParams::from_request(request)?.choice("palette", &choices)?.unwrap_or(true))
}

/// Parses the region and the grid of a picture for vision models.
///
/// # Errors
/// `missing_field`, `invalid_field` or `out_of_bounds`.
pub fn visual(request: &HttpRequest, size: Size) -> Result<(Rect, Grid), Problem> {
    let params = QueryParams::from_request(request)?;
    let grids = [Grid::Off, Grid::Light, Grid::On].map(|grid| (grid.name(), grid));
    Ok((params.rect_or_whole(size)?, params.choice("grid", &grids)?.unwrap_or_default()))
}
