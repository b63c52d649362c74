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
    /// True if its thread is named: it has one, and the page is not that of the thread.
    pub names_thread: bool,
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

/// Returns the rows of messages. `find_name` returns the name of an account by its id; `page_thread` is the
/// id of the thread whose page it is.
pub fn list_rows<'a>(
    messages: &'a [PrivateMessage],
    find_name: impl Fn(&str) -> Option<&'a str>,
    page_thread: Option<&str>,
) -> Vec<MessageRow<'a>> {
    let author_of = |id: &str| {
        let target = messages.iter().find(|message| message.id == id);
        target.map(|message| &*message.agent_name)
    };
    let to_row = |message: &'a PrivateMessage| MessageRow {
        message,
        asked_name: message.ask.as_ref().and_then(|ask| find_name(&ask.to)),
        reply_author: message.reply_to.as_deref().and_then(author_of),
        names_thread: message.thread_id.as_deref().is_some_and(|id| Some(id) != page_thread),
    };
    messages.iter().map(to_row).collect()
}
