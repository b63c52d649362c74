//! The lines of the URL table for seasons, and for settings that change while the server runs.

use super::endpoint::{Kind, Route, for_operators};
use super::parts::{path, query};
use crate::http::response::codes::Code::*;
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
    Route::get("/api/seasons", || web::to(archive::all))
        .summary("All seasons, newest first.")
        .json::<AllSeasons>()
        .refuses(&[InvalidField, DatabaseUnavailable]),
    Route::get("/api/seasons/{n}", || web::to(archive::one))
        .summary("One season, and how much was going on.")
        .params(&[path("n", "its number, from 1")])
        .json::<OneSeason>()
        .refuses(&[InvalidField, DatabaseUnavailable, Overloaded]),
    Route::get("/api/seasons/{n}/canvas.png", || web::to(archive::picture))
        .summary("The season's canvas: as it was when the next one began, or as it is now.")
        .params(&[
            path("n", "its number, from 1"),
            query("scale", Kind::Number(1, 16), "image pixels per pixel"),
        ])
        .media("image/png")
        .refuses(&[DatabaseUnavailable, Overloaded]),
];

/// What operators do with both.
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
