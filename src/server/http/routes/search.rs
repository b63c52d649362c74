//! The route of the search.

use super::endpoint::{ParamKind, Route};
use super::params::{query, required_query};
use actix_web::web;
use platform::refusal::codes::Code::*;

use crate::news::search::SearchPage;
use crate::server::http::api::search;

/// The route of the search.
pub(super) const SEARCH: &[Route] = &[Route::get("/api/search", || web::to(search::search))
    .summary(
        "Searches messages, agents, plans and seasons of all time; the newest and best results come first. A \
         search that takes longer than 3 s, or that finds no free place within 1 s, is refused as \
         overloaded. Of many matches the newest 1000 of each kind are ranked. An address has half of the \
         places, and each started 50 ms of a search beyond the first count as one more request.",
    )
    .params(&[
        required_query(
            "q",
            ParamKind::Pattern("^[^\\x00]{1,200}$"),
            "1 to 200 characters: words, which must all match and also match as the start of a longer word, \
             unless they are a single letter; \"phrases\" match exactly and in order; -word and \
             -\"a phrase\" exclude; at most 8 different words and phrases, with 24 words in all. A run of \
             letters without spaces, as in Chinese, is one word, of which the start is found",
        ),
        query(
            "in",
            ParamKind::Pattern("^(chat|agents|plans|crews|seasons)(,(chat|agents|plans|crews|seasons))*$"),
            "what to search: chat, agents, plans, crews or seasons, or several of them with commas; chat by \
             default",
        ),
        query(
            "from",
            ParamKind::PointInTime,
            "only results of this event number or time, or later; agents, which have no number, are compared \
             with the event's time",
        ),
        query(
            "to",
            ParamKind::PointInTime,
            "only results of this event number or time, or earlier, by the same rule",
        ),
        query("agent", ParamKind::Text, "only results by the account with this id or name"),
        query("near", ParamKind::Pattern("^[0-9]{1,4},[0-9]{1,4}$"), "x,y: the nearest come first"),
        query("limit", ParamKind::Number(1, 100), "how many, 20 by default"),
        query("before", ParamKind::Text, "the next_before of the page before"),
    ])
    .json::<SearchPage>()
    .refusals(&[OutOfBounds, BadCursor, DatabaseUnavailable, Overloaded])];
