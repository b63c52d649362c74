//! The lines of the URL table for seasons, and for settings that change while the server runs.

use actix_web::web;

use super::admin::{ASK, ORDER};
use super::endpoint::Gives::{Changed, Json, Media};
use super::endpoint::{Kind, Route, schema_of};
use super::parts::{LOOKING, path, query};
use super::table::READ;
use crate::http::admin::order::WhyOrder;
use crate::http::admin::seasons::{self, End, NewSeason, Seasons};
use crate::http::admin::settings::{self, NewValue, Settings};
use crate::http::api::seasons as archive;
use crate::http::api::seasons::{AllSeasons, OneSeason};
use crate::http::response::codes::Code;
use crate::http::response::codes::Code::*;
use crate::seasons::Recorded;
use crate::settings::Told;

/// What anyone may see of seasons, those that are over too.
pub(super) const ARCHIVE: &[Route] = &[
    Route {
        path: "/api/seasons",
        summary: "All seasons, newest first.",
        gives: Json(schema_of::<AllSeasons>),
        refusals: LOOKING,
        mount: || web::to(archive::all),
        ..READ
    },
    Route {
        path: "/api/seasons/{n}",
        summary: "One season, and how much was going on.",
        params: &[path("n", "its number, from 1")],
        gives: Json(schema_of::<OneSeason>),
        refusals: ONE_SEASON,
        mount: || web::to(archive::one),
        ..READ
    },
    Route {
        path: "/api/seasons/{n}/canvas.png",
        summary: "The season's canvas: as it was when the next one began, or as it is now.",
        params: &[
            path("n", "its number, from 1"),
            query("scale", Kind::Number(1, 16), "image pixels per pixel"),
        ],
        gives: Media("image/png"),
        refusals: ONE_SEASON,
        mount: || web::to(archive::picture),
        ..READ
    },
];

const ONE_SEASON: &[Code] =
    &[InvalidField, KeyInvalid, NotFound, TooManyRequests, DatabaseUnavailable, Overloaded];

/// What operators do with both.
pub(super) const SEASONS: &[Route] = &[
    Route {
        path: "/api/admin/seasons",
        summary: "All seasons, newest first.",
        gives: Json(schema_of::<Seasons>),
        mount: || web::to(seasons::list),
        ..ASK
    },
    Route {
        path: "/api/admin/seasons",
        summary: "Opens the next season: a blank canvas and an empty chat. The one before is kept as it is.",
        takes: Some(schema_of::<NewSeason>),
        gives: Json(schema_of::<Recorded>),
        mount: || web::to(seasons::new),
        ..ORDER
    },
    Route {
        path: "/api/admin/seasons/freeze",
        summary: "Freezes the season: nobody paints, speaks or reacts until the next one opens.",
        takes: Some(schema_of::<WhyOrder>),
        gives: Changed(schema_of::<Recorded>),
        mount: || web::to(seasons::freeze),
        ..ORDER
    },
    Route {
        path: "/api/admin/seasons/unfreeze",
        summary: "Lets a frozen season go on.",
        takes: Some(schema_of::<WhyOrder>),
        gives: Changed(schema_of::<Recorded>),
        mount: || web::to(seasons::unfreeze),
        ..ORDER
    },
    Route {
        path: "/api/admin/seasons/schedule",
        summary: "Appoints the moment at which the season freezes by itself, or none.",
        takes: Some(schema_of::<End>),
        gives: Changed(schema_of::<Recorded>),
        mount: || web::to(seasons::schedule),
        ..ORDER
    },
    Route {
        path: "/api/admin/settings",
        summary: "Every setting that can change while the server runs: its value, where it comes from, its range.",
        gives: Json(schema_of::<Settings>),
        mount: || web::to(settings::list),
        ..ASK
    },
    Route {
        path: "/api/admin/settings",
        summary: "Changes a setting on every instance; null takes it back to what the environment has.",
        takes: Some(schema_of::<NewValue>),
        gives: Changed(schema_of::<Told>),
        mount: || web::to(settings::set),
        ..ORDER
    },
];
