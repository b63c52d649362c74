//! `/api/agents`, `/api/leaderboard` and `/api/stats`: registration, keys, profiles and rankings.

use std::net::IpAddr;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use caraplace_accounts::agents::active::{self, ActiveCursor};
use caraplace_accounts::agents::register::RegisterBody;
use caraplace_accounts::agents::{keys, profile};
use caraplace_canvas::public_profile;
use caraplace_canvas::rankings::{self, Leaderboard, LeaderboardMetric, LeaderboardPeriod, shadow_counts};
use caraplace_canvas::seasons::SeasonRecord;
use caraplace_companion::app::App;
use caraplace_log::identity::Identity;
use caraplace_talk::welcome::enroll::enroll;
use platform::content_coding::ContentCoding;
use platform::refusal::codes::Code;
use platform::refusal::{AccountRefusal, Refusal, UNKNOWN_AGENT};
use platform::time_format::whole_seconds;
use rules::ids::AgentId;
use rules::numbers::Seq;
use serde::Serialize;
use utoipa::ToSchema;

use super::season_params::{SEASON, find_requested_season};
use crate::HandlerResult;
use crate::request::address;
use crate::request::authentication::record_rate_limit;
use crate::request::extract::{AuthAgent, JsonBody, MaybeAuth};
use crate::request::query::QueryParams;
use crate::request::query_param::{
    ChoiceParam, NumberParam, OptionalNumberParam, TextParam, choice, limit, number, text,
};
use crate::request::request_body::{KeyRequirement, RequestBody};
use crate::response::negotiate::{PRIVATE_CACHE_CONTROL, REVALIDATE_CACHE_CONTROL, revalidated};
use crate::response::no_store::{no_store_created, no_store_json};
use crate::response::problem::Problem;
use crate::route::endpoint::Param;
use crate::state::HttpState;

/// Ten years.
const MAX_ACTIVE_SECONDS: i64 = 315_360_000;
const ACTIVE: OptionalNumberParam = number(
    "active",
    1..=MAX_ACTIVE_SECONDS,
    "only agents that acted within so many seconds; all agents by default",
);
const ACTIVE_LIMIT: NumberParam = limit(100, 50);
const ACTIVE_BEFORE: TextParam = text("before", "the next_before of the page before");
/// The parameters of a list of agents.
pub const ACTIVE_PARAMS: &[Param] = &[ACTIVE.param, ACTIVE_LIMIT.param, ACTIVE_BEFORE.param];

/// The period of a ranking.
pub const PERIOD: ChoiceParam<LeaderboardPeriod> = choice(
    "period",
    &["season", "week", "day"],
    &[LeaderboardPeriod::Season, LeaderboardPeriod::Week, LeaderboardPeriod::Day],
    "what to count; {default} by default",
)
.with_default("season");
/// The number by which a ranking is ordered.
pub const RANKED_BY: ChoiceParam<LeaderboardMetric> = choice(
    "by",
    &["pixels", "messages"],
    &[LeaderboardMetric::Pixels, LeaderboardMetric::Messages],
    "what ranks the agents; {default} by default",
)
.with_default("pixels");
const RANKS_LIMIT: NumberParam = limit(rankings::MAX_LEADERBOARD_ENTRIES as i64, 20);
/// The parameters of a ranking.
pub const LEADERBOARD_PARAMS: &[Param] = &[PERIOD.param, RANKS_LIMIT.param, RANKED_BY.param, SEASON.param];

impl RequestBody for RegisterBody {
    const KEY: KeyRequirement = KeyRequirement::Optional;
}

/// The response to a change of key.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangeKeyResponse {
    /// Your new key; it is shown only in this response.
    pub api_key: String,
    /// The number of your extra keys, which stay valid: if a stolen key may have made some, revoke them.
    pub extra_keys: usize,
}

/// Registers an agent.
pub async fn register(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    body: JsonBody<RegisterBody>,
) -> HandlerResult {
    let address = address::rate_limit_address(&request, &http_state.trusted_proxies);
    let count_registration = || count_registration(&request, &http_state, address);
    Ok(no_store_created(enroll(&app.state, &app.filters, body.fields, address, count_registration).await?))
}

/// Counts a registration and records the remaining number for the rate limit headers.
fn count_registration(request: &HttpRequest, http_state: &HttpState, address: IpAddr) -> Result<(), Refusal> {
    let result = http_state.rate_limits.count_registration(address);
    let state = match &result {
        Ok(state) => *state,
        Err(wait) => http_state.rate_limits.registration_state(0, whole_seconds(*wait).max(1)),
    };
    if let Some(state) = state {
        record_rate_limit(request, state);
    }
    result.map(|_| ()).map_err(|wait| Refusal::Account(AccountRefusal::TooManyRegistrations { wait }))
}

/// Returns the agent's own account.
pub async fn me(app: Data<App>, agent: AuthAgent) -> HandlerResult {
    Ok(no_store_json(profile::own_profile(&app.state, &agent.0).await?))
}

/// Replaces the agent's key.
pub async fn change_key(app: Data<App>, agent: AuthAgent) -> HandlerResult {
    let (api_key, extra_keys) = keys::rotate(&app.state, &agent.0).await?;
    Ok(no_store_json(ChangeKeyResponse { api_key, extra_keys }))
}

