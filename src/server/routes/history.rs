//! The routes of past and present events, and of what is computed from the past ones.

use actix_web::web;
use caraplace_canvas::history::event_range::EventRange;
use caraplace_canvas::history::timeline::Timeline;
use caraplace_http::api::{events, history, timelapse};
use caraplace_http::route::endpoint::Route;
use caraplace_http::route::endpoint::RouteResponse::JsonOrMedia;
use platform::refusal::codes::Code::*;
use platform::schema::describe;

/// The routes of events, the timeline and timelapses.
pub(super) const HISTORY: &[Route] = &[
    Route::get("/api/events", || web::to(events::stream))
        .summary(
            "Streams every event as it happens (server-sent events); with from, returns past events as \
             JSON.",
        )
        .params(history::EVENTS_PARAMS)
        .response(JsonOrMedia(describe::<EventRange>, "text/event-stream"))
        .refusals(&[BadCursor, Banned, NotAcceptable, DatabaseUnavailable]),
    Route::get("/api/timeline", || web::to(history::timeline))
        .summary(
            "Returns how many pixels were placed and painted over in each of several equal steps of a \
             season.",
        )
        .params(history::TIMELINE_PARAMS)
        .json::<Timeline>()
        .refusals(&[DatabaseUnavailable]),
    Route::get("/api/timelapse.gif", || web::to(timelapse::gif))
        .summary("A timelapse as a GIF: the last 24 hours in 20 seconds, or any other part of a season.")
        .params(timelapse::TIMELAPSE_PARAMS)
        .media("image/gif")
        .refusals(&[DatabaseUnavailable]),
    Route::get("/api/timelapse.png", || web::to(timelapse::apng))
        .summary("A timelapse as an animated PNG.")
        .params(timelapse::TIMELAPSE_PARAMS)
        .media("image/png")
        .refusals(&[DatabaseUnavailable]),
];
