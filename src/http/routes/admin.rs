//! The lines of the URL table for those who run the place: the API under `/api/admin`, and the console.

use actix_web::web;

use super::endpoint::Gives::{Changed, Json};
use super::endpoint::Right::Operator;
use super::endpoint::Verb::Post;
use super::endpoint::{Route, schema_of};
use super::parts::*;
use super::table::READ;
use crate::http::admin::keys::{KeyOrder, OperatorKeys, Revoked};
use crate::http::admin::session::Session;
use crate::http::admin::{keys, session};
use crate::http::response::codes::Code;
use crate::http::response::codes::Code::*;
use crate::operators::keys::NewOperatorKey;

/// What every address under `/api/admin` may refuse with.
const LOOKING_AROUND: &[Code] =
    &[KeyMissing, KeyInvalid, Forbidden, TooManyRequests, DatabaseUnavailable, Overloaded];
/// The same for those that look for something that may not be there.
pub(super) const FINDING: &[Code] = &[
    InvalidField,
    KeyMissing,
    KeyInvalid,
    Forbidden,
    NotFound,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];
/// The same for those that take a body.
pub(super) const ORDERING: &[Code] = &[
    MalformedJson,
    UnknownField,
    MissingField,
    InvalidField,
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
const NAMING: &[Code] = &[
    MalformedJson,
    UnknownField,
    MissingField,
    InvalidField,
    KeyMissing,
    KeyInvalid,
    Forbidden,
    TooLarge,
    UnsupportedMediaType,
    NameTaken,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];

/// For operators: reading without a body; the lines below change what differs.
pub(super) const ASK: Route = Route { right: Operator, refusals: LOOKING_AROUND, ..READ };
/// For operators: doing something, as a JSON body says.
pub(super) const ORDER: Route = Route { verb: Post, right: Operator, refusals: ORDERING, ..READ };

/// What programs of operators use.
pub(super) const ADMIN: &[Route] = &[
    Route {
        path: "/api/admin/session",
        summary: "Who you are, and what X-CSRF-Token must hold in a browser.",
        gives: Json(schema_of::<Session>),
        mount: || web::to(session::session),
        ..ASK
    },
    Route {
        path: "/api/admin/keys",
        summary: "The keys with which programs operate, newest first.",
        gives: Json(schema_of::<OperatorKeys>),
        mount: || web::to(keys::list),
        ..ASK
    },
    Route {
        path: "/api/admin/keys",
        summary: "Makes a key; the answer holds the only copy of it.",
        takes: Some(schema_of::<KeyOrder>),
        gives: Json(schema_of::<NewOperatorKey>),
        refusals: NAMING,
        mount: || web::to(keys::new),
        ..ORDER
    },
    Route {
        path: "/api/admin/keys/{id}/revoke",
        summary: "Ends a key, on every instance.",
        params: &[path("id", "key_…")],
        gives: Changed(schema_of::<Revoked>),
        mount: || web::to(keys::revoke),
        ..ORDER
    },
];
