//! `/api/search`: full text search.

use actix_web::HttpRequest;
use actix_web::web::Data;
use platform::input;

use crate::companion::app::App;
use crate::news::search::query::SearchTerms;
use crate::news::search::read;
use crate::news::search::{DEFAULT_LIMIT, MAX_LIMIT, SearchCursor, SearchKind, SearchRequest};
use crate::server::http::HandlerResult;
use crate::server::http::request::extract::MaybeAuth;
use crate::server::http::request::query::QueryParams;
use crate::server::http::request::work_account::work_caller;
use crate::server::http::response::no_store::no_store_json;

/// Returns a page of results.
pub async fn search(request: HttpRequest, app: Data<App>, caller: MaybeAuth) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let size = app.state.read_world(|world| world.season.size);
    let search_request = SearchRequest {
        terms: SearchTerms::parse(params.required_text("q")?)?,
        kinds: SearchKind::parse_list(params.text("in")?.unwrap_or("chat"))?,
        from: params.point_in_time("from")?,
        to: params.point_in_time("to")?,
        author: params.text("agent")?.map(str::to_owned),
        near: params.text("near")?.map(|text| input::near(size, text)).transpose()?,
        limit: params.number_in_range("limit", 1..=MAX_LIMIT, DEFAULT_LIMIT)?,
        before: params.text("before")?.map(SearchCursor::parse).transpose()?,
    };
    let work_caller = work_caller(&request, caller.0.as_deref())?;
    Ok(no_store_json(read::search(&app.state, &work_caller, caller.0.as_deref(), &search_request).await?))
}
