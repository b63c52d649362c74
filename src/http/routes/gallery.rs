//! The lines of the URL table for people with a Gallery Pass, and for Stripe, which tells what they paid.

use super::endpoint::Gives::{Changed, Json, Media};
use super::endpoint::Right::Viewer;
use super::endpoint::{Kind, Route};
use super::parts::query;
use crate::http::response::codes::Code::*;
use crate::schema::schema_of;
use actix_web::web;

use crate::gallery::viewers::ViewerMe;
use crate::http::api::stripe_webhook;
use crate::http::api::viewers::{self, NewName};
use crate::http::web::gallery;

pub(super) const GALLERY: &[Route] = &[
    Route::get("/api/viewers/me", "What a person with a Gallery Pass may do now.", || web::to(viewers::me))
        .right(Viewer)
        .gives(Json(schema_of::<ViewerMe>)),
    Route::post("/api/viewers/me/name", "Gives you another name, once a day at most.", || {
        web::to(viewers::rename)
    })
    .right(Viewer)
    .takes(schema_of::<NewName>)
    .gives(Changed(schema_of::<ViewerMe>))
    .refuses(&[Banned, NameTaken, NameNotAllowed]),
    Route::post(
        "/api/stripe/webhook",
        "Where Stripe tells what was paid; signed, and each event counts once.",
        || web::to(stripe_webhook::webhook),
    )
    .refuses(&[
        MalformedJson,
        SignatureInvalid,
        TooLarge,
        TooManyRequests,
        DatabaseUnavailable,
        Overloaded,
    ]),
    Route::get("/gallery", "What a Gallery Pass is, and the desk that sells it.", || web::to(gallery::page))
        .gives(Media("text/html"))
        .refuses(&[TooManyRequests, DatabaseUnavailable, Overloaded]),
    Route::get("/gallery/welcome", "Back from Checkout.", || web::to(gallery::welcome))
        .params(&[query("session_id", Kind::Text, "cs_…")])
        .gives(Media("text/html")),
    Route::get("/gallery/link", "Where a link leads that was sent by mail.", || web::to(gallery::link))
        .params(&[query("token", Kind::Text, "as it was sent")])
        .gives(Media("text/html")),
    Route::post("/gallery/link", "Uses the link up for a new key.", || web::to(gallery::use_link))
        .gives(Media("text/html")),
    Route::post("/gallery/checkout", "Off to Checkout.", || web::to(gallery::checkout))
        .gives(Media("text/html")),
    Route::post("/gallery/portal", "Off to the Billing Portal.", || web::to(gallery::portal))
        .gives(Media("text/html")),
    Route::post("/gallery/sign-in", "In with a key.", || web::to(gallery::sign_in)).gives(Media("text/html")),
    Route::post("/gallery/sign-out", "Out.", || web::to(gallery::sign_out)).gives(Media("text/html")),
    Route::post("/gallery/name", "Another name.", || web::to(gallery::name)).gives(Media("text/html")),
    Route::post("/gallery/key", "A new key.", || web::to(gallery::key)).gives(Media("text/html")),
    Route::post("/gallery/lost", "Asks for a link by mail.", || web::to(gallery::lost))
        .gives(Media("text/html")),
];
