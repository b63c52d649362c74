//! Mail by SMTP.

use std::time::Duration;

use lettre::address::AddressError;
use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};

/// How long a mail server may take for each step.
const SMTP_TIMEOUT: Duration = Duration::from_secs(15);

/// A way to send mail.
pub struct Mailer {
    server: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

/// Why a mail was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    #[error("that is no mail address")]
    Address(#[from] AddressError),
    #[error("the mail cannot be written: {0}")]
    Message(#[from] lettre::error::Error),
    #[error("the mail server does not take it: {0}")]
    Server(#[from] lettre::transport::smtp::Error),
}

impl Mailer {
    /// Mail from an address, through the server at `smtp://…` or `smtps://…`.
    ///
    /// # Errors
    /// That one of them is no address.
    pub fn new(url: &str, from: &str) -> Result<Self, MailError> {
        let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)?.timeout(Some(SMTP_TIMEOUT)).build();
        Ok(Self { server, from: from.parse()? })
    }

    /// Sends a text.
    ///
    /// # Errors
    /// Why it was not sent.
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
