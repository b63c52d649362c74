//! Announcements: chat messages that operators post as the system.

use caraplace_accounts::agents::accounts;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::batch_context::{Account, BatchContext};
use caraplace_log::command::{Command, CommandOutcome, RepeatableRequest};
use caraplace_log::state::AppState;
use caraplace_messages::batch::post_system_message;
use platform::refusal::Refusal;
use rules::message::Message;
use rules::rights::AccountAction;
use serde_json::json;
use text_filters::content::MessageContent;

struct PostAnnouncement {
    content: MessageContent,
    audit_reason: AuditReason,
}

impl Command for PostAnnouncement {
    type Output = Message;

    const ACTION: AccountAction = AccountAction::Operate;

    fn decide(&self, context: &mut BatchContext<'_>, _: &mut Account) -> Result<Message, Refusal> {
        let text = self.content.as_str().to_owned();
        let message = post_system_message(context, text.clone());
        context.audit(self.audit_reason.audit_entry(
            "announce",
            &message.id,
            json!(null),
            json!({"content": text}),
        ));
        Ok(Message::clone(&message))
    }
}

/// Posts a message as the system. That of a draft is posted once, however often the draft is approved.
///
/// # Errors
/// `Content` if the text is not allowed, or `ChatDisabled` while the chat is switched off.
pub async fn announce(
    state: &AppState,
    audit_reason: AuditReason,
    content: &str,
) -> Result<CommandOutcome<Message>, Refusal> {
    let content = MessageContent::parse(content, state.game().max_message_graphemes())?;
    state.game().check_chat()?;
    let operator = accounts::find_operator(state).await?;
    let draft_id = audit_reason.draft_id.as_deref();
    let repeatable = draft_id.map(|draft_id| RepeatableRequest::of_draft(operator.no, draft_id));
    state.log.submit(&operator, repeatable, PostAnnouncement { content, audit_reason }, None).await
}
