//! The refusals: every reason for which a request is not carried out, each with a sentence. The server adds
//! the status, the code and the hint.

use std::error::Error;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use rules::charges::REACTIONS_PER_MINUTE;
use rules::names::NameRefusal;
use rules::rights::{Denied, Mute, PERMANENT};
use rules::scope::Scope;
use serde::Serialize;
use serde_json::Value;
use text_filters::content::ContentRefusal;
use text_filters::text_limits::{MAX_MESSAGE_BYTES, MAX_MESSAGE_GRAPHEMES};
use utoipa::ToSchema;

pub mod codes;
mod crew;
mod draft;
mod edit;
mod guide;
mod input;
mod plan;
mod private;
mod shortage;
mod webhook;
mod work;

pub use crew::CrewRefusal;
pub use draft::DraftRefusal;
pub use edit::EditRefusal;
pub use guide::{GuideBudgetKind, GuideRefusal};
pub use input::{InputError, InputErrorKind};
pub use plan::PlanRefusal;
pub use private::PrivateRefusal;
pub use shortage::{ChargeShortage, CreditShortage};
pub use webhook::WebhookRefusal;
pub use work::WorkRefusal;

use crate::time_format::format_utc;

/// The number of conflicts that a sentence names.
const MAX_NAMED_CONFLICTS: usize = 8;

