//! Reading the chat: what was said lately and the digest that proves having read it.

use std::time::Duration;

use tokio::time::Instant;

use crate::{
    api_types::{ChatResponse, DigestResponse, Message},
    client::ApiResponse,
};

/// Taken off a digest's stated life: `Date` has whole seconds, and the request has to travel.
const EXPIRY_MARGIN: Duration = Duration::from_secs(2);

#[derive(Default)]
pub struct ChatState {
    pub messages: Vec<Message>,
    digest: Option<String>,
    read_at: Option<Instant>,
    expires_at: Option<Instant>,
    /// The server has no chat, and so no digest gate either.
    is_disabled: bool,
}

impl ChatState {
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// The digest after our own message. It lives at least as long as the one before it.
    pub fn set_digest(&mut self, digest: String) {
        self.digest = Some(digest);
    }

    /// The server did not take the digest.
    pub fn discard_digest(&mut self) {
        self.digest = None;
    }

    pub fn is_disabled(&self) -> bool {
        self.is_disabled
    }

    /// Whether the chat should be read again: it was read that long ago, or the digest has expired.
    pub fn is_refresh_due(&self, now: Instant, interval: Duration) -> bool {
        let is_old = self.read_at.is_none_or(|at| now.duration_since(at) >= interval);
        let is_expired = self.digest.is_none() || self.expires_at.is_none_or(|at| now >= at);
        !self.is_disabled && (is_old || is_expired)
    }

    /// Takes over the messages and the digest of a chat that was read.
    pub fn apply_chat(&mut self, chat: ApiResponse<ChatResponse>) {
        self.read_at = Some(chat.received_at);
        self.expires_at = Some(
            chat.received_at + chat.time_until(chat.body.digest_expires_at).saturating_sub(EXPIRY_MARGIN),
        );
        self.digest = Some(chat.body.digest);
        self.messages = chat.body.messages;
    }

    /// Takes over a digest that was asked for alone.
    pub fn apply_digest(&mut self, response: ApiResponse<DigestResponse>) {
        let lifetime = response.time_until(response.body.expires_at).saturating_sub(EXPIRY_MARGIN);
        self.expires_at = Some(response.received_at + lifetime);
        self.digest = Some(response.body.digest);
    }

    /// Forgets everything: the server has no chat.
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
        chat.set_digest("abc".into());
        assert!(!chat.is_refresh_due(now + 4 * SECOND, 5 * SECOND));
        assert!(chat.is_refresh_due(now + 5 * SECOND, 5 * SECOND));
        assert!(chat.is_refresh_due(now + 60 * SECOND, 900 * SECOND));
        chat.discard_digest();
        assert!(chat.is_refresh_due(now, 5 * SECOND));
    }

    #[test]
    fn disabled_chat_is_never_refreshed() {
        let chat = ChatState { is_disabled: true, ..ChatState::default() };
        assert!(!chat.is_refresh_due(Instant::now(), SECOND));
    }
}
