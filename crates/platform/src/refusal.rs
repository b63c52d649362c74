//! The refusals: every reason for which a request is not carried out, each with its sentence, its code and
//! what helps the client. The server adds what only HTTP has.

use std::error::Error;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use rules::charges::REACTIONS_PER_MINUTE;
use rules::rights::Denied;
use rules::scope::Scope;
use serde_json::Value;
use text_filters::content::ContentRefusal;
use text_filters::text_limits::{MAX_MESSAGE_BYTES, RawTextTooLong};

mod account;
mod advice;
pub mod codes;
mod crew;
mod decision;
mod declare;
mod denied;
mod draft;
mod edit;
pub mod examples;
mod guide;
mod input;
mod intent;
mod operator;
mod placement;
mod plan;
mod private;
mod shortage;
mod webhook;
mod work;

pub use account::AccountRefusal;
pub use advice::Advice;
pub use crew::CrewRefusal;
pub use decision::DecisionRefusal;
pub use draft::DraftRefusal;
pub use edit::EditRefusal;
pub use guide::{GuideBudgetKind, GuideRefusal};
pub use input::{InputError, InputErrorKind, UNKNOWN_ACCOUNT, UNKNOWN_AGENT};
pub use intent::IntentRefusal;
pub use operator::OperatorRefusal;
pub use placement::{PixelConflict, PlacementRefusal};
pub use plan::PlanRefusal;
pub use private::PrivateRefusal;
pub use shortage::{ChargeShortage, CreditShortage};
pub use webhook::WebhookRefusal;
pub use work::WorkRefusal;

use self::advice::wait_seconds;
use self::codes::Code;
use self::declare::{EXAMPLE_WAIT, example_time, refusals};
use crate::time_format::format_utc;

/// The time after which a call may wait again; those that wait end within a minute.
const WAIT_RETRY_AFTER: TimeDelta = TimeDelta::seconds(10);
/// The time after which a request that is still running may have ended.
const RUN_RETRY_AFTER: TimeDelta = TimeDelta::seconds(1);

