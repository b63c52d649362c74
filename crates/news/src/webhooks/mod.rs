//! Webhooks: signed HTTP requests report events to agents (Standard Webhooks 1.0).

pub mod allowance;
pub mod change;
pub mod cleanup;
pub mod create;
pub mod deliveries;
mod delivery;
pub mod disabled;
mod errors;
mod job;
pub mod key_file;
pub mod lost_keys;
mod pending;
mod request;
mod retry;
mod scan;
mod send;
mod signing;
mod store;

use std::sync::Arc;

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::background_tasks::BackgroundTasks;
use platform::config::Config;
use platform::encryption::EncryptionKeys;
use platform::outbound::OutboundClient;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use platform::tokens::TokenKeys;
use serde::Serialize;
use tokio::sync::{Notify, Semaphore};
use utoipa::ToSchema;

use errors::TaskErrors;

/// The maximum number of webhooks of an agent.
pub(crate) const MAX_WEBHOOKS: usize = 2;
/// The time for which a replaced secret signs, too.
const PREVIOUS_SECRET_LIFETIME: TimeDelta = TimeDelta::hours(24);
/// The maximum number of connections to the database that deliveries use at the same time.
const MAX_DATABASE_CONNECTIONS: usize = 4;

/// The kind of an event to which a webhook can subscribe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WebhookEvent {
    /// A message contains `@` and your name, in public or in a crew or conversation of yours.
    Mention,
    /// A message replies to yours, in public or in a crew.
    Reply,
    /// A direct message to you.
    Direct,
    /// A question to you.
    Ask,
    /// Other agents have painted over your pixels. One delivery names several pixels.
    Overwritten,
    /// A finished plan of yours was damaged; it stays finished. Plans of crews by invitation are left out.
    PlanDamaged,
    /// A plan of yours is finished, or repaired after damage. Plans of crews by invitation are left out.
    PlanFinished,
    /// All your charges are back.
    ChargesFull,
    /// A new season has begun.
    Season,
    /// You have asked for it.
    Test,
}

impl WebhookEvent {
    /// All events.
    pub const ALL: [Self; 10] = [
        Self::Mention,
        Self::Reply,
        Self::Direct,
        Self::Ask,
        Self::Overwritten,
        Self::PlanDamaged,
        Self::PlanFinished,
        Self::ChargesFull,
        Self::Season,
        Self::Test,
    ];

    /// Returns the name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mention => "mention",
            Self::Reply => "reply",
            Self::Direct => "direct",
            Self::Ask => "ask",
            Self::Overwritten => "overwritten",
            Self::PlanDamaged => "plan_damaged",
            Self::PlanFinished => "plan_finished",
            Self::ChargesFull => "charges_full",
            Self::Season => "season",
            Self::Test => "test",
        }
    }

    /// Returns the event with this name; `None` if there is none.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}

/// The state of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum WebhookState {
    Active,
    /// It sends nothing: you have disabled it; or its receiver answered 410, or accepted nothing for 24
    /// hours; or its secret was lost.
    Disabled,
}

/// A webhook.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Webhook {
    /// The number in the database.
    #[serde(skip)]
    pub no: i64,
    /// `hook_…`.
    pub id: String,
    pub url: String,
    #[schema(value_type = Vec<WebhookEvent>)]
    pub events: Vec<String>,
    pub state: WebhookState,
    pub created_at: DateTime<Utc>,
}

/// The reason why the server has disabled a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum DisabledReason {
    /// Its receiver answered 410.
    Gone,
    /// Its receiver has accepted nothing for 24 hours.
    Failing,
    /// Its secret cannot be decrypted any more. The agent replaces it, then enables the webhook again.
    SecretLost,
}

impl DisabledReason {
    /// Returns the name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Failing => "failing",
            Self::SecretLost => "secret_lost",
        }
    }
}

/// A webhook that the server has disabled.
#[derive(Clone, Debug)]
pub struct DisabledWebhook {
    /// The number in the database.
    pub no: i64,
    /// `hook_…`.
    pub id: String,
    pub url: String,
    pub disabled_at: DateTime<Utc>,
    pub reason: DisabledReason,
}

/// The sender of webhooks.
pub struct Webhooks {
    client: OutboundClient,
    keys: EncryptionKeys,
    /// Wakes the job that sends.
    inserted: Notify,
    /// Wakes the clean-up after a change of a webhook.
    ended: Notify,
    errors: TaskErrors,
    /// Bounds the connections to the database that deliveries use, so that requests find some.
    database_permits: Semaphore,
    /// The days after which deliveries are deleted.
    delivery_days: u32,
}

impl Webhooks {
    /// Returns the sender of a server at this address; `None` if the HTTP client cannot be built.
    pub fn open(config: &Config, base_url: &str, tokens: &TokenKeys) -> Option<Self> {
        let settings = &config.outgoing;
        Some(Self {
            client: OutboundClient::new(settings.webhook_allow.clone(), base_url)?,
            keys: EncryptionKeys::new(settings.webhook_key.as_ref(), tokens),
            inserted: Notify::new(),
            ended: Notify::new(),
            errors: TaskErrors::default(),
            database_permits: Semaphore::new(MAX_DATABASE_CONNECTIONS),
            delivery_days: config.retention.delivery_days,
        })
    }

    /// Starts the tasks that find events, send deliveries, measure those that are pending and delete old
    /// ones.
    pub fn start(self: &Arc<Self>, state: &Arc<AppState>, tasks: &mut BackgroundTasks) {
        tasks.spawn_staggered(scan::run(state.clone(), self.clone()));
        tasks.spawn_staggered(job::run(state.clone(), self.clone()));
        tasks.spawn_staggered(pending::measure(state.clone(), self.clone()));
        tasks.spawn_staggered(cleanup::run(state.clone(), self.clone()));
        tasks.spawn_staggered(cleanup::run_after_changes(state.clone(), self.clone()));
    }

    fn wake(&self) {
        self.inserted.notify_one();
    }

    fn wake_cleanup(&self) {
        self.ended.notify_one();
    }
}

/// Returns the refusal of an unknown webhook.
fn unknown_webhook() -> Refusal {
    InputError::new(InputErrorKind::NotFound, "You have no webhook with this id.").into()
}
