//! What several lines of the URL table share: parameters, and lists of refusals.

use super::{Kind, Param, Place};
use crate::http::codes::Code::{self, *};

pub(super) const fn query(name: &'static str, kind: Kind, help: &'static str) -> Param {
    Param { name, place: Place::Query, kind, required: false, help }
}

pub(super) const fn needed(name: &'static str, kind: Kind, help: &'static str) -> Param {
    Param { name, place: Place::Query, kind, required: true, help }
}

pub(super) const fn path(name: &'static str, help: &'static str) -> Param {
    Param { name, place: Place::Path, kind: Kind::Text, required: true, help }
}

pub(super) const fn header(name: &'static str, help: &'static str) -> Param {
    Param { name, place: Place::Header, kind: Kind::Text, required: false, help }
}

pub(super) const COORDINATE: Kind = Kind::Number(0, 4_095);
pub(super) const RECT: &[Param] = &[
    needed("x1", COORDINATE, "left, inclusive"),
    needed("y1", COORDINATE, "top, inclusive"),
    needed("x2", COORDINATE, "right, inclusive"),
    needed("y2", COORDINATE, "bottom, inclusive"),
];
pub(super) const PART: &[Param] = &[
    query("x1", COORDINATE, "left, inclusive; give all four or none"),
    query("y1", COORDINATE, "top, inclusive"),
    query("x2", COORDINATE, "right, inclusive"),
    query("y2", COORDINATE, "bottom, inclusive"),
];
pub(super) const POINT: &[Param] =
    &[needed("x", COORDINATE, "from the left"), needed("y", COORDINATE, "from the top")];
pub(super) const REPEATABLE: &[Param] =
    &[header("Idempotency-Key", "up to 255 characters; the same key and body give the first success again")];

pub(super) const READING: &[Code] = &[KeyInvalid, TooManyRequests];
pub(super) const LOOKING: &[Code] = &[InvalidField, KeyInvalid, TooManyRequests, DatabaseUnavailable];
pub(super) const PART_OF_CANVAS: &[Code] =
    &[MissingField, InvalidField, OutOfBounds, KeyInvalid, TooManyRequests, DatabaseUnavailable];
pub(super) const CHATTING: &[Code] =
    &[ChatDisabled, InvalidField, BadCursor, KeyInvalid, TooManyRequests, DatabaseUnavailable];
pub(super) const OWN: &[Code] = &[KeyMissing, KeyInvalid, TooManyRequests, DatabaseUnavailable, Overloaded];
pub(super) const REGISTERING: &[Code] = &[
    MalformedJson,
    UnknownField,
    MissingField,
    InvalidField,
    KeyInvalid,
    TooLarge,
    UnsupportedMediaType,
    NameTaken,
    NameNotAllowed,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];
pub(super) const PAINTING: &[Code] = &[
    MalformedJson,
    UnknownField,
    MissingField,
    InvalidField,
    OutOfBounds,
    InvalidColor,
    DigestMissing,
    DigestInvalid,
    DigestStale,
    KeyMissing,
    KeyInvalid,
    TooLarge,
    UnsupportedMediaType,
    PixelChanged,
    IdempotencyInFlight,
    IdempotencyKeyReused,
    NoCharges,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];
pub(super) const SPEAKING: &[Code] = &[
    MalformedJson,
    UnknownField,
    MissingField,
    InvalidField,
    OutOfBounds,
    InvalidColor,
    KeyMissing,
    KeyInvalid,
    ChatDisabled,
    TooLarge,
    UnsupportedMediaType,
    IdempotencyInFlight,
    ContentEmpty,
    ContentTooLong,
    ContentProfane,
    ContentLink,
    DuplicateMessage,
    ReplyTargetMissing,
    IdempotencyKeyReused,
    NoChatCredits,
    TooManyMessages,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];