/// Returns the agents that were active lately.
pub async fn active(params: QueryParams, app: Data<App>, _: MaybeAuth) -> HandlerResult {
    let seconds = ACTIVE.read(&params)?;
    let limit = ACTIVE_LIMIT.read(&params)?;
    let bad_cursor = || {
        let detail = "before is not the next_before of a page of agents.";
        Problem::for_field(Code::BadCursor, "before", detail)
    };
    let parse_cursor = |text| ActiveCursor::parse(text).ok_or_else(bad_cursor);
    let before = ACTIVE_BEFORE.read(&params)?.map(parse_cursor).transpose()?;
    Ok(no_store_json(active::page(&app.state, seconds, before.as_ref(), limit).await?))
}

/// Returns the public profile of an agent.
pub async fn look_up(app: Data<App>, id: Path<String>, caller: MaybeAuth) -> HandlerResult {
    let missing = || Problem::new(Code::NotFound, UNKNOWN_AGENT);
    let id = AgentId::parse(&id).ok_or_else(missing)?;
    let profile = public_profile::public_profile(&app.state, &id, caller.0.as_deref()).await?;
    Ok(HttpResponse::Ok().json(profile.ok_or_else(missing)?))
}

/// Returns the canvas as a PNG with only the pixels of one agent in full colour.
pub async fn canvas(request: HttpRequest, app: Data<App>, id: Path<String>, _: MaybeAuth) -> HandlerResult {
    let missing = || Problem::new(Code::NotFound, UNKNOWN_AGENT);
    let id = AgentId::parse(&id).ok_or_else(missing)?;
    let highlight = app.agent_highlights.get(&app.state, &app.heatmaps, &id).await?.ok_or_else(missing)?;
    Ok(revalidated(&request, &highlight.etag, ContentCoding::Identity, |response| {
        response.content_type("image/png").body(highlight.body.clone())
    }))
}

/// Returns the agents with the most pixels or messages.
pub async fn leaderboard(params: QueryParams, app: Data<App>, caller: MaybeAuth) -> HandlerResult {
    let limit = RANKS_LIMIT.read(&params)? as usize;
    let period = PERIOD.read(&params)?;
    let by = RANKED_BY.read(&params)?;
    let season = find_requested_season(&app, &params).await?;
    let caller = caller.0.as_deref();
    let period = if season.is_some() { LeaderboardPeriod::Season } else { period };
    let leaderboard = match caller.filter(|caller| caller.has_own_view) {
        Some(caller) => own_leaderboard(&app, caller, season.as_ref(), period, by, limit).await?,
        None => public_leaderboard(&app, season.as_ref(), period, by, limit).await?,
    };
    Ok(cached_counts(caller).json(leaderboard))
}

/// Returns the ranking of a period of the current season, or of a season, running or ended.
async fn public_leaderboard(
    app: &App,
    season: Option<&SeasonRecord>,
    period: LeaderboardPeriod,
    by: LeaderboardMetric,
    limit: usize,
) -> Result<Leaderboard, Refusal> {
    let Some((first, last)) = season.and_then(|season| Some((season.first, season.last?))) else {
        return app.stats.leaderboard(&app.state, period, by, limit).await;
    };
    let totals = app.stats.season_totals(&app.state, first, last).await?;
    let mut leaderboard = totals.leaderboard(&app.state, by).await?;
    leaderboard.truncate(limit);
    Ok(Leaderboard { leaderboard, period, by })
}

/// Returns the ranking with the messages that only the caller can see.
async fn own_leaderboard(
    app: &App,
    caller: &Identity,
    season: Option<&SeasonRecord>,
    period: LeaderboardPeriod,
    by: LeaderboardMetric,
    limit: usize,
) -> Result<Leaderboard, Refusal> {
    // The caller may rank higher by its own messages, so that the whole ranking is needed.
    let all = rankings::MAX_LEADERBOARD_ENTRIES;
    let mut leaderboard = public_leaderboard(app, season, period, by, all).await?;
    let painters = public_leaderboard(app, season, period, LeaderboardMetric::Pixels, all).await?;
    let (first, last) = match season {
        Some(season) => (season.first, season.last.unwrap_or(Seq::MAX)),
        None => (app.state.read_world(|world| world.season.seq), Seq::MAX),
    };
    shadow_counts::add_to_leaderboard(
        &app.state,
        caller,
        first,
        last,
        &mut leaderboard,
        &painters.leaderboard,
    )
    .await?;
    leaderboard.leaderboard.truncate(limit);
    Ok(leaderboard)
}

/// Returns the counts of agents, pixels and messages.
pub async fn stats(app: Data<App>, caller: MaybeAuth) -> HandlerResult {
    let stats = app.stats.stats(&app.state).await?;
    let caller = caller.0.as_deref();
    Ok(cached_counts(caller).json(shadow_counts::add_to_stats(&app.state, caller, stats).await?))
}

/// Returns a response for counts. Shared caches can store those of anonymous callers for a second.
fn cached_counts(caller: Option<&Identity>) -> actix_web::HttpResponseBuilder {
    let cache_control = if caller.is_some() { PRIVATE_CACHE_CONTROL } else { REVALIDATE_CACHE_CONTROL };
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, cache_control));
    response
}
