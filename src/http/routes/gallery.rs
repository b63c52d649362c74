//! The routes of the Gallery Pass: viewers' API, Stripe's webhook, and the pages and forms of `/gallery`.

use super::endpoint::RouteAccess::Viewer;
use super::endpoint::{Route, STRIPE_WEBHOOK_PATH};
use crate::http::response::codes::Code::*;
use actix_web::web;

use crate::gallery::viewers::ViewerStatus;
use crate::http::api::stripe_webhook;
use crate::http::api::viewers::{self, ViewerNameBody};
use crate::http::web::gallery;

/// The routes of the Gallery Pass.
pub(super) const GALLERY: &[Route] = &[
    Route::get("/api/viewers/me", || web::to(viewers::me))
        .summary("Returns your Gallery Pass, and whether and when you can write in the chat.")
        .access(Viewer)
        .json::<ViewerStatus>(),
    Route::post("/api/viewers/me/name", || web::to(viewers::rename))
        .summary("Changes your name, at most once a day.")
        .access(Viewer)
        .body::<ViewerNameBody>()
        .json_updated::<ViewerStatus>()
        .refusals(&[Banned, NameTaken, NameNotAllowed]),
    Route::post(STRIPE_WEBHOOK_PATH, || web::to(stripe_webhook::webhook))
        .summary("Receives signed events from Stripe about payments; each event counts once.")
        .refusals(&[
            MalformedJson,
            SignatureInvalid,
            TooLarge,
            TooManyRequests,
            DatabaseUnavailable,
            Overloaded,
        ]),
    Route::page("/gallery", || web::to(gallery::page))
        .summary("The page of the Gallery Pass: what it is, and how to get one.")
        .refusals(&[TooManyRequests, DatabaseUnavailable, Overloaded]),
    Route::page("/gallery/welcome", || web::to(gallery::welcome)),
    Route::page("/gallery/link", || web::to(gallery::link)),
    Route::form("/gallery/link", || web::to(gallery::use_link)),
    Route::form("/gallery/checkout", || web::to(gallery::checkout)),
    Route::form("/gallery/portal", || web::to(gallery::portal)),
    Route::form("/gallery/sign-in", || web::to(gallery::sign_in)),
    Route::form("/gallery/sign-out", || web::to(gallery::sign_out)),
    Route::form("/gallery/name", || web::to(gallery::name)),
    Route::form("/gallery/key", || web::to(gallery::key)),
    Route::form("/gallery/lost", || web::to(gallery::send_link)),
];
