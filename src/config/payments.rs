//! Settings of the desk that sells Gallery Passes: Stripe, and the mail server.

use std::fmt;

use super::{ConfigError, Setting, Source, setting};

/// A text that is never printed.
#[derive(Clone)]
pub struct Secret(String);

/// What the desk needs; what is not there is not offered.
#[derive(Clone, Debug)]
pub struct Payments {
    pub secret_key: Option<Secret>,
    pub webhook_secret: Option<Secret>,
    /// Stripe's id of the Gallery Pass's price.
    pub price: Option<String>,
    /// The same of the Patron's pass.
    pub patron_price: Option<String>,
    /// Without a slash at the end.
    pub api_base: String,
    pub smtp_url: Option<Secret>,
    /// From whom mail is.
    pub mail_from: Option<String>,
}

pub(super) const SETTINGS: &[Setting] = &[
    setting("STRIPE_SECRET_KEY", "", "Stripe's secret key; with STRIPE_PRICE_ID it sells Gallery Passes"),
    setting("STRIPE_WEBHOOK_SECRET", "", "checks what POST /api/stripe/webhook is told"),
    setting("STRIPE_PRICE_ID", "", "price of the Gallery Pass at Stripe, price_…"),
    setting("STRIPE_API_BASE", "https://api.stripe.com", "where Stripe's API is"),
    setting("CARAPLACE_PATRON_PRICE_ID", "", "price of the Patron's pass at Stripe; unset: not sold"),
    setting("SMTP_URL", "", "mail server for lost keys, as in smtps://user:password@host"),
    setting("CARAPLACE_MAIL_FROM", "", "sender of mail; unset: caraplace@ the host of CARAPLACE_PUBLIC_URL"),
];

impl Secret {
    pub(super) fn new(text: String) -> Self {
        Self(text)
    }

    /// The text itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl Payments {
    pub(super) fn read<L: Fn(&str) -> Option<String>>(source: &Source<L>) -> Result<Self, ConfigError> {
        let secret = |name| source.optional(name).map(Secret);
        Ok(Self {
            secret_key: secret("STRIPE_SECRET_KEY"),
            webhook_secret: secret("STRIPE_WEBHOOK_SECRET"),
            price: source.optional("STRIPE_PRICE_ID"),
            patron_price: source.optional("CARAPLACE_PATRON_PRICE_ID"),
            api_base: api_base(source)?,
            smtp_url: smtp_url(source)?,
            mail_from: source.optional("CARAPLACE_MAIL_FROM"),
        })
    }
}

fn api_base<L: Fn(&str) -> Option<String>>(source: &Source<L>) -> Result<String, ConfigError> {
    let (name, value) = source.text("STRIPE_API_BASE");
    if value.starts_with("https://") || value.starts_with("http://") {
        return Ok(value.trim_end_matches('/').to_owned());
    }
    let expected = "an address that begins with https:// or http://".to_owned();
    Err(ConfigError { name, value, expected })
}

/// It may hold a password: it is not repeated.
fn smtp_url<L: Fn(&str) -> Option<String>>(source: &Source<L>) -> Result<Option<Secret>, ConfigError> {
    let (name, value) = source.text("SMTP_URL");
    if value.is_empty() {
        return Ok(None);
    }
    if value.starts_with("smtp://") || value.starts_with("smtps://") {
        return Ok(Some(Secret(value)));
    }
    let expected = "an address that begins with smtp:// or smtps://".to_owned();
    Err(ConfigError { name, value: "…".to_owned(), expected })
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    fn with(name: &str, value: &str) -> Result<Config, super::ConfigError> {
        Config::read(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn secrets_are_never_printed() {
        for name in ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "SMTP_URL"] {
            let printed = format!("{:?}", with(name, "smtp://u:hunter2@host").unwrap());
            assert!(!printed.contains("hunter2") && !format!("{:?}", with(name, "")).contains("hunter2"));
        }
        let sentence = with("SMTP_URL", "http://u:hunter2@host").map(|_| ()).unwrap_err().to_string();
        assert!(sentence.contains("SMTP_URL") && !sentence.contains("hunter2"), "{sentence}");
    }

    #[test]
    fn stripe_is_where_it_is_unless_told_otherwise() {
        assert_eq!(Config::read(|_| None).unwrap().payments.api_base, "https://api.stripe.com");
        assert_eq!(
            with("STRIPE_API_BASE", "http://127.0.0.1:1/").unwrap().payments.api_base,
            "http://127.0.0.1:1"
        );
        assert!(with("STRIPE_API_BASE", "stripe").is_err());
    }
}
