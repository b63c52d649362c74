//! Appeals: what the banned and the muted say against it, and what operators answer.

use chrono::{DateTime, Utc};
use rules::sanctions::Sanction;
use serde::{Deserialize, Serialize};
use serde_json::json;
use text_filters::content::MessageContent;
use utoipa::ToSchema;

use super::{AuditReason, parse_reason, sanctions, store};
use crate::clock;
use crate::database;
use crate::log::control;
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;

/// How many of one's own are told.
const MAX_OWN_APPEALS: i64 = 20;

/// Where an appeal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum AppealOutcome {
    Open,
    Granted,
    Denied,
}

/// What an operator decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppealDecision {
    /// Neither banned nor muted any more; who was neither may choose its name again.
    Grant,
    Deny,
}

/// An appeal as its author sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Appeal {
    /// `appeal_…`.
    pub id: String,
    pub text: String,
    pub created_at: DateTime<Utc>,
    pub outcome: AppealOutcome,
    /// What the operator answered; null until then.
    pub answer: Option<String>,
    pub decided_at: Option<DateTime<Utc>>,
}

/// The same as operators see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AppealRecord {
    #[serde(flatten)]
    pub appeal: Appeal,
    pub agent_id: String,
    pub agent_name: String,
    pub banned_until: Option<DateTime<Utc>>,
    pub ban_reason: Option<String>,
    pub muted_until: Option<DateTime<Utc>>,
    pub decided_by: Option<String>,
}

/// A page of them.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppealList {
    /// Open ones oldest first, decided ones newest first.
    pub appeals: Vec<AppealRecord>,
}

/// Files an appeal; none while another one is open. It is against what holds then, so nothing is imposed meanwhile.
///
/// # Errors
/// When the database cannot be written.
pub async fn submit(
    state: &AppState,
    agent: &Agent,
    text: &MessageContent,
) -> Result<Option<Appeal>, Refusal> {
    let (id, offset) = (clock::new_id("appeal"), state.clock.offset());
    let mut transaction = state.pool.begin().await?;
    control::lock_head(&mut transaction).await?;
    let appeal = store::appeals::insert(&mut transaction, &id, agent.no, text.as_str(), offset).await?;
    database::commit(transaction).await?;
    Ok(appeal)
}

/// Somebody's own, newest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn list_by_agent(state: &AppState, agent: i64) -> Result<Vec<Appeal>, Refusal> {
    Ok(store::appeals::list_by_agent(&state.pool, agent, MAX_OWN_APPEALS).await?)
}

/// What became of an appeal against what holds now; none where there was none.
///
/// # Errors
/// When the database cannot be read.
pub async fn find_current(state: &AppState, agent: &Agent) -> Result<Option<Appeal>, Refusal> {
    Ok(store::appeals::find_current(&state.pool, agent.no, &agent.id).await?)
}

/// What operators have to decide, or have decided.
///
/// # Errors
/// When the database cannot be read.
pub async fn page(state: &AppState, open: bool, limit: i64) -> Result<AppealList, Refusal> {
    Ok(AppealList { appeals: store::appeals::list(&state.pool, open, limit).await? })
}

/// Decides an appeal; none where there is no such one. What is decided stays as it is.
///
/// # Errors
/// `Input` for an answer that is empty or too long; or that the database cannot be written.
pub async fn decide(
    state: &AppState,
    cause: &AuditReason,
    id: &str,
    decision: AppealDecision,
    answer: &str,
) -> Result<Option<Appeal>, Refusal> {
    let answer = parse_reason("answer", answer)?;
    let (is_granted, offset) = (decision == AppealDecision::Grant, state.clock.offset());
    let mut transaction = state.pool.begin().await?;
    control::lock_head(&mut transaction).await?;
    let author =
        store::appeals::decide(&mut transaction, id, is_granted, &answer, &cause.operator, offset).await?;
    let Some(appeal) = store::appeals::find(&mut transaction, id).await? else { return Ok(None) };
    let Some(author) = author else { return Ok(Some(appeal)) };
    let Some((account_no, before)) = store::sanctions::find(&mut transaction, &author).await? else {
        return Ok(None);
    };
    let sanctioned_since =
        store::appeals::sanctioned_since(&mut transaction, &author, appeal.created_at).await?;
    let is_banned_or_muted = sanctions::is_banned_or_muted(&before, state.clock.now());
    if let Some(sanction) = pardoned_sanction(sanctioned_since)
        .filter(|measure| is_granted && is_banned_or_muted && measure.apply_to(&before) != before)
    {
        sanctions::apply_in_transaction(
            state,
            &mut transaction,
            cause,
            (account_no, &author),
            &sanction,
            &before,
        )
        .await?;
    }
    let entry =
        cause.audit_entry(if is_granted { "grant" } else { "deny" }, &appeal.id, json!(null), json!(appeal));
    super::audit::record(&mut transaction, &entry, offset).await?;
    // Who was neither banned nor muted has appealed against its name.
    if is_granted && !is_banned_or_muted {
        store::sanctions::unlock_name(&mut transaction, account_no).await?;
    }
    state.log.commit(transaction).await?;
    Ok(Some(appeal))
}

/// What a granted appeal lifts: no ban and no mute that is younger than itself.
fn pardoned_sanction(sanctioned_since: (bool, bool)) -> Option<Sanction> {
    match sanctioned_since {
        (false, false) => Some(Sanction::Pardon),
        (false, true) => Some(Sanction::Unban),
        (true, false) => Some(Sanction::Unmute),
        (true, true) => None,
    }
}
