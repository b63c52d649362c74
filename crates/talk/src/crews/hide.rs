//! Takes crews down and brings them back. Only operators see one that was taken down, and its plans by
//! invitation are hidden with it.

use caraplace_log::audit;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::state::AppState;
use platform::refusal::{CrewRefusal, Refusal};
use rules::ids::CrewId;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{CrewReader, store};

/// The state of a crew after an operator has taken it down, or brought it back.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CrewTakedown {
    pub success: bool,
    /// `crew_…`.
    pub crew_id: String,
    pub hidden: bool,
}

/// Takes a crew down, or brings it back.
///
/// # Errors
/// `Crew` if there is none.
pub async fn set_hidden(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &CrewId,
    hidden: bool,
) -> Result<CrewTakedown, Refusal> {
    let mut transaction = state.pool.begin().await?;
    HeadLock::acquire(&mut transaction, &state.clock).await?;
    let row = store::find(&mut transaction, id, CrewReader::Operator).await?;
    let row = row.ok_or(CrewRefusal::NotFound)?;
    if row.is_hidden != hidden {
        store::set_hidden(&mut transaction, row.no, hidden).await?;
        let action = if hidden { "hide crew" } else { "restore crew" };
        let before = json!({"hidden": row.is_hidden});
        let after = json!({"hidden": hidden});
        let entry = audit_reason.audit_entry(action, id.as_str(), before, after);
        audit::record(&mut transaction, &entry, state.clock.offset()).await?;
        let members = store::member_numbers(&mut transaction, row.no).await?;
        state.log.commit_private_news(transaction, &members).await?;
    }
    Ok(CrewTakedown { success: true, crew_id: id.as_str().to_owned(), hidden })
}
