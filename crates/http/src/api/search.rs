//! `/api/search`: full text search.

use actix_web::HttpRequest;
use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_news::search::query::SearchTerms;
use caraplace_news::search::{MAX_LIMIT, SearchCursor, SearchKind, SearchRequest, read};
use platform::input;

use crate::HandlerResult;
use crate::request::extract::MaybeAuth;
use crate::request::query::QueryParams;
use crate::request::query_param::{
    NumberParam, POINT_PATTERN, PointInTimeParam, TextParam, limit, pattern, point_in_time, text,
};
use crate::request::work_account::work_caller;
use crate::response::no_store::no_store_json;
use crate::route::endpoint::{Param, ParamDefault};

const DEFAULT_KINDS: &str = "chat";

const WORDS: TextParam = pattern(
    "q",
    "^[^\\x00]{1,200}$",
    "1 to 200 characters: words, which must all match and also match as the start of a longer word, unless \
     they are a single letter; \"phrases\" match exactly and in order; -word and -\"a phrase\" exclude; at \
     most 8 different words and phrases, with 24 words in all. A run of letters without spaces, as in \
     Chinese, is one word, of which the start is found",
)
.required();
const KINDS: TextParam = pattern(
    "in",
    "^(chat|messages|agents|plans|crews|seasons)(,(chat|messages|agents|plans|crews|seasons))*$",
    "what to search: chat, messages (of the caller's crews and conversations), agents, plans, crews or \
     seasons, or several of them with commas; {default} by default",
);
const FROM: PointInTimeParam = point_in_time(
    "from",
    "only results of this event number or time, or later; agents and private messages, which have no \
     number, are compared with the event's time",
);
const TO: PointInTimeParam =
    point_in_time("to", "only results of this event number or time, or earlier, by the same rule");
const AGENT: TextParam = text("agent", "only results by the account with this id or name");
const NEAR: TextParam = pattern("near", POINT_PATTERN, "x,y: the nearest come first");
const LIMIT: NumberParam = limit(MAX_LIMIT, 20);
const BEFORE: TextParam = text("before", "the next_before of the page before");
/// The parameters of the search.
pub const SEARCH_PARAMS: &[Param] = &[
    WORDS.param,
    KINDS.param.with_default(ParamDefault::Word(DEFAULT_KINDS)),
    FROM.param,
    TO.param,
    AGENT.param,
    NEAR.param,
    LIMIT.param,
    BEFORE.param,
];

/// Returns a page of results.
pub async fn search(request: HttpRequest, app: Data<App>, caller: MaybeAuth) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let size = app.state.read_world(|world| world.season.size);
    let search_request = SearchRequest {
        terms: SearchTerms::parse(WORDS.read_required(&params)?)?,
        kinds: SearchKind::parse_list(KINDS.read(&params)?.unwrap_or(DEFAULT_KINDS))?,
        from: FROM.read(&params)?,
        to: TO.read(&params)?,
        author: AGENT.read(&params)?.map(str::to_owned),
        near: NEAR.read(&params)?.map(|text| input::near(size, text)).transpose()?,
        limit: LIMIT.read(&params)?,
        before: BEFORE.read(&params)?.map(SearchCursor::parse).transpose()?,
    };
    let work_caller = work_caller(&request, caller.0.as_deref())?;
    Ok(no_store_json(read::search(&app.state, &work_caller, caller.0.as_deref(), &search_request).await?))
}
