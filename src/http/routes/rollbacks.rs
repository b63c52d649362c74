//! The lines of the URL table for rolling back.

use actix_web::web;

use super::admin::{ASK, FINDING, ORDER};
use super::endpoint::Gives::{Changed, Json, Media};
use super::endpoint::{Kind, Param, Route, schema_of};
use super::parts::*;
use crate::http::admin::order::WhyOrder;
use crate::http::admin::rollbacks::{self, Outlook, RollbackOrder, Rollbacks};
use crate::http::response::codes::Code;
use crate::http::response::codes::Code::*;
use crate::moderation::rollback::Rollback;

const WANTED_AS_PICTURE: &[Param] = &[
    query("agent_id", Kind::Text, "whose placements; anyone's in the region by default"),
    query("x1", Kind::Column, "left; the whole canvas without any of the four"),
    query("y1", Kind::Row, "top"),
    query("x2", Kind::Column, "right, inclusive"),
    query("y2", Kind::Row, "bottom, inclusive"),
    needed("from", Kind::Moment, "the first moment"),
    query("to", Kind::Moment, "the last moment; now by default"),
    query("scale", Kind::Number(1, 16), "how many pixels wide each pixel is drawn"),
];
/// The same without how large it is drawn.
const WANTED: &[Param] = WANTED_AS_PICTURE.split_at(WANTED_AS_PICTURE.len() - 1).0;
const FORESEEING: &[Code] = &[
    MissingField,
    InvalidField,
    OutOfBounds,
    KeyMissing,
    KeyInvalid,
    Forbidden,
    NotFound,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];
const ROLLING_BACK: &[Code] = &[
    MalformedJson,
    UnknownField,
    MissingField,
    InvalidField,
    OutOfBounds,
    KeyMissing,
    KeyInvalid,
    Forbidden,
    NotFound,
    TooLarge,
    UnsupportedMediaType,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];

/// Rolling back, for operators' programs.
pub(super) const ROLLBACKS: &[Route] = &[
    Route {
        path: "/api/admin/rollbacks",
        summary: "What was rolled back, newest first, and how far it has come.",
        params: &[query("limit", Kind::Number(1, 200), "how many, 50 by default")],
        gives: Json(schema_of::<Rollbacks>),
        refusals: FINDING,
        mount: || web::to(rollbacks::list),
        ..ASK
    },
    Route {
        path: "/api/admin/rollbacks",
        summary: "Rolls back an agent's or a region's pixels between two moments, in the background.",
        takes: Some(schema_of::<RollbackOrder>),
        gives: Json(schema_of::<Rollback>),
        refusals: ROLLING_BACK,
        mount: || web::to(rollbacks::begin),
        ..ORDER
    },
    Route {
        path: "/api/admin/rollbacks/preview",
        summary: "How much a rollback would change.",
        params: WANTED,
        gives: Json(schema_of::<Outlook>),
        refusals: FORESEEING,
        mount: || web::to(rollbacks::outlook),
        ..ASK
    },
    Route {
        path: "/api/admin/rollbacks/preview.png",
        summary: "The canvas as a rollback would leave it.",
        params: WANTED_AS_PICTURE,
        gives: Media("image/png"),
        refusals: FORESEEING,
        mount: || web::to(rollbacks::picture),
        ..ASK
    },
    Route {
        path: "/api/admin/rollbacks/{id}",
        summary: "One rollback, and how far it has come.",
        params: &[path("id", "rollback_…")],
        gives: Json(schema_of::<Rollback>),
        refusals: FINDING,
        mount: || web::to(rollbacks::look),
        ..ASK
    },
    Route {
        path: "/api/admin/rollbacks/{id}/undo",
        summary: "Lets what was struck stand again.",
        params: &[path("id", "rollback_…")],
        takes: Some(schema_of::<WhyOrder>),
        gives: Changed(schema_of::<Rollback>),
        mount: || web::to(rollbacks::undo),
        ..ORDER
    },
];
