//! Evidence about private messages: those of crews, and direct messages. It holds only messages that the
//! reporter can read, and operators read a conversation in such evidence only.

use caraplace_log::state::AppState;
use caraplace_talk::channels::access::ChannelReader;
use caraplace_talk::channels::conversations::list_participants;
use caraplace_talk::channels::read::messages_for;
use platform::refusal::Refusal;
use rules::ids::MessageId;
use serde_json::{Value, json};

use super::case::Evidence;
use super::{ReportTarget, Reporter};
use crate::store::private_messages::{self as store, ReportablePrivateMessage};

/// The number of messages before and after a reported message that are stored with it.
const NEIGHBOUR_MESSAGES: i64 = 3;
/// The field of the evidence that says that not everyone could read the message.
const PRIVATE_FIELD: &str = "private";

/// The private message that a report is about, as its reporter may see it.
pub(super) enum ReportedPrivateMessage {
    /// The target is no private message.
    None,
    /// The reporter may not read it.
    Unreadable,
    Readable(Box<ReportablePrivateMessage>),
}

/// Looks for the target of a report among the private messages.
pub(super) async fn find(
    state: &AppState,
    target: &ReportTarget,
    reporter: Reporter<'_>,
) -> Result<ReportedPrivateMessage, Refusal> {
    let ReportTarget::Message(id) = target else { return Ok(ReportedPrivateMessage::None) };
    let found = store::find_reportable(&state.pool, id.as_str(), reporter.reader_no()).await?;
    Ok(match found {
        None => ReportedPrivateMessage::None,
        Some(message) if message.is_readable => ReportedPrivateMessage::Readable(Box::new(message)),
        Some(_) => ReportedPrivateMessage::Unreadable,
    })
}

/// Returns the current evidence about a private message. `None` if it was deleted or taken down.
pub(super) async fn collect(
    state: &AppState,
    id: &MessageId,
    message: &ReportablePrivateMessage,
    reporter: Reporter<'_>,
) -> Result<Option<Evidence>, Refusal> {
    if !message.has_text {
        return Ok(None);
    }
    let nos = store::list_around(&state.pool, message, reporter.reader_no(), NEIGHBOUR_MESSAGES).await?;
    // The texts as everyone sees them: an author must not report a text that only it sees.
    let messages = messages_for(state, ChannelReader::Anyone, &nos).await?;
    let position = messages.iter().position(|message| message.id == id.as_str()).unwrap_or_default();
    let mut json = json!({
        "message": messages.get(position),
        "before": &messages[..position],
        "after": messages.get(position + 1..).unwrap_or_default(),
        PRIVATE_FIELD: message.crew_visibility.as_deref() != Some("open"),
    });
    if message.channel_kind == "direct" {
        let participants = list_participants(state, message.channel).await?;
        json["conversation_id"] = message.channel_id.clone().into();
        json["participants"] = json!(participants);
    } else {
        json["crew_id"] = message.channel_id.clone().into();
        json["crew_name"] = message.crew_name.clone().into();
    }
    // Its author may report a message that only it can see, without learning that nobody else can.
    Ok(Some(Evidence { author: Some(message.author), counts: message.audience().is_everyone(), json }))
}

/// Returns true if the evidence is about a message that not everyone could read.
pub(super) fn is_private(evidence: &Value) -> bool {
    evidence[PRIVATE_FIELD] == true
}
