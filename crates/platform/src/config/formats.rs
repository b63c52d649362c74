//! The formats of settings: their syntax, the values that they allow, and whether a value may be printed.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use crate::vapid::VapidKey;
use ipnet::IpNet;
use rules::passwords::{PasswordHash, is_long_enough};
use rules::quiet_hours::QuietHours;
use serde::Serialize;
use serde_json::{Value, json};
use text_filters::redact::SecretRules;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use utoipa::ToSchema;

/// A text that is never printed.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Returns a text that is never printed.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the text itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// The kind of a setting's value, by which a form asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingKind {
    /// True or false.
    Switch,
    /// A whole number between two bounds.
    Number,
    /// One of several words.
    Choice,
    /// A list with one item per line.
    Lines,
    /// Any other text.
    Text,
}

/// The text format of a `T` in an environment variable.
pub(super) trait SettingFormat<T> {
    /// Returns the value, or `None` if the text is invalid.
    fn parse(&self, text: &str) -> Option<T>;

    /// Returns the phrase that completes "must be …".
    fn expected(&self) -> String;

    /// Returns true if values never appear in messages.
    fn is_secret(&self) -> bool {
        false
    }

    /// Returns true if leading and trailing spaces belong to the value.
    fn keeps_spaces(&self) -> bool {
        false
    }

    /// Returns the kind of the value.
    fn kind(&self) -> SettingKind {
        SettingKind::Text
    }

    /// Returns the least and the largest number; `None` if the value is no number.
    fn bounds(&self) -> Option<(u32, u32)> {
        None
    }

    /// Returns the words to choose from; none if the value is no choice.
    fn choices(&self) -> Vec<&'static str> {
        Vec::new()
    }
}

/// A format whose values also have a JSON form, for the API and the database.
pub(super) trait JsonSettingFormat<T>: SettingFormat<T> {
    /// Returns the value as JSON.
    fn to_json(&self, value: &T) -> Value;

    /// Returns the value, or `None` if [`to_json`](Self::to_json) cannot have made the JSON.
    fn parse_json(&self, json: &Value) -> Option<T> {
        let text = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
        self.parse(&text).filter(|value| self.to_json(value) == *json)
    }
}

/// A whole number between two bounds, both included.
pub(super) struct NumberFormat(pub u32, pub u32);

impl<T: TryFrom<u32>> SettingFormat<T> for NumberFormat {
    fn parse(&self, text: &str) -> Option<T> {
        let number = text.parse().ok().filter(|number| (self.0..=self.1).contains(number))?;
        T::try_from(number).ok()
    }

    fn expected(&self) -> String {
        format!("a whole number from {} to {}", self.0, self.1)
    }

    fn kind(&self) -> SettingKind {
        SettingKind::Number
    }

    fn bounds(&self) -> Option<(u32, u32)> {
        Some((self.0, self.1))
    }
}

impl JsonSettingFormat<u32> for NumberFormat {
    fn to_json(&self, value: &u32) -> Value {
        json!(value)
    }
}

/// One of several words, each with its value.
pub(super) struct ChoiceFormat<T: 'static>(pub &'static [(&'static str, T)]);

impl<T: Copy> SettingFormat<T> for ChoiceFormat<T> {
    fn parse(&self, text: &str) -> Option<T> {
        self.0.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning)
    }

    fn expected(&self) -> String {
        let mut words = self.0.iter().rev().map(|(word, _)| *word);
        let last = words.next().unwrap_or_default();
        format!("{} or {last}", words.rev().collect::<Vec<_>>().join(", "))
    }

    fn kind(&self) -> SettingKind {
        SettingKind::Choice
    }

    fn choices(&self) -> Vec<&'static str> {
        self.0.iter().map(|(word, _)| *word).collect()
    }
}

impl<T: Copy + PartialEq> JsonSettingFormat<T> for ChoiceFormat<T> {
    fn to_json(&self, value: &T) -> Value {
        json!(self.0.iter().find(|(_, meaning)| meaning == value).map(|(word, _)| word))
    }
}

/// A setting that may be empty.
pub(super) struct OptionalFormat<F>(pub F);

impl<T, F: SettingFormat<T>> SettingFormat<Option<T>> for OptionalFormat<F> {
    fn parse(&self, text: &str) -> Option<Option<T>> {
        if text.is_empty() { Some(None) } else { self.0.parse(text).map(Some) }
    }

    fn expected(&self) -> String {
        self.0.expected()
    }

    fn is_secret(&self) -> bool {
        self.0.is_secret()
    }

    fn keeps_spaces(&self) -> bool {
        self.0.keeps_spaces()
    }
}

