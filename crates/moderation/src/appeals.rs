//! The operators' decisions on appeals.

use caraplace_accounts::agents::Appeal;
use caraplace_log::audit_reason::{AuditReason, parse_reason};
use caraplace_log::state::AppState;
use caraplace_log::{audit, control};
use platform::refusal::Refusal;
use rules::sanctions::Sanction;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{AppealRecord, sanctions, store};

/// An operator's decision on an appeal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppealDecision {
    /// Lifts the ban and the mute. If there is neither, the account may choose its name again.
    Grant,
    Deny,
}

/// A page of appeals.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppealList {
    /// Open appeals oldest first, decided ones newest first.
    pub appeals: Vec<AppealRecord>,
}

/// Returns open or decided appeals for operators.
pub async fn page(state: &AppState, open: bool, limit: i64) -> Result<AppealList, Refusal> {
    Ok(AppealList { appeals: store::appeals::list(&state.pool, open, limit).await? })
}

/// Decides an appeal. `None` if it does not exist. A decided appeal is returned unchanged.
///
/// # Errors
/// `Input` if the answer is empty or too long.
pub(crate) async fn decide(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &str,
    decision: AppealDecision,
    answer: &str,
) -> Result<Option<Appeal>, Refusal> {
    let answer = parse_reason("answer", answer)?;
    let is_granted = decision == AppealDecision::Grant;
    let offset = state.clock.offset();
    let mut transaction = state.pool.begin().await?;
    control::lock_head(&mut transaction).await?;
    let author =
        store::appeals::decide(&mut transaction, id, is_granted, &answer, &audit_reason.operator, offset)
            .await?;
    let Some(appeal) = store::appeals::find(&mut transaction, id).await? else { return Ok(None) };
    let Some(author) = author else { return Ok(Some(appeal)) };
    let Some((account_no, before)) = store::sanctions::find(&mut transaction, &author).await? else {
        return Ok(None);
    };
    let (is_banned_since, is_muted_since) =
        store::appeals::sanctioned_since(&mut transaction, &author, appeal.created_at).await?;
    let is_banned_or_muted = sanctions::is_banned_or_muted(&before, state.clock.now());
    if let Some(sanction) = pardoned_sanction(is_banned_since, is_muted_since)
        .filter(|sanction| is_granted && is_banned_or_muted && sanction.apply_to(&before) != before)
    {
        sanctions::apply_in_transaction(
            state,
            &mut transaction,
            audit_reason,
            account_no,
            &author,
            &sanction,
            &before,
        )
        .await?;
    }
    let entry = audit_reason.audit_entry(
        if is_granted { "grant" } else { "deny" },
        &appeal.id,
        json!(null),
        json!(appeal),
    );
    audit::record(&mut transaction, &entry, offset).await?;
    // An account that was neither banned nor muted has appealed against its name.
    if is_granted && !is_banned_or_muted {
        store::sanctions::unlock_name(&mut transaction, account_no).await?;
    }
    state.log.commit(transaction).await?;
    Ok(Some(appeal))
}

/// Returns the sanction that a granted appeal lifts. It leaves a ban or a mute that is newer than the appeal.
fn pardoned_sanction(is_banned_since: bool, is_muted_since: bool) -> Option<Sanction> {
    match (is_banned_since, is_muted_since) {
        (false, false) => Some(Sanction::Pardon),
        (false, true) => Some(Sanction::Unban),
        (true, false) => Some(Sanction::Unmute),
        (true, true) => None,
    }
}
