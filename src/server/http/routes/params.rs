//! Parameters that several rows of the route table share.

use rules::token_budget;

use super::endpoint::{IDEMPOTENCY_KEY_HEADER, Param, ParamKind, ParamLocation};

/// Returns an optional query parameter.
pub(super) const fn query(name: &'static str, kind: ParamKind, help: &'static str) -> Param {
    Param { name, location: ParamLocation::Query, kind, required: false, help }
}

/// Returns a required query parameter.
pub(super) const fn required_query(name: &'static str, kind: ParamKind, help: &'static str) -> Param {
    Param { name, location: ParamLocation::Query, kind, required: true, help }
}

/// Returns a path parameter.
pub(super) const fn path(name: &'static str, help: &'static str) -> Param {
    Param { name, location: ParamLocation::Path, kind: ParamKind::Text, required: true, help }
}

/// Returns an optional header.
pub(super) const fn header(name: &'static str, kind: ParamKind, help: &'static str) -> Param {
    Param { name, location: ParamLocation::Header, kind, required: false, help }
}

/// The type of a message's id.
pub(super) const MESSAGE_ID_PATTERN: ParamKind = ParamKind::Pattern("^msg_[0-9a-f]{32}$");
/// The type of an event's number in a header.
pub(super) const EVENT_NUMBER_PATTERN: ParamKind = ParamKind::Pattern("^0*[0-9]{0,18}$");
/// The type of a plan's id.
pub(super) const PLAN_ID_PATTERN: ParamKind = ParamKind::Pattern("^plan_[0-9a-f]{32}$");
/// The type of a crew's id.
pub(super) const CREW_ID_PATTERN: ParamKind = ParamKind::Pattern("^crew_[0-9a-f]{32}$");
const IDEMPOTENCY_KEY_PATTERN: ParamKind = ParamKind::Pattern("^[!-~]([ -~]{0,253}[!-~])?$");

/// The type of a number of tokens.
pub(super) const TOKEN_BUDGET_RANGE: ParamKind =
    ParamKind::Number(token_budget::MIN_TOKENS as i64, token_budget::MAX_TOKENS as i64);
/// The parameters of a required region, with those of its format.
pub(super) const REGION_PARAMS: &[Param] = &[
    required_query("x1", ParamKind::Column, "left, inclusive"),
    required_query("y1", ParamKind::Row, "top, inclusive"),
    required_query("x2", ParamKind::Column, "right, inclusive"),
    required_query("y2", ParamKind::Row, "bottom, inclusive"),
    query("max_tokens", TOKEN_BUDGET_RANGE, "the largest size of the response in tokens, three bytes each"),
    query(
        "labels",
        ParamKind::OneOf(&["true", "false"]),
        "true: each row begins with its y, below a ruler of the x; false by default",
    ),
    PALETTE_PARAM,
    AT_PARAM,
];
/// The parameter for a point in time of the canvas.
pub(super) const AT_PARAM: Param = query(
    "at",
    ParamKind::PointInTime,
    "the canvas right after the event with this number (0 is the blank canvas), or at this time",
);
/// The parameter for a season.
pub(super) const SEASON_PARAM: Param = query(
    "season",
    ParamKind::Number(1, 1_000_000),
    "the number of a season, running or ended; by default the present one",
);
/// The parameter that leaves out the palette.
pub(super) const PALETTE_PARAM: Param =
    query("palette", ParamKind::OneOf(&["true", "false"]), "false: without the palette; true by default");
/// The parameters of a timelapse.
pub(super) const TIMELAPSE_PARAMS: &[Param] = &[
    query(
        "from",
        ParamKind::PointInTime,
        "the start: an event's number, or a time; 24 hours before the end by default",
    ),
    query("to", ParamKind::PointInTime, "the end: an event's number, or a time; this minute by default"),
    query(
        "seconds",
        ParamKind::Number(1, 60),
        "the length in seconds, 20 by default; the last frame stays for 2 more",
    ),
    query("scale", ParamKind::Number(1, 8), "image pixels per pixel; chosen for about 512 by default"),
];
/// The parameters of a picture for vision models.
pub(super) const VISUAL_PARAMS: &[Param] = &[
    query("x1", ParamKind::Column, "left, inclusive; send all four coordinates or none"),
    query("y1", ParamKind::Row, "top, inclusive"),
    query("x2", ParamKind::Column, "right, inclusive"),
    query("y2", ParamKind::Row, "bottom, inclusive"),
    query(
        "grid",
        ParamKind::OneOf(&["off", "light", "on"]),
        "lines between pixels: none, in a shade of the pixels beside them, or black and white; light by \
         default",
    ),
    AT_PARAM,
];
/// The parameters of a point.
pub(super) const POINT_PARAMS: &[Param] = &[
    required_query("x", ParamKind::Column, "from the left"),
    required_query("y", ParamKind::Row, "from the top"),
    SEASON_PARAM,
];
/// The parameters of a route that supports idempotency keys.
pub(super) const IDEMPOTENCY_PARAMS: &[Param] = &[IDEMPOTENCY_PARAM];
/// The header with an idempotency key.
pub(super) const IDEMPOTENCY_PARAM: Param = header(
    IDEMPOTENCY_KEY_HEADER,
    IDEMPOTENCY_KEY_PATTERN,
    "up to 255 characters; repeating a request with the same key and body returns its first success",
);
