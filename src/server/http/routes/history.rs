//! The routes of past and present events, and of what is computed from the past ones.

use actix_web::web;
use platform::refusal::codes::Code::*;
use platform::schema::describe;

use super::endpoint::RouteResponse::JsonOrMedia;
use super::endpoint::{ParamKind, Route};
use super::params::{EVENT_NUMBER_PATTERN, SEASON_PARAM, TIMELAPSE_PARAMS, header, query};
use crate::canvas::history::event_range::EventRange;
use crate::canvas::history::timeline::Timeline;
use crate::server::http::api::{events, history, timelapse};

/// The routes of events, the timeline and timelapses.
pub(super) const HISTORY: &[Route] = &[
    Route::get("/api/events", || web::to(events::stream))
        .summary(
            "Streams every event as it happens (server-sent events); with from, returns past events as \
             JSON.",
        )
        .params(&[
            query(
                "since",
                ParamKind::PointInTime,
                "resumes the stream after this event's number or this time, which are not included",
            ),
            query(
                "from",
                ParamKind::PointInTime,
                "returns past events instead of the stream, from this event number or time",
            ),
            query("to", ParamKind::PointInTime, "the last event number or time; the newest event by default"),
            query("limit", ParamKind::Number(1, 10_000), "how many events at a time, 5000 by default"),
            header(
                "Last-Event-ID",
                EVENT_NUMBER_PATTERN,
                "like since, as the stream sent it; browsers send it when they reconnect",
            ),
        ])
        .response(JsonOrMedia(describe::<EventRange>, "text/event-stream"))
        .refusals(&[BadCursor, Banned, NotAcceptable, DatabaseUnavailable, Overloaded]),
    Route::get("/api/timeline", || web::to(history::timeline))
        .summary(
            "Returns how many pixels were placed and painted over in each of several equal steps of a \
             season.",
        )
        .params(&[
            query("steps", ParamKind::Number(1, 1_000), "how many steps, 200 by default"),
            SEASON_PARAM,
        ])
        .json::<Timeline>()
        .refusals(&[DatabaseUnavailable, Overloaded]),
    Route::get("/api/timelapse.gif", || web::to(timelapse::gif))
        .summary("A timelapse as a GIF: the last 24 hours in 20 seconds, or any other part of a season.")
        .params(TIMELAPSE_PARAMS)
        .media("image/gif")
        .refusals(&[DatabaseUnavailable, Overloaded]),
    Route::get("/api/timelapse.png", || web::to(timelapse::apng))
        .summary("A timelapse as an animated PNG.")
        .params(TIMELAPSE_PARAMS)
        .media("image/png")
        .refusals(&[DatabaseUnavailable, Overloaded]),
];
