//! Notices of operators about what waits for them or has failed: by mail, and to a webhook in Slack's form.
//! Each is sent once per channel, whatever the number of instances and restarts.

mod channel;
mod faults;
mod job;
mod store;
mod text;

use std::sync::Arc;

use caraplace_accounts::gallery::mail::MailError;
use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::background_tasks::BackgroundTasks;
use platform::config::Config;
use platform::outbound::TargetRefusal;
use rules::quiet_hours::QuietHours;

use channel::NoticeChannel;

/// The time for which a sent notice is remembered. A notice of what still waits then is sent again.
const REMEMBERED: TimeDelta = TimeDelta::days(90);
/// The same time for sign-ins: their notices have addresses, and each is about a single day.
const SIGN_INS_REMEMBERED: TimeDelta = TimeDelta::days(1);

/// A setting of the notices that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NoticeSetupError {
    #[error("CARAPLACE_NOTICE_MAIL needs a mail server. Set SMTP_URL, too.")]
    NoMailServer,
    #[error("Notices cannot be mailed ({0}). Check SMTP_URL, CARAPLACE_MAIL_FROM and CARAPLACE_NOTICE_MAIL.")]
    Mail(#[from] MailError),
    #[error("CARAPLACE_NOTICE_URL {0}. A host that is not public must be in CARAPLACE_WEBHOOK_ALLOW.")]
    Target(#[from] TargetRefusal),
    #[error("Notices cannot be sent: there is no HTTP client. Check the root certificates of this machine.")]
    NoHttpClient,
}

/// The channels of notices, as far as they are configured.
pub struct Notices {
    channels: Vec<NoticeChannel>,
    quiet_hours: Option<QuietHours>,
    base_url: String,
}

impl Notices {
    /// Returns the notices of a server at this address.
    ///
    /// # Errors
    /// If a setting cannot be used.
    pub fn open(config: &Config, base_url: &str) -> Result<Self, NoticeSetupError> {
        let settings = &config.notices;
        let mail = settings.mail.as_ref().map(|to| NoticeChannel::mail(config, base_url, to)).transpose()?;
        let url = settings.url.as_ref();
        let webhook = url.map(|url| NoticeChannel::webhook(config, base_url, url)).transpose()?;
        Ok(Self {
            channels: mail.into_iter().chain(webhook).collect(),
            quiet_hours: settings.quiet_hours,
            base_url: base_url.to_owned(),
        })
    }

    /// Starts one task for each configured channel.
    pub fn start(self, state: &Arc<AppState>, tasks: &mut BackgroundTasks) {
        let Self { channels, quiet_hours, base_url } = self;
        for channel in channels {
            tasks.spawn_staggered(job::run(state.clone(), channel, quiet_hours, base_url.clone()));
        }
    }
}

/// Forgets the notices that were sent long ago, and those of sign-ins after a day.
pub async fn sweep(state: &AppState) -> Result<(), sqlx::Error> {
    let now = state.clock.now();
    store::delete_sent_before(&state.pool, now - REMEMBERED, now - SIGN_INS_REMEMBERED).await
}
