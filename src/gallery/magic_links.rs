//! A lost key comes back by mail: a link that works once, within a quarter of an hour.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;

use chrono::TimeDelta;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::mail::{MailError, Mailer};
use super::{Gallery, RecoveryResult, store, viewers};
use crate::config::PaymentSettings;
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::tokens;

/// How long a link works.
const LINK_LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// How many letters may wait to be sent; more are not written.
const MAX_QUEUED_MAILS: usize = 256;
/// How many letters an address gets within an hour at most.
const MAX_MAILS_PER_HOUR: NonZeroU32 = NonZeroU32::MIN.saturating_add(2);

/// Where letters are asked for. Whether one is sent at all is found out behind the door, so that nobody who asks can tell.
pub struct MagicLinkMailer {
    requests: mpsc::Sender<String>,
    /// Stops the writer when it is dropped.
    _worker: JoinSet<()>,
}

struct MagicLinkWorker {
    state: Arc<AppState>,
    mailer: Mailer,
    base_url: String,
    limiter: DefaultKeyedRateLimiter<String>,
}

impl MagicLinkMailer {
    /// None where the operator has named no mail server.
    pub(super) fn start(
        state: &Arc<AppState>,
        payments: &PaymentSettings,
        base_url: &str,
    ) -> Result<Option<Self>, MailError> {
        let Some(server) = &payments.smtp_url else { return Ok(None) };
        let from = payments.mail_from.clone().unwrap_or_else(|| default_sender(base_url));
        let mailer = Mailer::new(server.expose(), &from)?;
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
                tracing::warn!("a mail with a link could not be sent: {error}");
            }
            self.limiter.retain_recent();
        }
    }

    /// Goes to the address that was given when the pass was bought, however the one who asks has written it.
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
            "Somebody, we think it was you, asked for a new key for your Gallery Pass.\n\n\
             This link gives you one. It works once, for {} minutes:\n\n{}/gallery/link?token={token}\n\n\
             The old key stops then. If it was not you, do nothing: nothing has changed.\n",
            LINK_LIFETIME.num_minutes(),
            self.base_url
        );
        Ok(self.mailer.send(&email, "A new key for your Gallery Pass", text).await?)
    }
}

impl Gallery {
    /// Asks for a link to be sent to an address, should it be known. What is done here is the same for every address.
    pub fn request_link(&self, email: String) {
        let is_full =
            self.link_mailer.as_ref().is_some_and(|letters| letters.requests.try_send(email).is_err());
        if is_full {
            tracing::warn!("so many mails wait to be sent that one more was not written");
        }
    }

    /// Lets in who comes by a link: with a new key and a new session. The old key and all other sessions end.
    ///
    /// # Errors
    /// `KeyInvalid` for a link that is used or too old; or that the database cannot be written.
    pub async fn sign_in_with_link(&self, state: &AppState, token: &str) -> Result<RecoveryResult, Refusal> {
        if !tokens::is_token(token) {
            return Err(Refusal::KeyInvalid);
        }
        let mut transaction = state.pool.begin().await?;
        let viewer = store::consume_link(&mut transaction, &tokens::hash(token), state.clock.now()).await?;
        viewers::replace_key(state, transaction, viewer.ok_or(Refusal::KeyInvalid)?).await
    }
}

/// From whom the mail is, where the operator has not said it.
fn default_sender(base_url: &str) -> String {
    let host = base_url.split("://").nth(1).unwrap_or_default();
    let host = host.split(['/', ':']).next().unwrap_or_default();
    let is_name = host.contains('.') && host.parse::<IpAddr>().is_err();
    let host = if is_name { host } else { "localhost" };
    format!("Caraplace <caraplace@{host}>")
}
