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

use super::perform;

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

/// Posts a message as the system.
///
/// # Errors
/// `Content` if the text is not allowed, or `ChatDisabled` while the chat is switched off.
pub async fn announce(
    state: &AppState,
    audit_reason: AuditReason,
    content: &str,
) -> Result<Message, Refusal> {
    perform(state, prepare(state, audit_reason, content)?).await
}

/// Posts the message of a draft as the system, once however often the draft is approved.
///
/// # Errors
/// As [`announce`].
pub async fn announce_once(
    state: &AppState,
    audit_reason: AuditReason,
    content: &str,
    draft_id: &str,
) -> Result<CommandOutcome<Message>, Refusal> {
    let command = prepare(state, audit_reason, content)?;
    let operator = accounts::find_operator(state).await?;
    let repeatable = RepeatableRequest::of_draft(operator.no, draft_id);
    state.log.submit(&operator, Some(repeatable), command, None).await
}

fn prepare(state: &AppState, audit_reason: AuditReason, content: &str) -> Result<PostAnnouncement, Refusal> {
    let content = MessageContent::parse(content)?;
    if state.game().chat_enabled {
        Ok(PostAnnouncement { content, audit_reason })
    } else {
        Err(Refusal::ChatDisabled)
    }
}
