//! Magic links by mail for viewers who have lost their key. A link works once, for 15 minutes.

use std::num::NonZeroU32;
use std::sync::Arc;

use caraplace_log::state::AppState;
use chrono::TimeDelta;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use platform::config::PaymentSettings;
use platform::refusal::Refusal;
use platform::tokens;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::mail::{MailError, Mailer, OutgoingMail};
use super::{Gallery, NewKeyAndSession, store, viewers};

/// The time for which a link is valid.
const LINK_LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// The maximum number of queued mails. Further requests are dropped.
const MAX_QUEUED_MAILS: usize = 256;
/// The maximum number of mails to one address per hour.
const MAX_MAILS_PER_HOUR: NonZeroU32 = NonZeroU32::MIN.saturating_add(2);

/// Accepts requests for links. A background task looks up the address and sends the mail, so that the
/// response does not reveal if the address is known.
pub struct MagicLinkMailer {
    requests: mpsc::Sender<String>,
    /// Stops the background task when it is dropped.
    _worker: JoinSet<()>,
}

struct MagicLinkWorker {
    state: Arc<AppState>,
    mailer: Mailer,
    base_url: String,
    limiter: DefaultKeyedRateLimiter<String>,
}

impl MagicLinkMailer {
    /// Starts the background task. `None` if no mail server is configured.
    pub(super) fn start(
        state: &Arc<AppState>,
        payments: &PaymentSettings,
        base_url: &str,
    ) -> Result<Option<Self>, MailError> {
        let Some(mailer) = Mailer::from_settings(payments, base_url)? else { return Ok(None) };
        let limiter = RateLimiter::keyed(Quota::per_hour(MAX_MAILS_PER_HOUR));
        let worker = MagicLinkWorker { state: state.clone(), mailer, base_url: base_url.to_owned(), limiter };
        let (requests, receiver) = mpsc::channel(MAX_QUEUED_MAILS);
        Ok(Some(Self { requests, _worker: JoinSet::from_iter([worker.run(receiver)]) }))
    }
}

impl MagicLinkWorker {
    async fn run(self, mut requests: mpsc::Receiver<String>) {
        while let Some(email) = requests.recv().await {
            if let Err(error) = self.send_link(&email).await {
                tracing::warn!("sending a magic link failed: {error}");
            }
            self.limiter.retain_recent();
        }
    }

    /// Sends a link to the address that is stored for the viewer, which may differ from the requested one in
    /// case.
    async fn send_link(&self, requested_email: &str) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let pool = &self.state.pool;
        let Some((viewer, email)) = store::find_viewer_by_email(pool, requested_email).await? else {
            return Ok(());
        };
        if self.limiter.check_key(&email).is_err() {
            return Ok(());
        }
        let token = tokens::new_token().map_err(|refusal| format!("{refusal:?}"))?;
        let expires_at = self.state.clock.now() + LINK_LIFETIME;
        store::insert_link(pool, &tokens::hash(&token), viewer, expires_at).await?;
        let text = format!(
            "A new key was requested for your Gallery Pass.\n\n\
             Open this link to get the new key. It works once, for {} minutes:\n\n\
             {}/gallery/link?token={token}\n\n\
             Your old key will then stop working. If you did not request this, ignore this mail; nothing \
             will change.\n",
            LINK_LIFETIME.num_minutes(),
            self.base_url
        );
        let subject = "A new key for your Gallery Pass".to_owned();
        Ok(self.mailer.send(OutgoingMail { to: email, subject, text, unsubscribe_url: None }).await?)
    }
}

impl Gallery {
    /// Requests a link to an address, if the address is known. The response is the same for every address.
    pub fn request_link(&self, email: String) {
        let is_full =
            self.link_mailer.as_ref().is_some_and(|mailer| mailer.requests.try_send(email).is_err());
        if is_full {
            tracing::warn!("the mail queue is full; a magic link was not sent");
        }
    }

    /// Signs a viewer in with a link, and creates a new key and a new session. The old key and all other
    /// sessions end.
    ///
    /// # Errors
    /// `KeyInvalid` if the link was used or has expired.
    pub async fn sign_in_with_link(
        &self,
        state: &AppState,
        token: &str,
    ) -> Result<NewKeyAndSession, Refusal> {
        if !tokens::is_token(token) {
            return Err(Refusal::KeyInvalid);
        }
        let mut transaction = state.pool.begin().await?;
        let viewer = store::consume_link(&mut transaction, &tokens::hash(token), state.clock.now()).await?;
        viewers::replace_key(state, transaction, viewer.ok_or(Refusal::KeyInvalid)?).await
    }
}
