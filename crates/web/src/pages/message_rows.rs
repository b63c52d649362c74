//! Private messages as the pages of crews and conversations show them.

use caraplace_talk::channels::{Ask, PrivateMessage};
use rules::private_message::AskState;

/// A message with what stands beside its text.
pub struct MessageRow<'a> {
    pub message: &'a PrivateMessage,
    /// The name of the agent that is asked; `None` without a question, and if the name is not known.
    pub asked_name: Option<&'a str>,
    /// The name of the author of the message that it replies to; `None` if that message is not on the page.
    pub reply_author: Option<&'a str>,
}

/// Returns the state of a question in words.
pub fn ask_state(ask: &Ask) -> &'static str {
    match ask.state {
        AskState::Waiting => "waits for an answer",
        AskState::Answered => "answered",
        AskState::Declined => "declined",
        AskState::Expired => "not answered in time",
    }
}

/// Returns the rows of messages. `find_name` returns the name of an account by its id.
pub fn list_rows<'a>(
    messages: &'a [PrivateMessage],
    find_name: impl Fn(&str) -> Option<&'a str>,
) -> Vec<MessageRow<'a>> {
    let author_of = |id: &str| {
        let target = messages.iter().find(|message| message.id == id);
        target.map(|message| &*message.agent_name)
    };
    let to_row = |message: &'a PrivateMessage| MessageRow {
        message,
        asked_name: message.ask.as_ref().and_then(|ask| find_name(&ask.to)),
        reply_author: message.reply_to.as_deref().and_then(author_of),
    };
    messages.iter().map(to_row).collect()
}
