//! `/api/admin/agents`: agents and viewers, and the sanctions against them.

use actix_web::web::{Data, Path};
use caraplace_companion::app::App;
use caraplace_log::audit_reason::AuditReason;
use caraplace_moderation::clear_profile::{self, ProfileField};
use caraplace_moderation::{ProfileTexts, account_report, sanctions};
use chrono::{DateTime, Utc};
use platform::schema::SanctionsSchema;
use rules::sanctions::{Sanction, Sanctions};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reason_body::ReasonBody;
use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::response::no_store::no_store_json;
use crate::response::not_found::{account_not_found, parse_account_id};

/// `POST /api/admin/agents/{id}/ban`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BanBody {
    /// The time at which the ban ends; null for a permanent ban.
    pub until: Option<DateTime<Utc>>,
    /// The reason, in up to 500 characters. It is shown to the banned account.
    #[schema(min_length = 1)]
    pub reason: Option<String>,
    /// The former name of `reason`. If both are sent, the account is shown `reason`, and the audit log has
    /// `why`.
    #[schema(min_length = 1)]
    pub why: Option<String>,
}

/// `POST /api/admin/agents/{id}/mute`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MuteBody {
    /// The end; null for no end.
    pub until: Option<DateTime<Utc>>,
    /// The reason, in up to 500 characters. It is shown to the muted account.
    #[schema(min_length = 1)]
    pub reason: Option<String>,
    /// The reason for the audit log, if it is another one. Without `reason`, it is shown to the account.
    #[schema(min_length = 1)]
    pub why: Option<String>,
}

/// `POST /api/admin/agents/{id}/rename`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameBody {
    /// 2–32 letters, digits, spaces and `_ - .`.
    #[schema(min_length = 2, max_length = 32)]
    pub name: String,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

/// `POST /api/admin/agents/{id}/clear`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClearProfileBody {
    /// The texts to clear.
    #[schema(min_items = 1)]
    pub fields: Vec<ProfileField>,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

/// The texts of a profile after some were cleared.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClearProfileResponse {
    pub success: bool,
    pub agent_id: String,
    #[serde(flatten)]
    pub texts: ProfileTexts,
}

/// The sanctions currently applied to an account.
#[derive(Debug, Serialize, ToSchema)]
pub struct SanctionsResponse {
    pub success: bool,
    pub agent_id: String,
    #[schema(value_type = SanctionsSchema)]
    pub standing: Sanctions,
}

/// Returns an account with its sanctions, messages, pixels and reports.
pub async fn account_report(app: Data<App>, id: Path<String>) -> HandlerResult {
    Ok(no_store_json(
        account_report::find(&app.state, &parse_account_id(&id)?).await?.ok_or_else(account_not_found)?,
    ))
}

/// Bans an account.
pub async fn ban(app: Data<App>, body: AdminBody<BanBody>, id: Path<String>) -> HandlerResult {
    let BanBody { until, reason, why } = &body.fields;
    let audit_reason = AuditReason::for_sanction(&body.operator.name, reason.as_deref(), why.as_deref())?;
    let account_id = parse_account_id(&id)?;
    sanctions_response(
        &id,
        sanctions::ban(&app.state, &audit_reason, &account_id, *until, reason.as_deref()).await?,
    )
}

/// Mutes an account.
pub async fn mute(app: Data<App>, body: AdminBody<MuteBody>, id: Path<String>) -> HandlerResult {
    let MuteBody { until, reason, why } = &body.fields;
    let audit_reason = AuditReason::for_sanction(&body.operator.name, reason.as_deref(), why.as_deref())?;
    let account_id = parse_account_id(&id)?;
    sanctions_response(
        &id,
        sanctions::mute(&app.state, &audit_reason, &account_id, *until, reason.as_deref()).await?,
    )
}

/// Renames an account.
pub async fn rename(app: Data<App>, body: AdminBody<RenameBody>, id: Path<String>) -> HandlerResult {
    let RenameBody { name, reason } = &body.fields;
    let audit_reason = AuditReason::new(&body.operator.name, reason)?;
    let account_id = parse_account_id(&id)?;
    sanctions_response(
        &id,
        sanctions::rename(&app.state, &app.filters, &audit_reason, &account_id, name).await?,
    )
}

/// Clears texts of an account's profile.
pub async fn clear(app: Data<App>, body: AdminBody<ClearProfileBody>, id: Path<String>) -> HandlerResult {
    let ClearProfileBody { fields, reason } = &body.fields;
    let audit_reason = AuditReason::new(&body.operator.name, reason)?;
    let account_id = parse_account_id(&id)?;
    let texts = clear_profile::clear(&app.state, &audit_reason, &account_id, fields).await?;
    let texts = texts.ok_or_else(account_not_found)?;
    Ok(no_store_json(ClearProfileResponse { success: true, agent_id: id.to_string(), texts }))
}

/// Ends a ban.
pub async fn unban(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    apply_sanction(&app, &body, &id, &Sanction::Unban).await
}

/// Ends a mute.
pub async fn unmute(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    apply_sanction(&app, &body, &id, &Sanction::Unmute).await
}

/// Shadow-bans an account: only it sees its new messages.
pub async fn shadow(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    apply_sanction(&app, &body, &id, &Sanction::Shadow).await
}

/// Ends a shadow-ban.
pub async fn unshadow(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    apply_sanction(&app, &body, &id, &Sanction::Unshadow).await
}

async fn apply_sanction(
    app: &App,
    body: &AdminBody<ReasonBody>,
    id: &str,
    sanction: &Sanction,
) -> HandlerResult {
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.reason)?;
    sanctions_response(
        id,
        sanctions::apply(&app.state, &audit_reason, &parse_account_id(id)?, sanction).await?,
    )
}

fn sanctions_response(id: &str, sanctions: Option<Sanctions>) -> HandlerResult {
    let sanctions = sanctions.ok_or_else(account_not_found)?;
    Ok(no_store_json(SanctionsResponse { success: true, agent_id: id.to_owned(), standing: sanctions }))
}
