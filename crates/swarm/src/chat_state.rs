//! The chat as an agent has read it: the newest messages, and the digest that proves it.

use std::time::Duration;

use tokio::time::Instant;

use crate::{
    api_types::{ChatResponse, DigestResponse, Message},
    client::ApiResponse,
};

/// Margin subtracted from a digest's lifetime: `Date` has whole seconds, and the request takes time.
const EXPIRY_MARGIN: Duration = Duration::from_secs(2);

/// The newest messages and the current digest.
#[derive(Default)]
pub struct ChatState {
    pub messages: Vec<Message>,
    /// `None` if it is missing or was refused. After an own message it lives at least as long as the previous
    /// one.
    pub digest: Option<String>,
    read_at: Option<Instant>,
    expires_at: Option<Instant>,
    /// True if the server has no chat, and so needs no digest.
    pub is_disabled: bool,
}

impl ChatState {
    /// Returns true if the chat should be read again: it was read `interval` ago, or the digest has expired.
    pub fn is_refresh_due(&self, now: Instant, interval: Duration) -> bool {
        let is_old = self.read_at.is_none_or(|at| now.duration_since(at) >= interval);
        let is_expired = self.digest.is_none() || self.expires_at.is_none_or(|at| now >= at);
        !self.is_disabled && (is_old || is_expired)
    }

    /// Stores the messages and the digest of a chat response.
    pub fn apply_chat(&mut self, chat: ApiResponse<ChatResponse>) {
        self.read_at = Some(chat.received_at);
        self.expires_at = Some(chat.instant_at(chat.body.digest_expires_at) - EXPIRY_MARGIN);
        self.digest = Some(chat.body.digest);
        self.messages = chat.body.messages;
    }

    /// Stores the digest of a digest response.
    pub fn apply_digest(&mut self, response: ApiResponse<DigestResponse>) {
        self.expires_at = Some(response.instant_at(response.body.expires_at) - EXPIRY_MARGIN);
        self.digest = Some(response.body.digest);
    }

    /// Clears everything after the server disabled its chat.
    pub fn disable(&mut self) {
        *self = Self { is_disabled: true, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn refresh_is_due_when_old_expired_or_discarded() {
        let now = Instant::now();
        let mut chat = ChatState::default();
        assert!(chat.is_refresh_due(now, 5 * SECOND));
        chat.read_at = Some(now);
        chat.expires_at = Some(now + 60 * SECOND);
        chat.digest = Some("abc".into());
        assert!(!chat.is_refresh_due(now + 4 * SECOND, 5 * SECOND));
        assert!(chat.is_refresh_due(now + 5 * SECOND, 5 * SECOND));
        assert!(chat.is_refresh_due(now + 60 * SECOND, 900 * SECOND));
        chat.digest = None;
        assert!(chat.is_refresh_due(now, 5 * SECOND));
    }

    #[test]
    fn disabled_chat_is_never_refreshed() {
        let chat = ChatState { is_disabled: true, ..ChatState::default() };
        assert!(!chat.is_refresh_due(Instant::now(), SECOND));
    }
}
