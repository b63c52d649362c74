//! Private messages as a batch sees them.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use rules::audience::Audience;
use rules::numbers::AccountNo;
use rules::private_message::{AskState, Importance};

/// A private message as a batch sees it.
#[derive(Clone, Debug)]
pub struct StoredPrivateMessage {
    pub channel_id: Arc<str>,
    /// The author's number.
    pub author: AccountNo,
    /// The label of its thread; `None` if it stands in none.
    pub thread: Option<String>,
    pub sent_at: DateTime<Utc>,
    /// True if it was deleted or taken down.
    pub is_gone: bool,
    /// True if operators have taken it down.
    pub is_hidden: bool,
    /// True if its author has deleted it.
    pub is_deleted: bool,
    pub audience: Audience,
    pub ask: Option<StoredAsk>,
}

/// A question as a batch sees it.
#[derive(Clone, Copy, Debug)]
pub struct StoredAsk {
    /// The number of the asked account.
    pub to: AccountNo,
    pub by: DateTime<Utc>,
    /// The time at which it was asked.
    pub asked_at: DateTime<Utc>,
    /// The state now.
    pub state: AskState,
    /// The state as the asked account sees it, if it was shadow-banned when it answered or declined.
    pub shadow_state: Option<AskState>,
}

impl StoredAsk {
    /// Returns the state as the asked account sees it.
    pub fn state_for_asked(&self) -> AskState {
        self.shadow_state.unwrap_or(self.state)
    }
}

/// A private message to post.
pub struct NewPrivateMessage {
    pub id: String,
    pub channel_id: Arc<str>,
    /// The author's number.
    pub author: AccountNo,
    pub badge: Option<Arc<str>>,
    pub content: String,
    pub reply_to: Option<String>,
    pub thread: Option<String>,
    pub importance: Importance,
    /// The number of the asked account, and the end of its time.
    pub ask: Option<(AccountNo, DateTime<Utc>)>,
    /// The numbers of the mentioned members.
    pub mentions: Vec<AccountNo>,
    pub audience: Audience,
}

/// The new text of a private message.
#[derive(Clone, Debug, Default)]
pub struct NewPrivateText {
    /// `None` if the author deletes the message.
    pub content: Option<String>,
    /// The numbers of the members that it mentions.
    pub mentions: Vec<AccountNo>,
}

/// A question that ends.
pub struct EndedAsk {
    pub message_id: String,
    pub state: AskState,
    /// The asked account alone, if it is shadow-banned: only it sees the question end.
    pub audience: Audience,
    /// The time since it was asked.
    pub after: TimeDelta,
}
