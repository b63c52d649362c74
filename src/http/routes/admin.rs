//! The lines of the URL table for operators' programs: keys, passes, seasons and settings.

use actix_web::web;

use super::endpoint::{Route, for_operators};
use super::parts::path;
use crate::http::admin::keys::{KeyOrder, OperatorKeys, Revoked};
use crate::http::admin::order::WhyOrder;
use crate::http::admin::passes::{Given, PassOrder, PassRevoked, Passes};
use crate::http::admin::seasons::{End, NewSeason, Seasons};
use crate::http::admin::session::Session;
use crate::http::admin::settings::{NewValue, Settings};
use crate::http::admin::{keys, passes, seasons, session, settings};
use crate::http::response::codes::Code::*;
use crate::operators::keys::NewOperatorKey;
use crate::seasons::Recorded;
use crate::settings::Told;

/// Sessions and keys.
pub(super) const ADMIN: &[Route] = &for_operators([
    Route::get("/api/admin/session", || web::to(session::session))
        .summary("Who you are, and what X-CSRF-Token must hold in a browser.")
        .json::<Session>(),
    Route::get("/api/admin/keys", || web::to(keys::list))
        .summary("The keys with which programs operate, newest first.")
        .json::<OperatorKeys>(),
    Route::post("/api/admin/keys", || web::to(keys::new))
        .summary("Makes a key; the answer holds the only copy of it.")
        .takes::<KeyOrder>()
        .json::<NewOperatorKey>()
        .refuses(&[NameTaken]),
    Route::post("/api/admin/keys/{id}/revoke", || web::to(keys::revoke))
        .summary("Ends a key, on every instance.")
        .params(&[path("id", "key_…")])
        .changed::<Revoked>()
        .refuses(&[MalformedJson, UnknownField, MissingField, InvalidField, TooLarge, UnsupportedMediaType]),
]);

/// Giving and taking passes.
pub(super) const PASSES: &[Route] = &for_operators([
    Route::get("/api/admin/passes", || web::to(passes::list))
        .summary("Viewers with their passes, newest first.")
        .json::<Passes>(),
    Route::post("/api/admin/passes", || web::to(passes::grant))
        .summary("Gives a pass; a new viewer’s key is shown only in the answer.")
        .takes::<PassOrder>()
        .json::<Given>()
        .refuses(&[NotFound]),
    Route::post("/api/admin/passes/{id}/revoke", || web::to(passes::revoke))
        .summary("Takes a viewer’s pass away, whatever is paid.")
        .params(&[path("id", "viewer_…")])
        .takes::<WhyOrder>()
        .changed::<PassRevoked>(),
]);

/// Seasons, and settings that change while the server runs.
pub(super) const SEASONS: &[Route] = &for_operators([
    Route::get("/api/admin/seasons", || web::to(seasons::list))
        .summary("All seasons, newest first.")
        .json::<Seasons>(),
    Route::post("/api/admin/seasons", || web::to(seasons::new))
        .summary("Opens the next season: a blank canvas and an empty chat. The one before is kept as it is.")
        .takes::<NewSeason>()
        .json::<Recorded>()
        .refuses(&[NotFound]),
    Route::post("/api/admin/seasons/freeze", || web::to(seasons::freeze))
        .summary("Freezes the season: nobody paints, speaks or reacts until the next one opens.")
        .takes::<WhyOrder>()
        .changed::<Recorded>()
        .refuses(&[NotFound]),
    Route::post("/api/admin/seasons/unfreeze", || web::to(seasons::unfreeze))
        .summary("Lets a frozen season go on.")
        .takes::<WhyOrder>()
        .changed::<Recorded>()
        .refuses(&[NotFound]),
    Route::post("/api/admin/seasons/schedule", || web::to(seasons::schedule))
        .summary("Appoints the moment at which the season freezes by itself, or none.")
        .takes::<End>()
        .changed::<Recorded>()
        .refuses(&[NotFound]),
    Route::get("/api/admin/settings", || web::to(settings::list))
        .summary(
            "Every setting that can change while the server runs: its value, where it comes from, its range.",
        )
        .json::<Settings>(),
    Route::post("/api/admin/settings", || web::to(settings::set))
        .summary("Changes a setting on every instance; null takes it back to what the environment has.")
        .takes::<NewValue>()
        .changed::<Told>()
        .refuses(&[NotFound]),
]);