/// A format without parameters, made from a parse function.
pub(super) struct ParsedFormat<T> {
    expected: &'static str,
    is_secret: bool,
    keeps_spaces: bool,
    kind: SettingKind,
    parse: fn(&str) -> Option<T>,
}

impl<T> ParsedFormat<T> {
    /// Sets the kind of the value.
    const fn of_kind(self, kind: SettingKind) -> Self {
        Self { kind, ..self }
    }
}

impl<T> SettingFormat<T> for ParsedFormat<T> {
    fn parse(&self, text: &str) -> Option<T> {
        (self.parse)(text)
    }

    fn expected(&self) -> String {
        self.expected.to_owned()
    }

    fn is_secret(&self) -> bool {
        self.is_secret
    }

    fn keeps_spaces(&self) -> bool {
        self.keeps_spaces
    }

    fn kind(&self) -> SettingKind {
        self.kind
    }
}

impl<T: Serialize> JsonSettingFormat<T> for ParsedFormat<T> {
    fn to_json(&self, value: &T) -> Value {
        json!(value)
    }
}

const fn public_format<T>(expected: &'static str, parse: fn(&str) -> Option<T>) -> ParsedFormat<T> {
    ParsedFormat { expected, is_secret: false, keeps_spaces: false, kind: SettingKind::Text, parse }
}

const fn secret_format<T>(expected: &'static str, parse: fn(&str) -> Option<T>) -> ParsedFormat<T> {
    ParsedFormat { expected, is_secret: true, keeps_spaces: false, kind: SettingKind::Text, parse }
}

/// Accepts any text; the phrase describes it.
pub(super) const fn text(expected: &'static str) -> ParsedFormat<String> {
    public_format(expected, |text| Some(text.to_owned()))
}

/// Accepts any text that is never printed; the phrase describes it.
pub(super) const fn secret_text(expected: &'static str) -> ParsedFormat<Secret> {
    secret_format(expected, |text| Some(Secret(text.to_owned())))
}

/// The path of a file or folder.
pub(super) const PATH: ParsedFormat<PathBuf> = public_format("a path", |text| Some(text.into()));

/// A switch: true or false.
pub(super) const SWITCH: ParsedFormat<bool> =
    public_format("true or false", |text| match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "on" | "yes" => Some(true),
        "false" | "0" | "off" | "no" => Some(false),
        _ => None,
    })
    .of_kind(SettingKind::Switch);

/// A word list, as operators edit it while the server runs.
pub(super) const WORD_LIST: ParsedFormat<Arc<str>> =
    public_format("lines of words, at most 65536 bytes", |text| {
        (text.len() <= 65_536 && !text.contains('\0')).then(|| text.into())
    })
    .of_kind(SettingKind::Lines);

/// The rules of the secret scanner, as operators edit them while the server runs.
pub(super) const SECRET_RULES: ParsedFormat<Arc<str>> = public_format(
    "lines of + NAME REGEX, - NAME or # COMMENT, at most 65536 bytes, with regexes that take linear time",
    |text| {
        (text.len() <= 65_536 && !text.contains('\0') && SecretRules::parse(text).is_ok())
            .then(|| text.into())
    },
)
.of_kind(SettingKind::Lines);

/// An address and a port to listen on.
pub(super) const LISTEN_ADDRESS: ParsedFormat<SocketAddr> =
    public_format("an address with a port, as in 127.0.0.1:8080", |text| text.parse().ok());

/// A list of networks, separated by commas.
pub(super) const NETWORKS: ParsedFormat<Vec<IpNet>> =
    public_format("networks or addresses separated by commas, as in 10.0.0.0/8, ::1", |text| {
        let network = |part: &str| part.parse().ok().or_else(|| part.parse().ok().map(IpAddr::into));
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(network).collect()
    });

/// The address of a web server, stored without a slash at its end.
pub(super) const WEB_URL: ParsedFormat<String> = public_format(
    "an address that begins with http:// or https://, without user, query or fragment",
    |text| {
        let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"))?;
        // The address appears in shell commands of the skill files, so it must not contain what a shell would
        // interpret.
        let is_plain = |character: char| character.is_ascii_alphanumeric() || "-._~:/[]%".contains(character);
        let is_usable = !rest.is_empty() && rest.chars().all(is_plain);
        is_usable.then(|| text.trim_end_matches('/').to_owned())
    },
);

/// The address of a PostgreSQL database; it may contain a password.
pub(super) const POSTGRES_URL: ParsedFormat<String> =
    secret_format("an address that begins with postgres://", |text| {
        let is_postgres = text.starts_with("postgres://") || text.starts_with("postgresql://");
        is_postgres.then(|| text.to_owned())
    });

