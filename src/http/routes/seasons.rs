//! The lines of the URL table for seasons.

use actix_web::web;

use super::Gives::{Changed, Json};
use super::admin::{ASK, ORDER};
use super::{Route, schema_of};
use crate::http::admin::order::WhyOrder;
use crate::http::admin::seasons::{self, End, NewSeason, Seasons};
use crate::seasons::Recorded;

/// What operators do with them.
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
];
