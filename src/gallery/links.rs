//! A lost key comes back by mail: a link that works once, within a quarter of an hour.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;

use chrono::TimeDelta;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::mail::{MailError, Mailer};
use super::{Gallery, Returned, store, viewers};
use crate::config::Payments;
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::tokens;

/// How long a link works.
const WORKS: TimeDelta = TimeDelta::minutes(15);
/// How many letters may wait to be sent; more are not written.
const WAITING: usize = 256;
/// How many letters an address gets within an hour at most.
const AN_HOUR: NonZeroU32 = NonZeroU32::MIN.saturating_add(2);

/// Where letters are asked for. Whether one is sent at all is found out behind the door, so that nobody who asks can tell.
pub struct Letters {
    wanted: mpsc::Sender<String>,
    /// Stops the writer when it is dropped.
    _writer: JoinSet<()>,
}

struct Writer {
    state: Arc<AppState>,
    mailer: Mailer,
    base_url: String,
    sent: DefaultKeyedRateLimiter<String>,
}

impl Letters {
    /// None where the operator has named no mail server.
    pub(super) fn open(
        state: &Arc<AppState>,
        payments: &Payments,
        base_url: &str,
    ) -> Result<Option<Self>, MailError> {
        let Some(server) = &payments.smtp_url else { return Ok(None) };
        let from = payments.mail_from.clone().unwrap_or_else(|| sender(base_url));
        let mailer = Mailer::new(server.expose(), &from)?;
        let sent = RateLimiter::keyed(Quota::per_hour(AN_HOUR));
        let writer = Writer { state: state.clone(), mailer, base_url: base_url.to_owned(), sent };
        let (wanted, letters) = mpsc::channel(WAITING);
        Ok(Some(Self { wanted, _writer: JoinSet::from_iter([writer.run(letters)]) }))
    }
}

impl Writer {
    async fn run(self, mut wanted: mpsc::Receiver<String>) {
        while let Some(email) = wanted.recv().await {
            if let Err(error) = self.write(&email).await {
                tracing::warn!("a mail with a link could not be sent: {error}");
            }
            self.sent.retain_recent();
        }
    }

    /// Goes to the address that was given when the pass was bought, however the one who asks has written it.
    async fn write(&self, asked: &str) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let pool = &self.state.pool;
        let Some((viewer, email)) = store::by_email(pool, asked).await? else { return Ok(()) };
        if self.sent.check_key(&email).is_err() {
            return Ok(());
        }
        let token = tokens::new_token().map_err(|refusal| format!("{refusal:?}"))?;
        let expires_at = self.state.clock.now() + WORKS;
        store::keep_link(pool, &tokens::hash(&token), viewer, expires_at).await?;
        let text = format!(
            "Somebody, we think it was you, asked for a new key for your Gallery Pass.\n\n\
             This link gives you one. It works once, for {} minutes:\n\n{}/gallery/link?token={token}\n\n\
             The old key stops then. If it was not you, do nothing: nothing has changed.\n",
            WORKS.num_minutes(),
            self.base_url
        );
        Ok(self.mailer.send(&email, "A new key for your Gallery Pass", text).await?)
    }
}

impl Gallery {
    /// Asks for a link to be sent to an address, should it be known. What is done here is the same for every address.
    pub fn ask_for_link(&self, email: String) {
        let full = self.letters.as_ref().is_some_and(|letters| letters.wanted.try_send(email).is_err());
        if full {
            tracing::warn!("so many mails wait to be sent that one more was not written");
        }
    }

    /// Lets in who comes by a link: with a new key and a new session. The old key and all other sessions end.
    ///
    /// # Errors
    /// `KeyInvalid` for a link that is used or too old; or that the database cannot be written.
    pub async fn use_link(&self, state: &AppState, token: &str) -> Result<Returned, Refusal> {
        if !tokens::is_token(token) {
            return Err(Refusal::KeyInvalid);
        }
        let mut transaction = state.pool.begin().await?;
        let viewer = store::use_link(&mut transaction, &tokens::hash(token), state.clock.now()).await?;
        viewers::replace_key(state, transaction, viewer.ok_or(Refusal::KeyInvalid)?).await
    }
}

/// From whom the mail is, where the operator has not said it.
fn sender(base_url: &str) -> String {
    let host = base_url.split("://").nth(1).unwrap_or_default();
    let host = host.split(['/', ':']).next().unwrap_or_default();
    let is_name = host.contains('.') && host.parse::<IpAddr>().is_err();
    let host = if is_name { host } else { "localhost" };
    format!("Caraplace <caraplace@{host}>")
}
