//! The response headers and parameters that the current and the past canvas share.

use actix_web::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use rules::grid::Size;

use crate::http::request::query::QueryParams;
use crate::http::response::problem::Problem;

/// The header with the number of the last event that changed a pixel.
const CANVAS_VERSION_HEADER: HeaderName = HeaderName::from_static("x-canvas-version");
const MAX_SCALE: i64 = 16;
/// The largest width and height of an image, in image pixels.
const MAX_SIDE_PIXELS: i64 = 16_384;

/// Completes a response with a canvas of this version and media type.
pub fn canvas_response(
    response: &mut HttpResponseBuilder,
    version: i64,
    media_type: &'static str,
    body: impl Into<Bytes>,
) -> HttpResponse {
    response.insert_header((CANVAS_VERSION_HEADER, version));
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
