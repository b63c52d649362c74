//! Takes the names of erased accounts out of the announcements of new agents.

use caraplace_accounts::agents::accounts;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::state::AppState;
use caraplace_messages::edits::edit_text;
use caraplace_messages::erased::{clear_earlier_system_texts, system_messages_with};
use caraplace_messages::part::Messages;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::ids::MessageId;
use rules::names::{REMOVED_NAME, quote};
use rules::rights::AccountAction;

struct ReplaceName {
    announcement: MessageId,
    /// The former name, as announcements quote it.
    quoted: String,
}

impl Command for ReplaceName {
    type Output = ();

    const ACTION: AccountAction = AccountAction::Operate;

    const NEEDS_OPEN_SEASON: bool = false;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        needs.parts.get_mut::<Messages>().require_text(&self.announcement);
    }

    fn decide(&self, context: &mut BatchContext<'_>, account: &mut Account) -> Result<(), Refusal> {
        let found = context.part::<Messages>().find_text(account, self.announcement.as_str());
        // A text that was deleted, or changed by another instance, has the name no more.
        let Some(message) = found else { return Ok(()) };
        let Some(content) = message.content.clone().filter(|content| content.contains(&self.quoted)) else {
            return Ok(());
        };
        let content = content.replace(&self.quoted, &quote(REMOVED_NAME));
        edit_text(context, account, message, content, &[], None);
        Ok(())
    }
}

/// Replaces a former name of an account in the announcements since its registration.
///
/// # Errors
/// The refusal of the log. What was replaced before stays replaced.
pub async fn replace_name(
    state: &AppState,
    former_name: &str,
    registered_at: DateTime<Utc>,
) -> Result<(), Refusal> {
    let quoted = quote(former_name);
    let operator = accounts::find_operator(state).await?;
    for id in system_messages_with(state, &quoted, registered_at).await? {
        let Some(announcement) = MessageId::parse(&id) else { continue };
        let command = ReplaceName { announcement, quoted: quoted.clone() };
        state.log.submit(&operator, None, command, None).await?;
    }
    clear_earlier_system_texts(state, &quoted, registered_at).await
}
