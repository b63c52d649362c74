//! `/api/admin/agents`: agents and viewers, and the sanctions against them.

use actix_web::web::{Data, Path};
use caraplace_companion::app::App;
use caraplace_log::audit_reason::AuditReason;
use caraplace_moderation::actions::answer::{ClearProfileResponse, SanctionsResponse};
use caraplace_moderation::actions::body::{BanBody, ClearProfileBody, MuteBody, ReasonBody, RenameBody};
use caraplace_moderation::{account_report, clear_profile, sanctions};
use rules::sanctions::{Sanction, Sanctions};

use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::response::no_store::no_store_json;
use crate::response::not_found::{account_not_found, parse_account_id};

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
