//! The lines of the URL table for seasons, and for settings that change while the server runs.

use super::endpoint::Gives::{Changed, Json, Media};
use super::endpoint::Right::Operator;
use super::endpoint::{Kind, Route};
use super::parts::{path, query};
use crate::http::response::codes::Code::*;
use crate::schema::schema_of;
use actix_web::web;

use crate::http::admin::order::WhyOrder;
use crate::http::admin::seasons::{self, End, NewSeason, Seasons};
use crate::http::admin::settings::{self, NewValue, Settings};
use crate::http::api::seasons as archive;
use crate::http::api::seasons::{AllSeasons, OneSeason};
use crate::seasons::Recorded;
use crate::settings::Told;

/// What anyone may see of seasons, those that are over too.
pub(super) const ARCHIVE: &[Route] = &[
    Route::get("/api/seasons", "All seasons, newest first.", || web::to(archive::all))
        .gives(Json(schema_of::<AllSeasons>))
        .refuses(&[InvalidField, DatabaseUnavailable]),
    Route::get("/api/seasons/{n}", "One season, and how much was going on.", || web::to(archive::one))
        .params(&[path("n", "its number, from 1")])
        .gives(Json(schema_of::<OneSeason>))
        .refuses(&[InvalidField, NotFound, DatabaseUnavailable, Overloaded]),
    Route::get(
        "/api/seasons/{n}/canvas.png",
        "The season's canvas: as it was when the next one began, or as it is now.",
        || web::to(archive::picture),
    )
    .params(&[path("n", "its number, from 1"), query("scale", Kind::Number(1, 16), "image pixels per pixel")])
    .gives(Media("image/png"))
    .refuses(&[InvalidField, NotFound, DatabaseUnavailable, Overloaded]),
];

/// What operators do with both.
pub(super) const SEASONS: &[Route] = &[
    Route::get("/api/admin/seasons", "All seasons, newest first.", || web::to(seasons::list))
        .right(Operator)
        .gives(Json(schema_of::<Seasons>)),
    Route::post(
        "/api/admin/seasons",
        "Opens the next season: a blank canvas and an empty chat. The one before is kept as it is.",
        || web::to(seasons::new),
    )
    .right(Operator)
    .takes(schema_of::<NewSeason>)
    .gives(Json(schema_of::<Recorded>))
    .refuses(&[NotFound]),
    Route::post(
        "/api/admin/seasons/freeze",
        "Freezes the season: nobody paints, speaks or reacts until the next one opens.",
        || web::to(seasons::freeze),
    )
    .right(Operator)
    .takes(schema_of::<WhyOrder>)
    .gives(Changed(schema_of::<Recorded>))
    .refuses(&[NotFound]),
    Route::post("/api/admin/seasons/unfreeze", "Lets a frozen season go on.", || web::to(seasons::unfreeze))
        .right(Operator)
        .takes(schema_of::<WhyOrder>)
        .gives(Changed(schema_of::<Recorded>))
        .refuses(&[NotFound]),
    Route::post(
        "/api/admin/seasons/schedule",
        "Appoints the moment at which the season freezes by itself, or none.",
        || web::to(seasons::schedule),
    )
    .right(Operator)
    .takes(schema_of::<End>)
    .gives(Changed(schema_of::<Recorded>))
    .refuses(&[NotFound]),
    Route::get(
        "/api/admin/settings",
        "Every setting that can change while the server runs: its value, where it comes from, its range.",
        || web::to(settings::list),
    )
    .right(Operator)
    .gives(Json(schema_of::<Settings>)),
    Route::post(
        "/api/admin/settings",
        "Changes a setting on every instance; null takes it back to what the environment has.",
        || web::to(settings::set),
    )
    .right(Operator)
    .takes(schema_of::<NewValue>)
    .gives(Changed(schema_of::<Told>))
    .refuses(&[NotFound]),
];