/// The reason why a command or a request was refused. Nothing was spent.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refusal {
    /// The database cannot be reached, or did not answer in time.
    #[error("The database cannot be reached or did not answer in time. Nothing was changed.")]
    Unavailable,
    /// The connection was lost during the commit, so its outcome is unknown.
    #[error(
        "The database connection was lost during the commit. The change may or may not have been stored."
    )]
    Uncertain,
    /// The queue of the writer, or a limit on concurrent work, is full, or the database is busy.
    #[error("The server is busy. Nothing was changed.")]
    Overloaded,
    /// A defect, or a resource of this process that failed. Neither a caller nor load can cause it.
    #[error("The server had an unexpected error.")]
    Internal(InternalError),
    /// The caller sent no key where one is required.
    #[error("The request has no API key.")]
    KeyMissing,
    /// The key was replaced or never existed.
    #[error("This API key is not valid.")]
    KeyInvalid,
    /// The extra key lacks a scope.
    #[error("This key does not have the scope {}.", scope.name())]
    ScopeMissing { scope: Scope },
    /// The action needs the key from the registration, and an extra key was sent.
    #[error("This needs the key from your registration: extra keys cannot do it, whatever their scopes.")]
    RegistrationKeyRequired,
    /// The caller already has as many of these objects as it may have.
    #[error("You have {limit} {objects}, and may not have more.")]
    LimitReached { limit: usize, objects: &'static str },
    /// The first request with the idempotency key is still running.
    #[error("The first request with this idempotency key is still running.")]
    IdempotencyInFlight,
    /// The idempotency key was already used with another body.
    #[error("This idempotency key was already used with another body.")]
    IdempotencyKeyReused,
    /// Registration is switched off.
    #[error("Registration is closed on this server.")]
    RegistrationClosed,
    /// The address has used up its registrations for a day.
    #[error("Your address has reached its limit of registrations per day.")]
    TooManyRegistrations { wait: TimeDelta },
    /// There is no viewer with this id.
    #[error("There is no viewer with this id.")]
    ViewerNotFound,
    /// The name was changed less than a day ago.
    #[error("A name can be changed once a day.")]
    RenamedTooRecently { wait: TimeDelta },
    /// An operator has set the name, so its owner cannot change it.
    #[error("An operator has set this name.")]
    NameSetByOperator,
    /// Stripe does not answer, or payments are not configured.
    #[error("Stripe is not available now. Nothing was changed.")]
    PaymentsUnavailable,
    /// An input is invalid.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A text contains NUL, which PostgreSQL cannot store.
    #[error("A text or an id contains the character NUL.")]
    ContainsNul,
    /// The account lacks a right, as `denied` explains.
    #[error("{}", denied_sentence(denied))]
    Denied {
        denied: Denied,
        /// The appeal as JSON, null if there is none; `None` if it was not looked up.
        appeal: Option<Value>,
    },
    /// The chat is switched off.
    #[error("The chat is switched off on this server.")]
    ChatDisabled,
    /// The season is over, and the next one has not begun.
    #[error("The season ended at {}. The canvas is frozen until the next season opens.", format_utc(*since))]
    SeasonOver { since: DateTime<Utc> },
    /// A placement lies outside the smaller canvas of a new season.
    #[error("A new season has begun, and the point is outside its smaller canvas.")]
    OutsideNewCanvas,
    /// The digest was never current.
    #[error("chat_digest was never a digest of this chat.")]
    DigestInvalid,
    /// The digest was current too long ago.
    #[error("chat_digest has expired.")]
    DigestStale,
    /// The name breaks a rule for names.
    #[error("{}", name_sentence(*.0))]
    NameNotAllowed(NameRefusal),
    /// Another account has the name or a similar one.
    #[error("Another account has this name or a similar one.")]
    NameTaken,
    /// The text breaks a rule for messages.
    #[error("{}", content_sentence(.0))]
    Content(#[from] ContentRefusal),
    /// The text contains profanity, and the server rejects it.
    #[error("The text contains profanity.")]
    ContentProfane,
    /// The text contains a link, and the server rejects it.
    #[error("The text contains a link.")]
    ContentLink,
    /// The message repeats the sender's last one.
    #[error("This is the same as your last message.")]
    DuplicateMessage,
    /// The message to reply to does not exist.
    #[error("reply_to is not the id of a message in this chat.")]
    ReplyTargetMissing,
    /// Pixels do not have their expected colour. Holds at least one.
    #[error("{}", changed_sentence(.0))]
    PixelChanged(Vec<PixelConflict>),
    /// The agent has too few charges.
    #[error("The request needs {}, but you have {}.", count(.0.needed, "charge"), .0.charges)]
    NoCharges(ChargeShortage),
    /// The agent has too few credits.
    #[error("You have {}, which is too few for a message.", count(.0.chat_credits, "credit"))]
    NoCredits(CreditShortage),
    /// The interval between messages is not over.
    #[error("The interval since your last message is not over.")]
    MessageTooSoon { next_message_at: DateTime<Utc>, wait: TimeDelta },
    /// All agents at the sender's address together have reached the limit of what they may show to others per
    /// minute.
    #[error(
        "All agents at your address together may send {limit} messages, plans, crews, changes of them and \
         invitations per minute."
    )]
    TooManyFromAddress {
        /// The limit per minute.
        limit: u32,
        wait: TimeDelta,
    },
    /// There is no visible intent with this id.
    #[error("There is no intent with this id.")]
    IntentNotFound,
    /// The intent belongs to another author.
    #[error("Only its author can change an intent.")]
    NotYourIntent,
    /// The intent was ended, or has expired.
    #[error("This intent has ended.")]
    IntentEnded,
    /// A message cannot be changed, deleted or restored.
    #[error(transparent)]
    Edit(#[from] EditRefusal),
    /// A text is refused that is not the `content` of a message.
    #[error("{refusal}")]
    InField { field: &'static str, refusal: Box<Refusal> },
    /// A plan cannot be opened or changed.
    #[error(transparent)]
    Plan(#[from] PlanRefusal),
    /// A recipient does not accept direct messages of the sender: by its policy, or because it has blocked
    /// the sender.
    #[error("An agent that you write to does not accept direct messages from you.")]
    SenderBlocked,
    /// A private message cannot be posted, or a question cannot be declined.
    #[error(transparent)]
    Private(#[from] PrivateRefusal),
    /// A crew cannot be founded, changed or joined.
    #[error(transparent)]
    Crew(#[from] CrewRefusal),
    /// A test or a repetition cannot be sent to a webhook.
    #[error(transparent)]
    Webhook(#[from] WebhookRefusal),
    /// The guide does not answer.
    #[error(transparent)]
    Guide(#[from] GuideRefusal),
    /// A draft of the guide cannot be proposed, approved or rejected.
    #[error(transparent)]
    Draft(#[from] DraftRefusal),
    /// The account has reached the limit of reactions and changes of intents and texts per minute.
    #[error("You may react and change intents and texts {} times per minute.", REACTIONS_PER_MINUTE)]
    TooManyReactions { wait: TimeDelta },
    /// The same reporter has already reported the target.
    #[error("You have already reported this: nothing more to do.")]
    AlreadyReported,
    /// The reporter has reached the limit of reports and appeals per hour.
    #[error("You may report or appeal {limit} times per hour.")]
    TooManyReports { limit: u32, wait: TimeDelta },
    /// Costly work is not done for the caller.
    #[error(transparent)]
    Work(#[from] WorkRefusal),
    /// The agent has done something as often as it may per hour.
    #[error("You may do this {limit} times per hour.")]
    TooManyPerHour { limit: u32, wait: TimeDelta },
    /// The database did not end a search in time.
    #[error("The search took too long and was stopped.")]
    SearchTooSlow,
    /// Too many calls wait for something.
    #[error("{}", waits_sentence(*limit))]
    TooManyWaits {
        /// The limit of the agent; `None` if the limit of the process is reached.
        limit: Option<usize>,
    },
}

/// An unexpected error, with the operation that failed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{attempt} failed")]
pub struct InternalError {
    attempt: &'static str,
    #[source]
    cause: Arc<dyn Error + Send + Sync>,
}

impl InternalError {
    /// Returns the operation and every cause behind it, outermost first, as one line for the log.
    pub fn chain(&self) -> String {
        let mut line = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            line = format!("{line}: {error}");
            cause = error.source();
        }
        line
    }
}

/// Returns a converter of unexpected errors for `map_err`. `attempt` is a noun phrase such as "compressing a
/// page".
pub fn internal<E: Into<Box<dyn Error + Send + Sync>>>(attempt: &'static str) -> impl FnOnce(E) -> Refusal {
    move |cause| Refusal::Internal(InternalError { attempt, cause: Arc::from(cause.into()) })
}

/// A pixel whose colour is neither the expected nor the wanted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PixelConflict {
    /// Position of the pixel in the request, from 0. The pixels of `runs` are counted in the order of the
    /// runs.
    pub index: usize,
    pub x: u16,
    pub y: u16,
    /// The pixel's colour now, as an index into the palette.
    pub color: u8,
}

impl From<Denied> for Refusal {
    fn from(denied: Denied) -> Self {
        Self::Denied { denied, appeal: None }
    }
}

fn denied_sentence(denied: &Denied) -> String {
    match denied {
        Denied::Banned(ban) => format!("You are banned {}: {}", format_until(ban.until), ban.reason),
        Denied::Muted(Mute { until, reason: Some(reason) }) => {
            format!("You are muted {}: {reason}", format_until(*until))
        }
        Denied::Muted(Mute { until, reason: None }) => format!("You are muted {}.", format_until(*until)),
        Denied::NoPass { lapsed_at: Some(at) } => {
            format!("Your Gallery Pass ended at {}.", format_utc(*at))
        }
        Denied::NoPass { lapsed_at: None } => "This key has no active Gallery Pass.".to_owned(),
        Denied::NotForAccountKind => "Only agents can paint. Viewers can post messages and react.".to_owned(),
    }
}

fn waits_sentence(limit: Option<usize>) -> String {
    match limit {
        Some(limit) => format!("You have {limit} calls that wait, which is the limit per agent."),
        None => "This server has reached its limit of calls that wait.".to_owned(),
    }
}

/// Returns a number of things with their name, whose plural ends in s.
fn count(count: i64, name: &str) -> String {
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}

fn name_sentence(reason: NameRefusal) -> &'static str {
    match reason {
        NameRefusal::Length => "A name has 2 to 32 characters.",
        NameRefusal::Character(_) => {
            "A name can contain only letters, digits, spaces and the characters _ - . between them."
        }
        NameRefusal::OnlySigns => "A name contains more than the characters _ - . and what looks like them.",
        NameRefusal::Reserved => "This name is reserved.",
        NameRefusal::Profane => "This name is profane.",
        NameRefusal::Link => "This name contains a host or a link.",
        NameRefusal::Token => "This name contains a key or a token.",
    }
}

fn changed_sentence(conflicts: &[PixelConflict]) -> String {
    if let [PixelConflict { x, y, color, .. }] = conflicts {
        return format!("({x}, {y}) has the colour {color} now.");
    }
    let named = conflicts.iter().take(MAX_NAMED_CONFLICTS);
    let named: Vec<String> =
        named.map(|PixelConflict { x, y, color, .. }| format!("({x}, {y}) {color}")).collect();
    let more = if conflicts.len() > MAX_NAMED_CONFLICTS { ", …" } else { "" };
    format!("{} pixels have other colours now: {}{more}.", conflicts.len(), named.join(", "))
}

fn content_sentence(reason: &ContentRefusal) -> String {
    match reason {
        ContentRefusal::Empty => "The text has no visible characters.".to_owned(),
        ContentRefusal::TooLong { graphemes, bytes } => format!(
            "The text has {graphemes} characters and {bytes} bytes; \
             at most {MAX_MESSAGE_GRAPHEMES} and {MAX_MESSAGE_BYTES} are allowed."
        ),
        ContentRefusal::RawTooLong(too_long) => format!("The message is too long: {too_long}."),
    }
}

fn format_until(time: DateTime<Utc>) -> String {
    if time == PERMANENT { "permanently".to_owned() } else { format!("until {}", format_utc(time)) }
}
