//! The ways to the operators: their mailbox, and a webhook in Slack's form.

use caraplace_accounts::gallery::mail::{MailError, Mailer, OutgoingMail};
use platform::config::{Config, Secret};
use platform::outbound::{OutboundClient, OutboundError, OutboundRequest, OutboundTarget};
use serde_json::json;

use super::NoticeSetupError;
use super::text::OperatorNotice;

/// A way to the operators.
pub(super) enum NoticeChannel {
    Mail { mailer: Mailer, to: String },
    Webhook { client: OutboundClient, target: OutboundTarget },
}

/// The reason why a channel has not accepted a notice.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoticeError {
    #[error(transparent)]
    Mail(#[from] MailError),
    #[error(transparent)]
    Request(#[from] OutboundError),
    #[error("the receiver answers {0}")]
    Status(u16),
}

impl NoticeChannel {
    /// Returns the channel that mails to an address.
    pub fn mail(config: &Config, base_url: &str, to: &str) -> Result<Self, NoticeSetupError> {
        let mailer =
            Mailer::from_settings(&config.payments, base_url)?.ok_or(NoticeSetupError::NoMailServer)?;
        Ok(Self::Mail { mailer, to: to.to_owned() })
    }

    /// Returns the channel that posts to an address. The address is a secret, because it is all that posting
    /// there needs.
    pub fn webhook(config: &Config, base_url: &str, url: &Secret) -> Result<Self, NoticeSetupError> {
        let client = OutboundClient::new(config.outgoing.webhook_allow.clone(), base_url);
        let client = client.ok_or(NoticeSetupError::NoHttpClient)?;
        let target = client.parse_target(url.expose())?;
        Ok(Self::Webhook { client, target })
    }

    /// Returns the name as stored.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Mail { .. } => "mail",
            Self::Webhook { .. } => "webhook",
        }
    }

    /// Sends a notice.
    pub async fn send(&self, notice: &OperatorNotice) -> Result<(), NoticeError> {
        match self {
            Self::Mail { mailer, to } => {
                let mail = OutgoingMail {
                    to: to.clone(),
                    subject: notice.subject.clone(),
                    text: notice.text.clone(),
                    unsubscribe_url: None,
                };
                Ok(mailer.send(mail).await?)
            }
            Self::Webhook { client, target } => {
                let headers = vec![("content-type", "application/json".to_owned())];
                let body = json!({"text": notice.for_slack()}).to_string().into_bytes();
                match client.post(target, OutboundRequest { headers, body }).await? {
                    200..=299 => Ok(()),
                    status => Err(NoticeError::Status(status)),
                }
            }
        }
    }
}
