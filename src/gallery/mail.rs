//! Sends mail by SMTP.

use std::time::Duration;

use lettre::address::AddressError;
use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};

/// The timeout of each step of the SMTP dialogue.
const SMTP_TIMEOUT: Duration = Duration::from_secs(15);

/// An SMTP client with a fixed sender address.
pub struct Mailer {
    server: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
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
    /// Returns a mailer that sends from an address, through the server at `smtp://…` or `smtps://…`.
    ///
    /// # Errors
    /// If one of the addresses is invalid.
    pub fn new(url: &str, from: &str) -> Result<Self, MailError> {
        let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)?.timeout(Some(SMTP_TIMEOUT)).build();
        Ok(Self { server, from: from.parse()? })
    }

    /// Sends a plain text mail.
    ///
    /// # Errors
    /// The reason why it was not sent.
    pub async fn send(&self, to: &str, subject: &str, text: String) -> Result<(), MailError> {
        let to: Address = to.parse()?;
        let mail = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(subject)
            .header(ContentType::TEXT_PLAIN)
            .body(text)?;
        self.server.send(mail).await?;
        Ok(())
    }
}