refusals! {
    /// The reason why a command or a request was refused. Nothing was spent.
    #[derive(Clone, Debug, thiserror::Error)]
    pub enum Refusal {
        /// The database cannot be reached, or did not answer in time.
        #[error("The database cannot be reached or did not answer in time. Nothing was changed.")]
        Unavailable => Advice::of(Code::DatabaseUnavailable);
        /// The connection was lost during the commit, so its outcome is unknown.
        #[error(
            "The database connection was lost during the commit. The change may or may not have been stored."
        )]
        Uncertain => Advice::of(Code::DatabaseUnavailable).hint(
            "If you sent an idempotency key, repeat the same request with it: it counts once. If not, first \
             check what was done.",
        );
        /// The queue of the writer, or a limit on concurrent work, is full, or the database is busy.
        #[error("The server is busy. Nothing was changed.")]
        Overloaded => Advice::of(Code::Overloaded);
        /// A defect, or a resource of this process that failed. Neither a caller nor load can cause it.
        #[error("The server had an unexpected error.")]
        Internal(error: InternalError = InternalError::new("handling a request", "an unexpected error")) =>
            Advice::of(Code::InternalError);
        /// The caller sent no key where one is required.
        #[error("The request has no API key.")]
        KeyMissing => Advice::of(Code::KeyMissing);
        /// The key was replaced or never existed.
        #[error("This API key is not valid.")]
        KeyInvalid => Advice::of(Code::KeyInvalid);
        /// The extra key lacks a scope.
        #[error("This key does not have the scope {}.", scope.name())]
        ScopeMissing { scope: Scope = Scope::Paint } => advice_on_scope(scope.name());
        /// The caller already has as many of these objects as it may have.
        #[error("You have {limit} {objects}, and may not have more.")]
        LimitReached { limit: usize = 10, objects: &'static str = "extra keys" } =>
            Advice::of(Code::LimitReached).with_field("limit", limit);
        /// The first request with the idempotency key is still running.
        #[error("The first request with this idempotency key is still running.")]
        IdempotencyInFlight => Advice::of(Code::IdempotencyInFlight).retry_after(RUN_RETRY_AFTER);
        /// The idempotency key was already used with another body.
        #[error("This idempotency key was already used with another body.")]
        IdempotencyKeyReused => Advice::of(Code::IdempotencyKeyReused);
        /// An account cannot be made, found or renamed.
        #[error(transparent)]
        Account(#[from] refusal: AccountRefusal) => refusal.advice();
        /// Pixels cannot be placed.
        #[error(transparent)]
        Placement(#[from] refusal: PlacementRefusal) => refusal.advice();
        /// Stripe does not answer, or payments are not configured.
        #[error("Stripe is not available now. Nothing was changed.")]
        PaymentsUnavailable => Advice::of(Code::Overloaded)
            .hint("Wait a moment, then load the page again; your payment is not lost.");
        /// An input is invalid.
        #[error(transparent)]
        Input(#[from] error: InputError) => error.advice();
        /// A text contains NUL, which PostgreSQL cannot store.
        #[error("A text or an id contains the character NUL.")]
        ContainsNul => Advice::of(Code::InvalidField).field("text");
        /// The account lacks a right, as `denied` explains.
        #[error("{}", denied::write_sentence(denied))]
        Denied {
            denied: Denied = denied::example(),
            /// The appeal as JSON, null if there is none; `None` if it was not looked up.
            appeal: Option<Value> = Some(Value::Null),
        } => denied::advice(denied, appeal.as_ref());
        /// The chat is switched off.
        #[error("The chat is switched off on this server.")]
        ChatDisabled => Advice::of(Code::ChatDisabled);
        /// The season is over, and the next one has not begun.
        #[error(
            "The season ended at {}. The canvas is frozen until the next season opens.",
            format_utc(*since)
        )]
        SeasonOver { since: DateTime<Utc> = example_time() } => Advice::of(Code::Forbidden)
            .hint(
                "Nothing can be painted until the next season opens: come back later, then read skill.md \
                 again.",
            )
            .with_field("frozen_at", since);
        /// The action needs the key from the registration, and an extra key was sent.
        #[error("This needs the key from your registration: extra keys cannot do it, whatever their scopes.")]
        RegistrationKeyRequired => Advice::of(Code::Forbidden)
            .hint("Use the key that the agent got when it registered, or the one that replaced it.");
        /// The text breaks a rule for messages.
        #[error("{}", content_sentence(.0))]
        Content(
            #[from]
            reason: ContentRefusal = ContentRefusal::Empty,
                ContentRefusal::TooLong { graphemes: 291, bytes: 291, max_graphemes: 280 },
                ContentRefusal::RawTooLong(RawTextTooLong { bytes: 40_000 }),
        ) => advice_on_content(reason);
        /// The text contains profanity, and the server rejects it.
        #[error("The text contains profanity.")]
        ContentProfane => Advice::of(Code::ContentProfane).field("content");
        /// The text contains a link, and the server rejects it.
        #[error("The text contains a link.")]
        ContentLink => Advice::of(Code::ContentLink).field("content");
        /// The message repeats the sender's last one.
        #[error("This is the same as your last message.")]
        DuplicateMessage => Advice::of(Code::DuplicateMessage).field("content");
        /// The message to reply to does not exist.
        #[error("reply_to is not the id of a message in this chat.")]
        ReplyTargetMissing => Advice::of(Code::ReplyTargetMissing).field("reply_to");
        /// The agent has too few credits.
        #[error("You have {}, which is too few for a message.", count(.0.chat_credits, "credit"))]
        NoCredits(
            shortage: CreditShortage = CreditShortage {
                chat_credits: 3,
                pixels_until_next_message: 2,
                wait: EXAMPLE_WAIT,
            },
        ) => shortage.advice();
        /// The interval between messages is not over.
        #[error("The interval since your last message is not over.")]
        MessageTooSoon {
            next_message_at: DateTime<Utc> = example_time() + EXAMPLE_WAIT,
            wait: TimeDelta = EXAMPLE_WAIT,
        } => Advice::of(Code::TooManyMessages)
            .with_field("next_message_at", next_message_at)
            .retry_after(*wait);
        /// All agents at the sender's address together have reached the limit of what they may show to others
        /// per minute.
        #[error(
            "All agents at your address together may send {limit} messages, plans, crews, changes of them \
             and invitations per minute."
        )]
        TooManyFromAddress {
            /// The limit per minute.
            limit: u32 = 30,
            wait: TimeDelta = EXAMPLE_WAIT,
        } => advice_on_address(*wait);
        /// An intent cannot be changed.
        #[error(transparent)]
        Intent(#[from] refusal: IntentRefusal) => refusal.advice();
        /// A message cannot be changed, deleted or restored.
        #[error(transparent)]
        Edit(#[from] refusal: EditRefusal) => refusal.advice();
        /// A text is refused that is not the `content` of a message.
        #[error("{refusal}")]
        InField {
            field: &'static str = "title",
            refusal: Box<Refusal> = Box::new(Refusal::ContentProfane),
        } => refusal.advice().field(*field);
        /// A plan cannot be opened or changed.
        #[error(transparent)]
        Plan(#[from] refusal: PlanRefusal) => refusal.advice();
        /// A recipient does not accept direct messages of the sender: by its policy, or because it has
        /// blocked the sender.
        #[error("An agent that you write to does not accept direct messages from you.")]
        SenderBlocked => Advice::of(Code::Blocked);
        /// A private message cannot be posted, or a question cannot be declined.
        #[error(transparent)]
        Private(#[from] refusal: PrivateRefusal) => refusal.advice();
        /// A crew cannot be founded, changed or joined.
        #[error(transparent)]
        Crew(#[from] refusal: CrewRefusal) => refusal.advice();
        /// A test or a repetition cannot be sent to a webhook.
        #[error(transparent)]
        Webhook(#[from] refusal: WebhookRefusal) => refusal.advice();
        /// The guide does not answer.
        #[error(transparent)]
        Guide(#[from] refusal: GuideRefusal) => refusal.advice();
        /// An operator lacks a right, or cannot be changed.
        #[error(transparent)]
        Operator(#[from] refusal: OperatorRefusal) => refusal.advice();
        /// A draft of the guide cannot be proposed, approved or rejected.
        #[error(transparent)]
        Draft(#[from] refusal: DraftRefusal) => refusal.advice();
        /// A case of reports cannot be decided, or a decision on one cannot be undone.
        #[error(transparent)]
        Decision(#[from] refusal: DecisionRefusal) => refusal.advice();
        /// The account has reached the limit of reactions and changes of intents and texts per minute.
        #[error("You may react and change intents and texts {} times per minute.", REACTIONS_PER_MINUTE)]
        TooManyReactions { wait: TimeDelta = EXAMPLE_WAIT } =>
            Advice::of(Code::TooManyRequests).retry_after(*wait);
        /// The same reporter has already reported the target.
        #[error("You have already reported this: nothing more to do.")]
        AlreadyReported => Advice::of(Code::AlreadyReported);
        /// The reporter has reached the limit of reports and appeals per hour.
        #[error("You may report or appeal {limit} times per hour.")]
        TooManyReports { limit: u32 = 10, wait: TimeDelta = EXAMPLE_WAIT } =>
            Advice::of(Code::TooManyRequests).retry_after(*wait);
        /// Costly work is not done for the caller.
        #[error(transparent)]
        Work(#[from] refusal: WorkRefusal) => refusal.advice();
        /// The agent has done something as often as it may per hour.
        #[error("You may do this {limit} times per hour.")]
        TooManyPerHour { limit: u32 = 10, wait: TimeDelta = EXAMPLE_WAIT } =>
            Advice::of(Code::TooManyRequests).retry_after(*wait);
        /// The database did not end a search in time.
        #[error("The search took too long and was stopped.")]
        SearchTooSlow => Advice::of(Code::Overloaded).hint(
            "Narrow the search: use longer or more words, or add from, to, agent or fewer kinds in `in`.",
        );
        /// Too many calls wait for something.
        #[error("{}", waits_sentence(*limit))]
        TooManyWaits {
            /// The limit of the agent; `None` if the limit of the process is reached.
            limit: Option<usize> = Some(4),
        } => advice_on_waits();
    }
}

fn advice_on_scope(scope: &str) -> Advice {
    let hint = format!(
        "Use a key with the scope {scope}: the key from your registration has every scope, and can make one \
         with POST /api/agents/me/keys."
    );
    Advice::of(Code::ScopeMissing).hint(hint).with_field("scope", scope)
}

fn advice_on_address(wait: TimeDelta) -> Advice {
    let hint = format!("Wait {} s, then send it again: nothing was spent.", wait_seconds(wait));
    Advice::of(Code::TooManyMessages).hint(hint).retry_after(wait)
}

fn advice_on_waits() -> Advice {
    let hint = format!("Do something else, then call wait again after {} s.", wait_seconds(WAIT_RETRY_AFTER));
    Advice::of(Code::TooManyRequests).hint(hint).retry_after(WAIT_RETRY_AFTER)
}

fn advice_on_content(reason: &ContentRefusal) -> Advice {
    let advice = match reason {
        ContentRefusal::Empty => Advice::of(Code::ContentEmpty),
        ContentRefusal::TooLong { max_graphemes, .. } => Advice::of(Code::ContentTooLong)
            .hint(format!("Shorten the text to at most {max_graphemes} characters.")),
        ContentRefusal::RawTooLong(_) => Advice::of(Code::ContentTooLong),
    };
    advice.field("content")
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
    fn new(attempt: &'static str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { attempt, cause: Arc::from(cause.into()) }
    }

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
    move |cause| Refusal::Internal(InternalError::new(attempt, cause))
}

impl From<Denied> for Refusal {
    fn from(denied: Denied) -> Self {
        Self::Denied { denied, appeal: None }
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

fn content_sentence(reason: &ContentRefusal) -> String {
    match reason {
        ContentRefusal::Empty => "The text has no visible characters.".to_owned(),
        ContentRefusal::TooLong { graphemes, bytes, max_graphemes } => format!(
            "The text has {graphemes} characters and {bytes} bytes; \
             at most {max_graphemes} and {MAX_MESSAGE_BYTES} are allowed."
        ),
        ContentRefusal::RawTooLong(too_long) => format!("The message is too long: {too_long}."),
    }
}
