//! Sends mail by SMTP.

use std::net::IpAddr;
use std::time::Duration;

use lettre::address::AddressError;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use platform::config::PaymentSettings;

/// The timeout of each step of the SMTP dialogue.
const SMTP_TIMEOUT: Duration = Duration::from_secs(15);

/// An SMTP client with a fixed sender address.
pub struct Mailer {
    server: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

/// A plain text mail.
pub struct OutgoingMail {
    pub to: String,
    pub subject: String,
    pub text: String,
    /// An address that stops mails of this kind with one POST request; `None` if the mail was requested.
    pub unsubscribe_url: Option<String>,
}

/// The reason why a mail was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    #[error("invalid mail address")]
    Address(#[from] AddressError),
    #[error("the mail cannot be composed: {0}")]
    Message(#[from] lettre::error::Error),
    #[error("the mail server does not accept the mail: {0}")]
    Server(#[from] lettre::transport::smtp::Error),
}

impl Mailer {
    /// Returns the mailer of a server at this address. `None` if no mail server is configured.
    ///
    /// # Errors
    /// If one of the settings is invalid.
    pub fn from_settings(payments: &PaymentSettings, base_url: &str) -> Result<Option<Self>, MailError> {
        let Some(server) = &payments.smtp_url else { return Ok(None) };
        let from = payments.mail_from.clone().unwrap_or_else(|| default_sender(base_url));
        Self::new(server.expose(), &from).map(Some)
    }

    /// Returns a mailer that sends from an address, through the server at `smtp://…` or `smtps://…`.
    fn new(url: &str, from: &str) -> Result<Self, MailError> {
        let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)?.timeout(Some(SMTP_TIMEOUT)).build();
        Ok(Self { server, from: from.parse()? })
    }

    /// Sends a mail.
    ///
    /// # Errors
    /// The reason why it was not sent.
    pub async fn send(&self, mail: OutgoingMail) -> Result<(), MailError> {
        let to: Address = mail.to.parse()?;
        let builder = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(mail.subject)
            .header(ContentType::TEXT_PLAIN);
        let builder = mail.unsubscribe_url.iter().fold(builder, with_unsubscribe_headers);
        self.server.send(builder.body(mail.text)?).await?;
        Ok(())
    }
}

/// Adds the headers with which mail programs offer to stop mails with one click (RFC 8058), and the one that
/// keeps automatic answers away (RFC 3834).
fn with_unsubscribe_headers(builder: MessageBuilder, url: &String) -> MessageBuilder {
    builder
        .header(ListUnsubscribe(format!("<{url}>")))
        .header(ListUnsubscribePost("List-Unsubscribe=One-Click".to_owned()))
        .header(AutoSubmitted("auto-generated".to_owned()))
}

/// Declares the type of a header with a text that the server has written.
macro_rules! text_header {
    ($Type:ident, $name:literal) => {
        #[derive(Clone)]
        struct $Type(String);

        impl Header for $Type {
            fn name() -> HeaderName {
                HeaderName::new_from_ascii_str($name)
            }

            fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
                Ok(Self(text.to_owned()))
            }

            fn display(&self) -> HeaderValue {
                // Programs read the value as it is, so it is not folded into several lines.
                HeaderValue::dangerous_new_pre_encoded(Self::name(), self.0.clone(), self.0.clone())
            }
        }
    };
}
text_header!(ListUnsubscribe, "List-Unsubscribe");
text_header!(ListUnsubscribePost, "List-Unsubscribe-Post");
text_header!(AutoSubmitted, "Auto-Submitted");

/// Returns the default sender of mails.
fn default_sender(base_url: &str) -> String {
    let host = base_url.split("://").nth(1).unwrap_or_default();
    let host = host.split(['/', ':']).next().unwrap_or_default();
    let is_name = host.contains('.') && host.parse::<IpAddr>().is_err();
    let host = if is_name { host } else { "localhost" };
    format!("Caraplace <caraplace@{host}>")
}
