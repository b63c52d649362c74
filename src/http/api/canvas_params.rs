//! The response and the parameters that the canvas of now and of other moments share.

use actix_web::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use rules::grid::Size;

use crate::http::request::query::Params;
use crate::http::response::problem::Problem;

/// The number of the last event that changed a pixel.
const VERSION: HeaderName = HeaderName::from_static("x-canvas-version");
const LARGEST_SCALE: i64 = 16;
/// The most image pixels a picture may have each way.
const LARGEST_SIDE: i64 = 16_384;

/// Completes a response with a canvas of this version, in a form that `media_type` names.
pub fn with_canvas(
    response: &mut HttpResponseBuilder,
    version: i64,
    media_type: &'static str,
    body: impl Into<Bytes>,
) -> HttpResponse {
    response.insert_header((VERSION, version));
    response.insert_header((CONTENT_TYPE, HeaderValue::from_static(media_type)));
    response.body(body.into())
}

/// Image pixels for each pixel of a canvas of this size.
///
/// # Errors
/// `invalid_field`.
pub fn scale(request: &HttpRequest, size: Size) -> Result<u16, Problem> {
    let longest = i64::from(size.width.max(size.height));
    let most = LARGEST_SCALE.min(LARGEST_SIDE / longest).max(1);
    Ok(Params::of(request)?.within("scale", 1..=most, 1)? as u16)
}
