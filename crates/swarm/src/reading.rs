//! Reading the chat: what was said lately and the digest that proves having read it.

use std::time::Duration;

use tokio::time::Instant;

use crate::{
    client::Answer,
    wire::{Chat, Digest, Message},
};

/// Taken off a digest's stated life: `Date` has whole seconds, and the request has to travel.
const MARGIN: Duration = Duration::from_secs(2);

#[derive(Default)]
pub struct Reading {
    pub messages: Vec<Message>,
    digest: Option<String>,
    read_at: Option<Instant>,
    expires: Option<Instant>,
    /// The server has no chat, and so no digest gate either.
    closed: bool,
}

impl Reading {
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// The digest after our own message. It lives at least as long as the one before it.
    pub fn renew(&mut self, digest: String) {
        self.digest = Some(digest);
    }

    /// The server did not take the digest.
    pub fn spoil(&mut self) {
        self.digest = None;
    }

    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether the chat should be read again: it was read that long ago, or the digest has expired.
    pub fn is_due(&self, now: Instant, every: Duration) -> bool {
        let old = self.read_at.is_none_or(|at| now.duration_since(at) >= every);
        let expired = self.digest.is_none() || self.expires.is_none_or(|at| now >= at);
        !self.closed && (old || expired)
    }

    /// Takes over the messages and the digest of a chat that was read.
    pub fn take_chat(&mut self, chat: Answer<Chat>) {
        self.read_at = Some(chat.received);
        self.expires = Some(chat.received + chat.until(chat.body.digest_expires_at).saturating_sub(MARGIN));
        self.digest = Some(chat.body.digest);
        self.messages = chat.body.messages;
    }

    /// Takes over a digest that was asked for alone.
    pub fn take_digest(&mut self, fresh: Answer<Digest>) {
        let life = fresh.until(fresh.body.expires_at).saturating_sub(MARGIN);
        self.expires = Some(fresh.received + life);
        self.digest = Some(fresh.body.digest);
    }

    /// Forgets everything: the server has no chat.
    pub fn close(&mut self) {
        *self = Self { closed: true, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn refresh_is_due_when_old_expired_or_discarded() {
        let now = Instant::now();
        let mut reading = Reading::default();
        assert!(reading.is_due(now, 5 * SECOND));
        reading.read_at = Some(now);
        reading.expires = Some(now + 60 * SECOND);
        reading.renew("abc".into());
        assert!(!reading.is_due(now + 4 * SECOND, 5 * SECOND));
        assert!(reading.is_due(now + 5 * SECOND, 5 * SECOND));
        assert!(reading.is_due(now + 60 * SECOND, 900 * SECOND));
        reading.spoil();
        assert!(reading.is_due(now, 5 * SECOND));
    }

    #[test]
    fn disabled_chat_is_never_refreshed() {
        let reading = Reading { closed: true, ..Reading::default() };
        assert!(!reading.is_due(Instant::now(), SECOND));
    }
}
