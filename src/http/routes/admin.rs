//! The lines of the URL table for those who run the place: the API under `/api/admin`, and the console.

use actix_web::web;

use super::Gives::{Changed, Json, Media};
use super::Right::Operator;
use super::Verb::Post;
use super::parts::*;
use super::table::READ;
use super::{Kind, Route, schema_of};
use crate::http::admin::keys::{KeyOrder, OperatorKeys, Revoked};
use crate::http::admin::session::Session;
use crate::http::admin::{keys, session};
use crate::http::codes::Code::{self, *};
use crate::http::console;
use crate::operators::keys::NewOperatorKey;

/// What every address under `/api/admin` may refuse with.
const LOOKING_AROUND: &[Code] =
    &[KeyMissing, KeyInvalid, Forbidden, TooManyRequests, DatabaseUnavailable, Overloaded];
/// The same for those that take a body.
const ORDERING: &[Code] = &[
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

/// A page of the console.
const ROOM: Route = Route { gives: Media("text/html"), ..ASK };
/// What its forms are sent to.
const DESK: Route = Route { gives: Media("text/html"), ..ORDER };

/// The console.
pub(super) const CONSOLE: &[Route] = &[
    Route { path: "/admin", summary: "The console.", mount: || web::to(console::overview), ..ROOM },
    Route {
        path: "/admin/keys",
        summary: "Keys of programs.",
        mount: || web::to(console::keys::page),
        ..ROOM
    },
    Route { path: "/admin/keys", summary: "Makes a key.", mount: || web::to(console::keys::new), ..DESK },
    Route {
        path: "/admin/keys/{id}/revoke",
        summary: "Ends a key.",
        params: &[path("id", "key_…")],
        mount: || web::to(console::keys::revoke),
        ..DESK
    },
    Route {
        path: "/admin/sign-in",
        summary: "Where an operator signs in.",
        params: &[query("next", Kind::Text, "the room of the console to go to")],
        gives: Media("text/html"),
        refusals: LOOKING,
        mount: || web::to(console::sign_in),
        ..READ
    },
    Route {
        verb: Post,
        path: "/admin/sign-in",
        summary: "Signs an operator in.",
        gives: Media("text/html"),
        refusals: ORDERING,
        mount: || web::to(console::submit),
        ..READ
    },
    Route {
        path: "/admin/sign-out",
        summary: "Signs an operator out.",
        mount: || web::to(console::leave),
        ..DESK
    },
];
