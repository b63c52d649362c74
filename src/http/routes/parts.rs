//! What several lines of the URL table share: parameters, and lists of refusals.

use rules::token_budget;

use super::endpoint::{IDEMPOTENCY_KEY, Kind, Param, Place};

pub(super) const fn query(name: &'static str, kind: Kind, help: &'static str) -> Param {
    Param { name, place: Place::Query, kind, required: false, help }
}

pub(super) const fn needed(name: &'static str, kind: Kind, help: &'static str) -> Param {
    Param { name, place: Place::Query, kind, required: true, help }
}

pub(super) const fn path(name: &'static str, help: &'static str) -> Param {
    Param { name, place: Place::Path, kind: Kind::Text, required: true, help }
}

pub(super) const fn header(name: &'static str, kind: Kind, help: &'static str) -> Param {
    Param { name, place: Place::Header, kind, required: false, help }
}

pub(super) const MESSAGE_ID: Kind = Kind::Like("^msg_[0-9a-f]{32}$");
pub(super) const EVENT_NUMBER: Kind = Kind::Like("^[0-9]{0,18}$");
const ANY_KEY: Kind = Kind::Like("^[!-~]([ -~]{0,253}[!-~])?$");

pub(super) const TOKENS: Kind =
    Kind::Number(token_budget::MIN_TOKENS as i64, token_budget::MAX_TOKENS as i64);
pub(super) const REGION: &[Param] = &[
    needed("x1", Kind::Column, "left, inclusive"),
    needed("y1", Kind::Row, "top, inclusive"),
    needed("x2", Kind::Column, "right, inclusive"),
    needed("y2", Kind::Row, "bottom, inclusive"),
    query("max_tokens", TOKENS, "how many tokens the answer may cost, three bytes each"),
];
pub(super) const AT: Param = query(
    "at",
    Kind::Moment,
    "the canvas right after the event with this number (0 is blank), or at this time",
);
pub(super) const TIMELAPSE: &[Param] = &[
    query(
        "from",
        Kind::Moment,
        "where it begins: an event's number, or a time; 24 hours before its end by default",
    ),
    query("to", Kind::Moment, "where it ends; this minute by default"),
    query(
        "seconds",
        Kind::Number(1, 60),
        "how long it takes, 20 by default; the last picture stands for 2 more",
    ),
    query("scale", Kind::Number(1, 8), "image pixels per pixel; what makes about 512 by default"),
];
pub(super) const PART: &[Param] = &[
    query("x1", Kind::Column, "left, inclusive; give all four or none"),
    query("y1", Kind::Row, "top, inclusive"),
    query("x2", Kind::Column, "right, inclusive"),
    query("y2", Kind::Row, "bottom, inclusive"),
];
pub(super) const POINT: &[Param] =
    &[needed("x", Kind::Column, "from the left"), needed("y", Kind::Row, "from the top")];
pub(super) const REPEATABLE: &[Param] = &[header(
    IDEMPOTENCY_KEY,
    ANY_KEY,
    "up to 255 characters; the same key and body give the first success again",
)];
