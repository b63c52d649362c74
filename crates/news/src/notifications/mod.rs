//! Notifications of viewers about unread mentions, replies, reactions and direct messages, and about ended
//! plans: by mail at most once an hour, and by Web Push at most once a minute. Each viewer chooses its
//! channels.

pub mod account;
mod job;
mod mail;
mod news;
mod push;
pub mod settings;
mod store;
pub mod unsubscribe;

use std::sync::Arc;
use std::time::Duration;

use caraplace_accounts::gallery::mail::{MailError, Mailer};
use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::background_tasks::BackgroundTasks;
use platform::config::Config;

use push::PushSender;

/// A way to notify a viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeliveryChannel {
    Mail,
    Push,
}

impl DeliveryChannel {
    /// Returns the name as stored.
    fn as_str(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Push => "push",
        }
    }

    /// Returns the minimum time between two notifications of one viewer.
    fn interval(self) -> TimeDelta {
        match self {
            Self::Mail => TimeDelta::hours(1),
            Self::Push => TimeDelta::minutes(1),
        }
    }

    /// Returns the time for which something must be unread. A viewer who is reading needs no mail.
    fn delay(self) -> TimeDelta {
        match self {
            Self::Mail => TimeDelta::minutes(5),
            Self::Push => TimeDelta::zero(),
        }
    }

    /// Returns the maximum number of viewers who are notified at the same time by one instance.
    fn max_deliveries(self) -> usize {
        match self {
            Self::Mail => 4,
            Self::Push => 32,
        }
    }

    /// Returns the time after which a delivery is given up. It is shorter than the interval.
    fn timeout(self) -> Duration {
        match self {
            Self::Mail => Duration::from_mins(2),
            Self::Push => Duration::from_secs(45),
        }
    }
}

/// The channels, as far as they are configured.
pub struct Notifications {
    mailer: Option<Mailer>,
    push: Option<PushSender>,
    base_url: String,
}

impl Notifications {
    /// Returns the channels of a server at this address.
    ///
    /// # Errors
    /// If the mail settings are invalid.
    pub fn open(config: &Config, base_url: &str) -> Result<Self, MailError> {
        Ok(Self {
            mailer: Mailer::from_settings(&config.payments, base_url)?,
            push: PushSender::from_settings(&config.outgoing, base_url),
            base_url: base_url.to_owned(),
        })
    }

    /// Starts one task for each configured channel.
    pub fn start(self: &Arc<Self>, state: &Arc<AppState>, tasks: &mut BackgroundTasks) {
        let channels =
            [(DeliveryChannel::Mail, self.mailer.is_some()), (DeliveryChannel::Push, self.push.is_some())];
        for (channel, _) in channels.into_iter().filter(|(_, is_configured)| *is_configured) {
            tasks.spawn_staggered(job::run(state.clone(), self.clone(), channel));
        }
    }

    /// Returns the public key with which browsers subscribe; `None` if Web Push is off.
    fn push_key(&self) -> Option<&str> {
        self.push.as_ref().map(PushSender::public_key)
    }

    /// Returns the address of the page at a message.
    fn message_path(id: &str) -> String {
        format!("/?message={id}")
    }
}
