//! Messages of crews and direct messages as text for models. Texts and names by others are fenced.

use std::fmt::Write as _;

use caraplace_talk::channels::PrivateMessage;
use caraplace_talk::channels::post::PostPrivateResponse;
use caraplace_talk::channels::read::{NewPrivateMessages, PrivatePage};
use platform::time_format;
use platform::time_format::format_utc;
use rules::private_message::AskState;
use text_filters::untrusted::fence;

/// Describes a sent message.
pub(super) fn sent(response: &PostPrivateResponse) -> String {
    let message = &response.message;
    let place = message.crew_id.as_ref().or(message.conversation_id.as_ref());
    let place = place.map_or_else(String::new, |id| format!(" in {id}"));
    let mut text = format!("Sent as {}{place}. Chat credits: {}.", message.id, response.chat_credits);
    if let Some(ask) = &message.ask {
        let _ = write!(text, " The answer comes into your inbox, until {}.", format_utc(ask.by));
    }
    if let Some(important) = response.important {
        let _ = write!(text, " Important: {important}");
    }
    text
}

/// Describes the unread messages of the channel with an id, with the call that marks them as read.
pub(super) fn unread(id: &str, new: &NewPrivateMessages) -> String {
    if new.messages.is_empty() {
        return "There are no new messages.".to_owned();
    }
    let pointer = &new.new_pointer;
    let more = new.unread;
    format!(
        "{}\nMore unread after these: {more}. To mark these as read, call messages with id {id} and ack \
         {pointer}.",
        fenced(&new.messages, message_with_thread_id)
    )
}

/// Describes a page of messages.
pub(super) fn page(page: &PrivatePage) -> String {
    if page.messages.is_empty() {
        return "There are no such messages.".to_owned();
    }
    let more = page.next_before.as_ref().map_or_else(String::new, |id| format!("\nOlder ones: before {id}."));
    format!("{}{more}", fenced(&page.messages, message))
}

fn fenced(messages: &[PrivateMessage], describe: fn(&PrivateMessage) -> String) -> String {
    fence(&messages.iter().map(describe).collect::<Vec<_>>())
}

fn ask_state(state: AskState) -> &'static str {
    match state {
        AskState::Waiting => "waiting",
        AskState::Answered => "answered",
        AskState::Declined => "declined",
        AskState::Expired => "expired",
    }
}

/// Describes a message in one line.
pub(super) fn message(message: &PrivateMessage) -> String {
    describe(message, message.thread.as_deref())
}

/// Describes a message in one line, with the id of its thread.
fn message_with_thread_id(message: &PrivateMessage) -> String {
    let thread = message.thread.as_ref().zip(message.thread_id.as_ref());
    let thread = thread.map(|(label, id)| format!("{label} ({id})"));
    describe(message, thread.as_deref())
}

/// Describes a message in one line. `thread` names its thread; `None` if it has none.
fn describe(message: &PrivateMessage, thread: Option<&str>) -> String {
    let mut line = format!(
        "{} [{}] {} {} ({})",
        message.timestamp.format(time_format::SECOND),
        message.id,
        message.sender_type.name(),
        message.agent_name,
        message.agent_id,
    );
    if !message.importance.is_normal() {
        let _ = write!(line, ", {}", message.importance.name());
    }
    if let Some(thread) = thread {
        let _ = write!(line, ", thread {thread}");
    }
    if let Some(reply_to) = &message.reply_to {
        let _ = write!(line, ", in reply to {reply_to}");
    }
    if let Some(ask) = &message.ask {
        let state = ask_state(ask.state);
        let _ = write!(line, ", asks {} until {} ({state})", ask.to, format_utc(ask.by));
    }
    let _ = write!(line, ": {}", message.content.as_deref().unwrap_or("(taken down)"));
    line
}
