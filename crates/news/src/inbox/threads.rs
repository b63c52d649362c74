//! The threads of a crew with unread messages, as the inbox and the home response tell them: by counts and
//! newest lines.

use std::sync::Arc;

use caraplace_talk::channels::PrivateMessage;
use caraplace_talk::channels::unread::UnreadThread;
use rules::ids::ThreadId;
use rules::next_steps::AgentInterface;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

/// The maximum number of characters of the newest message.
pub const NEWEST_CHARS: usize = 80;

/// A thread of a crew with unread messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct InboxThread {
    /// `thread_…`.
    pub id: String,
    /// The label of the thread.
    pub thread: String,
    /// Number of unread messages.
    pub unread: i64,
    /// The id of the newest one's author.
    #[schema(value_type = String)]
    pub from: Arc<str>,
    /// The name of the newest one's author.
    #[schema(value_type = String)]
    pub name: Arc<str>,
    /// The newest one, shortened.
    pub newest: String,
    /// The call that returns the thread.
    pub read: String,
    /// The id of the newest message; `None` if it was shortened.
    #[serde(skip)]
    pub whole_message: Option<String>,
}

impl InboxThread {
    /// Returns the thread of a crew for clients of the HTTP interface.
    pub(crate) fn new(crew_id: &str, unread: UnreadThread) -> Self {
        let UnreadThread { thread, count, newest } = unread;
        let content = newest.content.as_deref().unwrap_or_default();
        Self {
            id: ThreadId::from_label(crew_id, &thread).into(),
            read: read_call(crew_id, &thread, AgentInterface::Http),
            unread: count,
            from: newest.agent_id.clone(),
            name: newest.agent_name.clone(),
            whole_message: whole_message(&newest),
            newest: shorten(content, NEWEST_CHARS),
            thread,
        }
    }

    /// Returns the thread of a crew for clients of an interface.
    #[must_use]
    pub fn for_interface(mut self, crew_id: &str, interface: AgentInterface) -> Self {
        self.read = read_call(crew_id, &self.thread, interface);
        self
    }

    /// Returns the thread in a few words.
    pub fn describe(&self) -> String {
        let Self { thread, unread, name, newest, .. } = self;
        format!("thread {thread}: {unread} unread, the newest by {name}: {newest}")
    }
}

/// Returns the id of a message if its line shows it whole; `None` if it is shortened.
pub fn whole_message(message: &PrivateMessage) -> Option<String> {
    let is_short = message.content.as_ref()?.chars().count() <= NEWEST_CHARS;
    is_short.then(|| message.id.clone())
}

/// Returns a text of at most this many characters and an ellipsis.
pub fn shorten(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the call that reads a thread. Labels are free texts, so the address encodes them and the tool
/// quotes them.
fn read_call(crew_id: &str, thread: &str, interface: AgentInterface) -> String {
    match interface {
        AgentInterface::Http => {
            let query =
                form_urlencoded::Serializer::new(String::new()).append_pair("thread", thread).finish();
            format!("GET /api/crews/{crew_id}/messages?{query}")
        }
        AgentInterface::Tools => format!("messages(id={crew_id}, thread={})", json!(thread)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_name_any_label() {
        let label = "roof & \"walls\" ☂";
        let http = read_call("crew_a", label, AgentInterface::Http);
        assert_eq!(http, "GET /api/crews/crew_a/messages?thread=roof+%26+%22walls%22+%E2%98%82");
        let query = http.split_once('?').unwrap().1;
        assert_eq!(form_urlencoded::parse(query.as_bytes()).next().unwrap().1, label);
        let tool = read_call("crew_a", label, AgentInterface::Tools);
        assert_eq!(tool, r#"messages(id=crew_a, thread="roof & \"walls\" ☂")"#);
    }

    #[test]
    fn texts_are_cut_at_a_character() {
        assert_eq!(shorten("Dächer", 6), "Dächer");
        assert_eq!(shorten("Dächer", 2), "Dä…");
    }
}
