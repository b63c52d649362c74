//! The lines of the URL table for those who run the place: the API under `/api/admin`, and the console.

use super::endpoint::Gives::{Changed, Json};
use super::endpoint::Right::Operator;
use super::endpoint::Route;
use super::parts::path;
use crate::http::response::codes::Code::*;
use crate::schema::schema_of;
use actix_web::web;

use crate::http::admin::keys::{KeyOrder, OperatorKeys, Revoked};
use crate::http::admin::session::Session;
use crate::http::admin::{keys, session};
use crate::operators::keys::NewOperatorKey;

/// What programs of operators use.
pub(super) const ADMIN: &[Route] = &[
    Route::get("/api/admin/session", "Who you are, and what X-CSRF-Token must hold in a browser.", || {
        web::to(session::session)
    })
    .right(Operator)
    .gives(Json(schema_of::<Session>)),
    Route::get("/api/admin/keys", "The keys with which programs operate, newest first.", || {
        web::to(keys::list)
    })
    .right(Operator)
    .gives(Json(schema_of::<OperatorKeys>)),
    Route::post("/api/admin/keys", "Makes a key; the answer holds the only copy of it.", || {
        web::to(keys::new)
    })
    .right(Operator)
    .takes(schema_of::<KeyOrder>)
    .gives(Json(schema_of::<NewOperatorKey>))
    .refuses(&[NameTaken]),
    Route::post("/api/admin/keys/{id}/revoke", "Ends a key, on every instance.", || web::to(keys::revoke))
        .right(Operator)
        .params(&[path("id", "key_…")])
        .gives(Changed(schema_of::<Revoked>))
        .refuses(&[
            MalformedJson,
            UnknownField,
            MissingField,
            InvalidField,
            NotFound,
            TooLarge,
            UnsupportedMediaType,
        ]),
];
