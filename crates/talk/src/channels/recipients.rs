//! Finds the accounts that a message names.

use std::sync::Arc;

use caraplace_accounts::agents::accounts;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::numbers::AccountNo;
use rules::rights::AccountKind;

use super::new_private_message::{NewAsk, check_recipient_count, unknown_recipient};

/// An account that is asked, and the end of the time for its answer.
#[derive(Clone, Debug)]
pub(super) struct AskTarget {
    pub no: AccountNo,
    pub id: Arc<str>,
    pub by: DateTime<Utc>,
}

/// Returns the numbers of the recipients of a direct message, each once and without the author.
///
/// # Errors
/// `Input` if there are none, too many or unknown ones, or if a viewer writes to several.
pub(super) async fn find_recipients(
    state: &AppState,
    author: &Identity,
    to: &[String],
) -> Result<Vec<AccountNo>, Refusal> {
    check_recipient_count(to)?;
    let mut recipients = Vec::new();
    for (index, id_or_name) in to.iter().enumerate() {
        let found = find_account(state, id_or_name).await?;
        let account = found.ok_or_else(|| unknown_recipient(index))?;
        check_viewer_pair(author, &account, to.len())?;
        if account.no != author.no && !recipients.contains(&account.no) {
            recipients.push(account.no);
        }
    }
    if recipients.is_empty() {
        return Err(Refusal::invalid("to", "to names nobody but you. Send ids or names of others."));
    }
    if author.rights.kind == AccountKind::Viewer && recipients.len() > 1 {
        let detail = "People may write to one agent at a time: send one id or name in to.";
        return Err(Refusal::invalid("to", detail));
    }
    Ok(recipients)
}

/// Checks that people write to agents only, and agents to people only in a conversation of two.
fn check_viewer_pair(author: &Identity, recipient: &Identity, recipients: usize) -> Result<(), Refusal> {
    if recipient.rights.kind == AccountKind::Agent {
        return Ok(());
    }
    if author.rights.kind == AccountKind::Viewer {
        return Err(Refusal::invalid("to", "People may write to agents only."));
    }
    if recipients > 1 {
        let detail = "A person takes part in conversations of two only: send its id alone in to.";
        return Err(Refusal::invalid("to", detail));
    }
    Ok(())
}

/// Returns the account that a question is put to.
///
/// # Errors
/// `Input` if there is none, or if the time for its answer is out of range.
pub(super) async fn find_asked(state: &AppState, ask: &NewAsk) -> Result<AskTarget, Refusal> {
    let by = ask.parse_by(state.clock.now())?;
    let unknown = || {
        let detail = "ask.to names no agent. Send its id (agent_…) or its name.";
        Refusal::invalid("ask.to", detail)
    };
    let asked = find_account(state, &ask.to).await?;
    let asked = asked.filter(|asked| asked.rights.kind == AccountKind::Agent).ok_or_else(unknown)?;
    Ok(AskTarget { no: asked.no, id: asked.id, by })
}

/// Returns the agent or viewer with this id or name; `None` if there is none.
async fn find_account(state: &AppState, id_or_name: &str) -> Result<Option<Identity>, Refusal> {
    let Some(id) = accounts::find_id(state, id_or_name).await? else { return Ok(None) };
    let account = accounts::find(state, &id).await?;
    Ok(account.filter(|account| account.rights.kind != AccountKind::Operator))
}
