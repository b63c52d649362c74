//! The events of the log, and their wire format.

use std::borrow::Cow;
use std::mem::discriminant;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::grid::{Corners, Point, Size};
use rules::intent::{IntentDetails, IntentState};
use rules::message::{Message, ReactionCount};
use rules::micros;
use rules::numbers::{AccountNo, Seq};
use rules::plan::record::PlanChange;
use serde::{Serialize, Serializer};

/// A placement.
#[derive(Clone, Debug)]
pub struct PlacementEvent {
    pub seq: Seq,
    pub point: Point,
    /// The index into the palette.
    pub color: u8,
    /// `agent_…`.
    pub agent: Arc<str>,
    /// The number of the agent that placed the pixel.
    pub painter: u32,
}

/// Returns a painter's number as it is stored for each pixel. It is 0 for the operator and for an agent whose
/// number is too large; neither of them is recognised as the painter of its own pixel.
pub fn compact_painter(agent_no: AccountNo) -> u32 {
    u32::try_from(agent_no.0).unwrap_or(0)
}

/// A public change with a sequence number.
#[derive(Clone, Debug)]
pub enum Event {
    /// A pixel was placed.
    Pixel(PlacementEvent),
    /// A message was posted.
    Chat(Arc<Message>),
    /// An author has changed the text of a message.
    Edited(TextEdit),
    /// The reactions to a message changed.
    Reaction(ReactionUpdate),
    /// A message was hidden.
    Hidden(VisibilityChange),
    /// A hidden message was restored.
    Restored(VisibilityChange),
    /// An author has deleted a message. Clients receive it as a hidden one.
    Deleted(VisibilityChange),
    /// An intent was changed or ended by its author.
    Intent(IntentChange),
    /// A plan was opened, changed, finished or ended.
    Plan(PlanChange),
    /// A season was opened.
    Season(SeasonStart),
}

/// The text of a message after its author has changed it.
#[derive(Clone, Debug, Serialize)]
pub struct TextEdit {
    pub seq: Seq,
    pub message_id: String,
    /// The current text of the message; absent if the message has been hidden or deleted since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(skip)]
    pub at: DateTime<Utc>,
    /// True if the message is hidden.
    #[serde(skip)]
    pub hidden: bool,
}

impl TextEdit {
    /// Sets the text of the message.
    pub fn apply_to(&self, message: &mut Message) {
        message.content.clone_from(&self.content);
        message.edited_at = Some(self.at);
    }

    /// Returns the change as every reader may see it: without the text if the message is hidden.
    fn public_view(&self) -> Cow<'_, Self> {
        if self.hidden { Cow::Owned(Self { content: None, ..self.clone() }) } else { Cow::Borrowed(self) }
    }
}

/// A decision to hide, restore or delete a message.
#[derive(Clone, Debug, Serialize)]
pub struct VisibilityChange {
    pub seq: Seq,
    pub message_id: String,
    #[serde(skip)]
    pub at: DateTime<Utc>,
}

/// A message's reactions after one of them was added or removed.
#[derive(Clone, Debug, Serialize)]
pub struct ReactionUpdate {
    pub seq: Seq,
    pub message_id: String,
    pub reactions: Vec<ReactionCount>,
}

/// An intent's details after its author changed them.
#[derive(Clone, Debug)]
pub struct IntentChange {
    pub seq: Seq,
    pub message_id: String,
    pub details: IntentDetails,
}

impl IntentChange {
    /// Returns the change as it is sent while readers may not see the intent.
    #[must_use]
    pub(crate) fn without_regions(self) -> Self {
        Self { details: IntentDetails::withdrawn(self.details.expires_at), ..self }
    }
}

/// The JSON of an [`IntentChange`].
#[derive(Serialize)]
struct IntentChangeJson<'a> {
    seq: Seq,
    message_id: &'a str,
    state: IntentState,
    regions: &'a [Corners],
    #[serde(serialize_with = "micros::serialize")]
    expires_at: DateTime<Utc>,
}

impl Serialize for IntentChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { seq, message_id, details: IntentDetails { state, regions, expires_at } } = self;
        let seq = *seq;
        let state = *state;
        let expires_at = *expires_at;
        IntentChangeJson { seq, message_id, state, regions, expires_at }.serialize(serializer)
    }
}

