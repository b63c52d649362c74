//! `/api/appeals`: appeals against bans, mutes and forced renames.

use actix_web::web::Data;
use caraplace_accounts::agents::{Appeal, appeals};
use caraplace_accounts::gallery::viewers;
use caraplace_companion::app::App;
use caraplace_log::identity::Identity;
use platform::refusal::codes::Code;
use rules::rights::AccountKind;
use serde::{Deserialize, Serialize};
use text_filters::text_limits::{MAX_APPEAL_GRAPHEMES, check_raw_length};
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_viewer::AuthAccount;
use crate::request::extract::JsonBody;
use crate::request::query;
use crate::request::rate_limits::RateLimitKey;
use crate::request::request_body::{AllowedCallers, RequestBody};
use crate::response::no_store::{no_store_created, no_store_json};
use crate::response::problem::Problem;
use crate::state::HttpState;

/// `POST /api/appeals`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AppealBody {
    /// Your reasons for ending the ban, the mute or the rename, in up to 280 characters.
    #[schema(min_length = 1)]
    pub text: String,
}

/// The response to an appeal.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppealResponse {
    pub success: bool,
    pub appeal: Appeal,
}

/// Your own appeals.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnAppealList {
    /// Your appeals, newest first, at most 20.
    pub appeals: Vec<Appeal>,
}

impl RequestBody for AppealBody {
    const CALLERS: AllowedCallers = AllowedCallers::Both;
}

/// Files an appeal.
pub async fn submit(
    app: Data<App>,
    http_state: Data<HttpState>,
    body: JsonBody<AppealBody>,
) -> HandlerResult {
    let account = body.require_caller()?;
    check_can_appeal(&app, account).await?;
    check_raw_length(&body.fields.text).map_err(|too_long| query::invalid("text", &too_long.to_string()))?;
    let text = app.filters.parse_text(&body.fields.text, MAX_APPEAL_GRAPHEMES).await?;
    http_state.rate_limits.count_report(&RateLimitKey::Agent(account.no))?;
    let appeal = appeals::submit(&app.state, account, &text).await?;
    let already_open = || {
        let detail = "You have an appeal that is not decided yet.";
        Problem::new(Code::AlreadyReported, detail).hint("Wait; GET /api/appeals shows the decision.")
    };
    let appeal = appeal.ok_or_else(already_open)?;
    Ok(no_store_created(AppealResponse { success: true, appeal }))
}

/// Lists the caller's own appeals with the decisions.
pub async fn list_own(app: Data<App>, account: AuthAccount) -> HandlerResult {
    let appeals = appeals::list_by_agent(&app.state, account.0.no).await?;
    Ok(no_store_json(OwnAppealList { appeals }))
}

async fn check_can_appeal(app: &App, account: &Identity) -> Result<(), Problem> {
    let now = app.state.clock.now();
    let is_sanctioned = account.rights.active_mute(now).is_some() || account.rights.active_ban(now).is_some();
    let is_viewer = account.rights.kind == AccountKind::Viewer;
    if is_sanctioned || (is_viewer && viewers::has_fixed_name(&app.state, account).await?) {
        return Ok(());
    }
    let detail = "You are neither banned nor muted, so there is nothing to appeal against.";
    Err(Problem::new(Code::Forbidden, detail).hint("Continue as before."))
}
