//! Notifies the viewers of one channel. Each is claimed by one instance at a time, which moves the time of
//! the next notification forward before it sends, so no crash and no number of instances sends more. No
//! database connection is held while something is sent.

use std::sync::Arc;
use std::time::Duration;

use caraplace_accounts::agents::accounts;
use caraplace_accounts::gallery::viewers;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use platform::telemetry::METRICS;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::news::{self, FoundNews, News};
use super::store::{self, Claim, ClaimTimes, NotifiedUpTo};
use super::{DeliveryChannel, Notifications, mail};

/// The interval between checks for viewers to notify.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Notifies viewers until the task is aborted. A delivery that hangs delays no other one.
pub(super) async fn run(state: Arc<AppState>, notifications: Arc<Notifications>, channel: DeliveryChannel) {
    let mut deliveries = JoinSet::new();
    loop {
        sleep(CHECK_INTERVAL).await;
        while deliveries.try_join_next().is_some() {}
        let free = channel.max_deliveries().saturating_sub(deliveries.len());
        // While the chat is off, nothing is told.
        if free == 0 || !state.game().chat_enabled {
            continue;
        }
        match claim_due(&state, channel, free).await {
            Ok(claims) => {
                for claim in claims {
                    let delivery =
                        Delivery { state: state.clone(), notifications: notifications.clone(), channel };
                    deliveries.spawn(delivery.run(claim));
                }
            }
            Err(error) => tracing::debug!(%error, "viewers to notify could not be read, trying again"),
        }
    }
}

async fn claim_due(
    state: &AppState,
    channel: DeliveryChannel,
    limit: usize,
) -> Result<Vec<Claim>, sqlx::Error> {
    let now = state.clock.now();
    let times = ClaimTimes { now, unread_since: now - channel.delay(), next_at: now + channel.interval() };
    store::claim(&state.pool, channel, &times, limit as i64).await
}

/// The notification of one viewer.
struct Delivery {
    state: Arc<AppState>,
    notifications: Arc<Notifications>,
    channel: DeliveryChannel,
}

/// The outcome of sending.
enum Sent {
    /// At least one mail or push message was accepted, or nothing can be sent to this viewer.
    Yes,
    /// It is tried again after the interval.
    No,
}

impl Delivery {
    async fn run(self, claim: Claim) {
        let channel = self.channel.as_str();
        match timeout(self.channel.timeout(), self.notify(&claim)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(
                    channel,
                    viewer = claim.id,
                    ?error,
                    "a notification failed, trying again later"
                );
            }
            Err(_) => {
                tracing::warn!(channel, viewer = claim.id, "a notification timed out, trying again later");
            }
        }
    }

    async fn notify(&self, claim: &Claim) -> Result<(), Refusal> {
        let Some(viewer) = accounts::find(&self.state, &claim.id).await? else { return Ok(()) };
        let unread_since = self.state.clock.now() - self.channel.delay();
        match news::find_news(&self.state, &viewer, claim, unread_since).await? {
            // Nothing was sent, so the next notification need not wait.
            FoundNews::None { notified_up_to } | FoundNews::TooEarly { notified_up_to } => {
                self.finish(claim, notified_up_to, Some(claim.due_since)).await
            }
            FoundNews::Due(news) => match self.send(&viewer, &news).await? {
                Sent::Yes => self.finish(claim, news.notified_up_to, None).await,
                Sent::No => Ok(()),
            },
        }
    }

    async fn finish(
        &self,
        claim: &Claim,
        notified_up_to: NotifiedUpTo,
        next_at: Option<DateTime<Utc>>,
    ) -> Result<(), Refusal> {
        Ok(store::finish(&self.state.pool, self.channel, claim.viewer, notified_up_to, next_at).await?)
    }

    async fn send(&self, viewer: &Identity, news: &News) -> Result<Sent, Refusal> {
        match self.channel {
            DeliveryChannel::Mail => self.send_mail(viewer, news).await,
            DeliveryChannel::Push => self.send_push(viewer, news).await,
        }
    }

    async fn send_mail(&self, viewer: &Identity, news: &News) -> Result<Sent, Refusal> {
        let address = viewers::mail_address(&self.state, viewer.no).await?;
        let (Some(mailer), Some(address)) = (&self.notifications.mailer, address) else {
            return Ok(Sent::Yes);
        };
        let mail = mail::compose(&self.state, &self.notifications, &viewer.id, address, news);
        match mailer.send(mail).await {
            Ok(()) => {
                METRICS.notifications.mails_sent.inc();
                Ok(Sent::Yes)
            }
            Err(error) => {
                METRICS.notifications.mails_failed.inc();
                tracing::warn!(
                    %error,
                    viewer = &*viewer.id,
                    "sending a mail failed, trying again in an hour"
                );
                Ok(Sent::No)
            }
        }
    }

    async fn send_push(&self, viewer: &Identity, news: &News) -> Result<Sent, Refusal> {
        let Some(push) = &self.notifications.push else { return Ok(Sent::Yes) };
        let devices = store::devices(&self.state.pool, viewer.no).await?;
        let sent = push.send_to_all(&devices, news, self.state.clock.now()).await;
        for endpoint in &sent.gone {
            store::delete_device(&self.state.pool, viewer.no, endpoint).await?;
        }
        for (endpoint, refusals) in &sent.refusals {
            store::set_refusals(&self.state.pool, viewer.no, endpoint, *refusals).await?;
        }
        if sent.is_any_accepted || !sent.is_any_failed { Ok(Sent::Yes) } else { Ok(Sent::No) }
    }
}
