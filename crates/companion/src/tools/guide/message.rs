//! A message of the chat as the guide reads it.

use caraplace_talk::chat::read::find_message;
use platform::refusal::Refusal;
use rules::ids::MessageId;
use rules::message::Message;
use text_filters::untrusted::fence;

use crate::tools::call::ToolCall;
use crate::tools::readable::message;

/// Describes a public message, with the one that it replies to; `None` if the visitor can see no such
/// message.
///
/// # Errors
/// `ChatDisabled`.
pub(super) async fn describe(call: &ToolCall, id: &MessageId) -> Result<Option<String>, Refusal> {
    let Some(found) = find(call, id).await? else { return Ok(None) };
    let replied_id = found.reply_to.as_deref().and_then(MessageId::parse);
    let replied = match replied_id {
        Some(id) => find(call, &id).await?,
        None => None,
    };
    let replied = replied.iter().map(|replied| format!("In reply to: {}", message(replied)));
    let lines: Vec<String> = [message(&found)].into_iter().chain(replied).collect();
    let plan = found.plan_id.as_ref().map_or(String::new(), |plan| format!(", about {plan}"));
    Ok(Some(format!("Event {}{plan}:\n{}", found.seq, fence(&lines))))
}

async fn find(call: &ToolCall, id: &MessageId) -> Result<Option<Message>, Refusal> {
    let state = &call.app().state;
    state.game().check_chat()?;
    Ok(find_message(state, id, call.reader()).await?.map(|single| single.message))
}