/// The opening of a season, with a blank canvas.
#[derive(Clone, Debug, Serialize)]
pub struct SeasonStart {
    pub seq: Seq,
    /// `season_…`.
    pub season: String,
    pub title: String,
    #[serde(skip)]
    pub size: Size,
    #[serde(skip)]
    pub opened_at: DateTime<Utc>,
}

impl Event {
    /// Returns the sequence number.
    pub fn seq(&self) -> Seq {
        let (_, seq, _) = self.key();
        seq
    }

    /// Returns the name of its kind in the database, where placements have a table of their own.
    pub fn kind(&self) -> &'static str {
        let (kind, ..) = self.key();
        kind
    }

    /// Returns the id of the object that the event is about: the agent of a placement, otherwise a message, a
    /// plan or a season.
    pub fn subject_id(&self) -> &str {
        let (.., subject) = self.key();
        subject
    }

    /// Returns the name of the kind, the number, and the id of the object.
    fn key(&self) -> (&'static str, Seq, &str) {
        match self {
            Self::Pixel(placement) => ("pixel", placement.seq, &placement.agent),
            Self::Chat(message) => ("chat", message.seq, &message.id),
            Self::Edited(edit) => ("edited", edit.seq, &edit.message_id),
            Self::Reaction(reaction) => ("reaction", reaction.seq, &reaction.message_id),
            Self::Hidden(change) => ("hidden", change.seq, &change.message_id),
            Self::Restored(change) => ("restored", change.seq, &change.message_id),
            Self::Deleted(change) => ("deleted", change.seq, &change.message_id),
            Self::Intent(change) => ("intent", change.seq, &change.message_id),
            Self::Plan(change) => ("plan", change.seq, &change.plan_id),
            Self::Season(season) => ("season", season.seq, &season.season),
        }
    }

    /// Returns the id of the message that the event shows or is about, if an account may see it differently;
    /// `None` for other events.
    pub fn message_id(&self) -> Option<&str> {
        let may_differ =
            matches!(self, Self::Chat(_) | Self::Edited(_) | Self::Reaction(_) | Self::Intent(_));
        may_differ.then(|| self.subject_id())
    }

    /// Returns the event's name and its data as JSON, or `None` for pixels, because many of them share one
    /// frame.
    pub fn name_and_data(&self) -> Option<(&'static str, String)> {
        match self {
            Self::Pixel(_) => None,
            Self::Chat(message) => Some(("chat", to_json(&*message.public_view()))),
            Self::Edited(edit) => Some(("edited", to_json(&*edit.public_view()))),
            Self::Reaction(reaction) => Some(("reaction", to_json(reaction))),
            Self::Hidden(change) | Self::Deleted(change) => Some(("hidden", to_json(change))),
            Self::Restored(change) => Some(("restored", to_json(change))),
            Self::Intent(change) => Some(("intent", to_json(change))),
            Self::Plan(change) => Some(("plan", to_json(change))),
            Self::Season(season) => Some(("season", to_json(season))),
        }
    }

    /// Returns the event as it is sent while the chat is switched off: a message without its text.
    #[must_use]
    pub fn without_text(self) -> Self {
        match self {
            Self::Chat(message) => Self::Chat(Arc::new(Message { hidden: true, ..Message::clone(&message) })),
            Self::Edited(edit) => Self::Edited(TextEdit { hidden: true, ..edit }),
            Self::Intent(change) => Self::Intent(change.without_regions()),
            other => other,
        }
    }

    /// Returns true if it is the same event, not only one with the same number.
    pub fn is_same_event(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other) && self.content_key() == other.content_key()
    }

    /// Returns the values that distinguish the event from any other of its kind.
    fn content_key(&self) -> (Seq, &str, Option<(Point, u8)>) {
        let painted = match self {
            Self::Pixel(placement) => Some((placement.point, placement.color)),
            _ => None,
        };
        (self.seq(), self.subject_id(), painted)
    }
}

/// The folding of a message. This is state without an event: a client that loads the chat finds it there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageFolding {
    /// The message's sequence number.
    #[serde(skip)]
    pub seq: Seq,
    pub message_id: String,
    pub folded: bool,
}

/// Returns data as JSON.
pub(crate) fn to_json(data: &impl Serialize) -> String {
    // These types contain nothing that JSON cannot represent.
    serde_json::to_string(data).unwrap_or_default()
}
