//! The response headers and parameters that the current and the past canvas share.

use std::fmt::Write as _;

use actix_web::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use caraplace_canvas::formats::{CanvasRegion, RegionOptions, format_span};
use caraplace_canvas::region_summary::summarize_region_as;
use caraplace_canvas::visual_grid::Grid;
use rules::grid::{Rect, Size};
use rules::numbers::Seq;
use rules::token_budget::{self, TokenBudget};

use crate::request::query::QueryParams;
use crate::request::query_param::{
    ChoiceParam, NumberParam, OptionalNumberParam, PointInTimeParam, choice, corners, flag, number,
    point_in_time,
};
use crate::response::problem::Problem;
use crate::route::endpoint::Param;

/// The header with the number of the last event that changed a pixel.
const CANVAS_VERSION_HEADER: HeaderName = HeaderName::from_static("x-canvas-version");
const MAX_SCALE: i64 = 16;
/// The largest width and height of an image, in image pixels.
const MAX_SIDE_PIXELS: i64 = 16_384;

/// The point in time of the canvas.
pub const AT: PointInTimeParam = point_in_time(
    "at",
    "the canvas right after the event with this number (0 is the blank canvas), or at this time",
);
const PALETTE: ChoiceParam<bool> = flag("palette", true, "false: without the palette; {default} by default");
/// The scale of an image.
pub const SCALE: NumberParam =
    number("scale", 1..=MAX_SCALE, "image pixels per pixel, {default} by default").with_default(1);
const LABELS: ChoiceParam<bool> =
    flag("labels", false, "true: each row begins with its y, below a ruler of the x; {default} by default");
const GRID: ChoiceParam<Grid> = choice(
    "grid",
    &[Grid::Off.name(), Grid::Light.name(), Grid::On.name()],
    &[Grid::Off, Grid::Light, Grid::On],
    "lines between pixels: none, in a shade of the pixels beside them, or black and white; {default} by \
     default",
)
.with_default(Grid::Light.name());
const MAX_TOKENS: OptionalNumberParam =
    max_tokens("the largest size of the response in tokens, three bytes each");
const REQUIRED_CORNERS: [Param; 4] = corners("left, inclusive");
const OPTIONAL_CORNERS: [Param; 4] = corners("left, inclusive; send all four coordinates or none");

/// The parameters of the canvas as JSON.
pub const JSON_PARAMS: &[Param] = &[AT.param, PALETTE.param];
/// The parameters of the canvas as a PNG.
pub const PNG_PARAMS: &[Param] = &[SCALE.param, AT.param];
/// The parameters of a region as JSON.
pub const REGION_PARAMS: &[Param] = &[
    REQUIRED_CORNERS[0].required(),
    REQUIRED_CORNERS[1].required(),
    REQUIRED_CORNERS[2].required(),
    REQUIRED_CORNERS[3].required(),
    MAX_TOKENS.param,
    LABELS.param,
    PALETTE.param,
    AT.param,
];
/// The parameters of a picture for vision models.
pub const VISUAL_PARAMS: &[Param] = &[
    OPTIONAL_CORNERS[0],
    OPTIONAL_CORNERS[1],
    OPTIONAL_CORNERS[2],
    OPTIONAL_CORNERS[3],
    GRID.param,
    AT.param,
];

/// Returns the parameter for the largest size of a response.
pub const fn max_tokens(help: &'static str) -> OptionalNumberParam {
    number("max_tokens", token_budget::MIN_TOKENS as i64..=token_budget::MAX_TOKENS as i64, help)
}

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
    Ok(SCALE.read_up_to(&QueryParams::from_request(request)?, max)? as u16)
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
        let options = RegionOptions { labels: LABELS.read(&params)?, palette: PALETTE.read(&params)? };
        let rect = params.rect(size)?;
        let max_tokens = MAX_TOKENS.read(&params)?.map(|tokens| tokens as usize);
        Ok(Self { rect, options, max_tokens })
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
    PALETTE.read(&QueryParams::from_request(request)?)
}

/// Parses the region and the grid of a picture for vision models.
///
/// # Errors
/// `missing_field`, `invalid_field` or `out_of_bounds`.
pub fn visual(request: &HttpRequest, size: Size) -> Result<(Rect, Grid), Problem> {
    let params = QueryParams::from_request(request)?;
    Ok((params.rect_or_whole(size)?, GRID.read(&params)?))
}
