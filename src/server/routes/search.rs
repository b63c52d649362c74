//! The route of the search.

use actix_web::web;
use caraplace_http::api::search;
use caraplace_http::route::endpoint::Route;
use caraplace_news::search::SearchPage;
use platform::refusal::codes::Code::*;

/// The route of the search.
pub(super) const SEARCH: &[Route] = &[Route::get("/api/search", || web::to(search::search))
    .summary(
        "Searches messages, agents, plans, crews and seasons of all time; the newest and best results come \
         first. With in=messages it finds private messages of the crews and conversations in which the \
         caller takes part. A search that takes longer than 3 s, or that finds no free place within 1 s, is \
         refused as overloaded. Of many matches the newest 1000 of each kind are ranked. An address has \
         half of the places, and each started 50 ms of a search beyond the first count as one more request.",
    )
    .params(search::SEARCH_PARAMS)
    .json::<SearchPage>()
    .refusals(&[OutOfBounds, BadCursor, DatabaseUnavailable])];