/// The address of a mail server; it may contain a password.
pub(super) const SMTP_URL: ParsedFormat<Secret> =
    secret_format("an address that begins with smtp:// or smtps://", |text| {
        let is_smtp = text.starts_with("smtp://") || text.starts_with("smtps://");
        is_smtp.then(|| Secret(text.to_owned()))
    });

/// The private key of Web Push.
pub(super) const VAPID_KEY: ParsedFormat<VapidKey> =
    secret_format("a private key in base64url, as caraplace admin vapid-key prints it", VapidKey::parse);

/// The address of a page, or a mail address, at which the operator can be reached.
pub(super) const CONTACT_URL: ParsedFormat<String> =
    public_format("an address that begins with mailto: or https://", |text| {
        let is_contact = text.starts_with("mailto:") || text.starts_with("https://");
        (is_contact && text.chars().all(|c| c.is_ascii_graphic())).then(|| text.to_owned())
    });

/// The hours in which operators are not disturbed.
pub(super) const QUIET_HOURS: ParsedFormat<QuietHours> =
    public_format("two different hours from 0 to 23 in UTC, as in 22-7", QuietHours::parse);

/// The name of a header that contains one address, in lower case.
pub(super) const HEADER_NAME: ParsedFormat<String> = public_format(
    "the name of a header that contains one address, as in Fly-Client-IP (leave it unset for \
     X-Forwarded-For)",
    |text| {
        let name = text.to_ascii_lowercase();
        // A token as RFC 9110 defines it.
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let is_usable = name.len() <= 64 && name.bytes().all(is_token);
        // These headers contain lists of hops, which are read from the end and not as one address.
        (is_usable && name != "x-forwarded-for" && name != "forwarded").then_some(name)
    },
);

/// A token that clients send in the `Authorization` header.
pub(super) const BEARER_TOKEN: ParsedFormat<Secret> = secret_format(
    "16 to 256 ASCII characters without spaces, for example from openssl rand -hex 24",
    |text| {
        // A shorter token could be guessed; a longer one is a mistake.
        let is_usable = (16..=256).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_usable.then(|| Secret(text.to_owned()))
    },
);

/// Keys that are long enough not to be guessed, separated by commas.
pub(super) const ENCRYPTION_KEYS: ParsedFormat<Secret> = secret_format(
    "one or more keys of 32 to 256 ASCII characters without spaces, separated by commas, for example from \
     openssl rand -hex 32",
    |text| {
        let is_key =
            |key: &str| (32..=256).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        text.split(',').all(is_key).then(|| Secret(text.to_owned()))
    },
);

/// The context from which the salt of the console's password is derived.
const SALT_CONTEXT: &str = "caraplace 2026-11 salt of the console's password";

/// A password or its hash; only the hash is stored.
pub(super) const PASSWORD: ParsedFormat<PasswordHash> = ParsedFormat {
    expected: "a password of at least 12 characters and at most 1024 bytes, or a hash that begins with \
               $argon2id$: choose a longer password, or set what caraplace admin password-hash prints",
    is_secret: true,
    keeps_spaces: true,
    kind: SettingKind::Text,
    parse: |text| {
        if text.starts_with("$argon2") {
            return PasswordHash::parse(text);
        }
        // All instances with this password must compute the same hash, which is not stored in the database.
        let mut salt = [0; 16];
        blake3::Hasher::new_derive_key(SALT_CONTEXT).update(text.as_bytes()).finalize_xof().fill(&mut salt);
        is_long_enough(text).then(|| PasswordHash::new(text, salt)).flatten()
    },
};

/// Filter directives for the log, in the syntax of [`EnvFilter`].
pub(super) const LOG_FILTER: ParsedFormat<String> = public_format(
    "levels (off, error, warn, info, debug, trace) for everything or for single modules, as in \
     info,caraplace=debug",
    |text| {
        EnvFilter::builder().parse(text).ok()?;
        // The parser takes a word that is no level for the name of a module: "verbose" would silence
        // everything else.
        let is_level = |directive: &str| directive.parse::<LevelFilter>().is_ok();
        let directives = || text.split(',').map(str::trim).filter(|directive| !directive.is_empty());
        let is_about_server =
            directives().any(|directive| is_level(directive) || directive.starts_with("caraplace"));
        let has_other_word =
            directives().any(|directive| !is_level(directive) && !directive.contains(['=', '[']));
        (is_about_server || !has_other_word).then(|| text.to_owned())
    },
);
