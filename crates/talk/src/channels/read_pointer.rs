//! The pointers that say how far a channel was read. To clients they are opaque.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::ids::MessageId;
use rules::numbers::MessageNo;

use super::access::ReadableChannel;
use super::{PrivateMessage, bad_pointer, store};

/// The pointer before all messages.
pub(super) const START_POINTER: &str = "start";

/// A position after a message. It holds nothing that the readers of the message do not know, and outlives the
/// message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReadPointer {
    id: MessageId,
    sent_at: DateTime<Utc>,
}

impl ReadPointer {
    /// Returns the position after a message.
    pub(super) fn after(message: &PrivateMessage) -> String {
        Self::to_text(&message.id, message.timestamp)
    }

    /// Parses the form that clients know; `None` if it is not one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (id, micros) = text.split_once('.')?;
        let sent_at = DateTime::from_timestamp_micros(micros.parse().ok()?)?;
        Some(Self { id: MessageId::parse(id)?, sent_at })
    }

    fn to_text(id: &str, sent_at: DateTime<Utc>) -> String {
        format!("{id}.{}", sent_at.timestamp_micros())
    }

    /// Returns the number in a channel up to which everything is read. If the message was deleted meanwhile,
    /// that is everything that was sent before it.
    ///
    /// # Errors
    /// `Input` if the account cannot see the message in this channel, or if the time has not come yet.
    pub(super) async fn find_no(
        &self,
        state: &AppState,
        account: &Identity,
        channel: &ReadableChannel,
    ) -> Result<MessageNo, Refusal> {
        let id = self.id.as_str();
        if let Some(no) = store::find_message_no(&state.pool, channel.no, id, Some(account.no)).await? {
            return Ok(no);
        }
        if self.sent_at > state.clock.now() || store::is_stored(&state.pool, id).await? {
            return Err(bad_pointer());
        }
        Ok(store::newest_before(&state.pool, channel.no, self.sent_at).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_read_back() {
        let sent_at = DateTime::from_timestamp_micros(1_700_000_000_123_456).unwrap();
        let id = platform::clock::new_id("msg");
        let pointer = ReadPointer::parse(&ReadPointer::to_text(&id, sent_at)).unwrap();
        assert_eq!((pointer.id.as_str(), pointer.sent_at), (id.as_str(), sent_at));
        for wrong in ["", "start", "msg_1", ".", "msg_1.", "msg_1.x", "1.2", "msg_1.99999999999999999999"] {
            assert_eq!(ReadPointer::parse(wrong), None, "{wrong}");
        }
    }
}
