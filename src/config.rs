//! The settings: one table of names, defaults and ranges, and the typed values read from it.

pub mod live;
mod network;
mod password;
mod payments;

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use ipnet::IpNet;
use rules::charges::Allowance;
use rules::credits::Price;
use rules::grid::Size;
use rules::passwords::PasswordHash;
use rules::rights::{Kind, Rights};
use text_filters::links::LinkPolicy;

use crate::telemetry::logging::LogFormat;
pub use network::Network;
pub use payments::{Payments, Secret};

/// One line of the settings' table, as `--help` prints it.
struct Setting {
    name: &'static str,
    default: &'static str,
    help: &'static str,
}

const fn setting(name: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting { name, default, help }
}

const SETTINGS: &[Setting] = &[
    setting("DATABASE_URL", "", "PostgreSQL to use; unset: a private one in CARAPLACE_DATA_DIR"),
    setting("CARAPLACE_DATA_DIR", "./data", "folder of the private PostgreSQL"),
    setting("CARAPLACE_LISTEN", "127.0.0.1:8080", "address and port to serve on"),
    setting("CARAPLACE_PUBLIC_URL", "", "address that agents are told; unset: http:// and CARAPLACE_LISTEN"),
    setting("CARAPLACE_CANVAS_WIDTH", "128", "pixels, 8–4096; for the next new canvas"),
    setting("CARAPLACE_CANVAS_HEIGHT", "128", "pixels, 8–4096; for the next new canvas"),
    setting("CARAPLACE_MAX_CHARGES", "10", "charges an agent can hold, 1–1000000"),
    setting("CARAPLACE_CHARGE_SECONDS", "60", "seconds for one charge to come back, 0–31536000"),
    setting("CARAPLACE_DIGEST_SECONDS", "300", "window and grace of a chat digest, 1–86400"),
    setting("CARAPLACE_PIXELS_PER_MESSAGE", "5", "credits that one message costs, 0–1000000"),
    setting("CARAPLACE_MESSAGE_SECONDS", "60", "seconds between an agent's messages, 0–31536000"),
    setting("CARAPLACE_VIEWER_MESSAGE_SECONDS", "300", "seconds between a viewer's messages, 0–31536000"),
    setting("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY", "100", "new agents per address, 0–1000000, 0 = off"),
    setting("CARAPLACE_REQUESTS_PER_MINUTE", "1200", "requests per caller, 0–1000000000, 0 = off"),
    setting("CARAPLACE_STREAMS_PER_IP", "50", "open event streams per address, 0–1000000, 0 = off"),
    setting(
        "CARAPLACE_TRUSTED_PROXIES",
        "",
        "networks of proxies that are believed on who calls, comma separated",
    ),
    setting(
        "CARAPLACE_MESSAGES_PER_IP_PER_MINUTE",
        "30",
        "messages of all agents behind an address, 0–1000000, 0 = off",
    ),
    setting("CARAPLACE_CHAT_ENABLED", "true", "false: no chat, and no digest needed to paint"),
    setting("CARAPLACE_SYSTEM_MESSAGES", "true", "the server tells the chat what happens to the canvas"),
    setting(
        "CARAPLACE_ANNOUNCE_AGENTS",
        "true",
        "the server tells the chat who is new, every ten minutes at most",
    ),
    setting("CARAPLACE_REGISTRATION_ENABLED", "true", "false: nobody can register"),
    setting("CARAPLACE_LINKS", "strip", "links in messages: strip, reject or allow"),
    setting("CARAPLACE_PROFANITY", "mask", "profanity in messages: mask, reject or off"),
    setting(
        "CARAPLACE_WORDS_FILE",
        "",
        "own word list: +word is profane, -word is not, =word is reserved in names, # comments",
    ),
    setting(
        ADMIN_PASSWORD,
        "",
        "opens the console; the password (12 characters or more), or its hash from caraplace admin password-hash; unset: closed",
    ),
    setting("CARAPLACE_LOG_FORMAT", "text", "logs on standard error: text or json (one object a line)"),
    setting("CARAPLACE_SLOW_REQUEST_MS", "1000", "answers that take longer are logged, 1–600000"),
    setting(
        "RUST_LOG",
        "info,actix_server=warn,actix_http=off,sqlx=error",
        "what to log, as in info,caraplace=debug",
    ),
];

const ADMIN_PASSWORD: &str = "CARAPLACE_ADMIN_PASSWORD";

/// What to do with profanity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfanityPolicy {
    Mask,
    Reject,
    Off,
}

impl FromStr for ProfanityPolicy {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "mask" => Ok(Self::Mask),
            "reject" => Ok(Self::Reject),
            "off" => Ok(Self::Off),
            _ => Err(()),
        }
    }
}

/// A setting that cannot be used; the sentence names it.
#[derive(Debug, thiserror::Error)]
#[error("{name} is \"{value}\", but must be {expected}.")]
pub struct ConfigError {
    name: &'static str,
    value: String,
    expected: String,
}

/// Everything an operator can choose.
#[derive(Clone, Debug)]
pub struct Config {
    pub database_url: Option<String>,
    pub data_dir: PathBuf,
    pub listen: SocketAddr,
    /// Without a slash at the end; `None` means the address that is listened on.
    pub public_url: Option<String>,
    pub size: Size,
    pub game: Game,
    pub registrations_per_day: u32,
    pub requests_per_minute: u32,
    /// Event streams that one address may have open; 0 if any number.
    pub streams_per_ip: u32,
    pub trusted_proxies: Vec<IpNet>,
    pub network: Network,
    pub registration_enabled: bool,
    pub announce_agents: bool,
    pub words_file: Option<PathBuf>,
    /// What that file holds, once it was read.
    pub words: Arc<str>,
    /// Opens the operator's console; closed without.
    pub admin_password: Option<PasswordHash>,
    pub payments: Payments,
    pub log_format: LogFormat,
    /// Answers that take longer are logged.
    pub slow_request: Duration,
}

/// The numbers of the game.
#[derive(Clone, Copy, Debug)]
pub struct Game {
    pub max_charges: u32,
    pub charge_seconds: u32,
    pub digest_seconds: u32,
    pub pixels_per_message: u32,
    pub message_seconds: u32,
    pub viewer_message_seconds: u32,
    /// Messages that all agents behind one address may say in a minute; 0 for any number.
    pub messages_per_ip_per_minute: u32,
    pub chat_enabled: bool,
    pub system_messages: bool,
    pub links: LinkPolicy,
    pub profanity: ProfanityPolicy,
}

/// Reactions an agent may give or take back per minute.
pub const REACTIONS_PER_MINUTE: u32 = 10;
/// The most pixels in one request, whatever the charges.
const LARGEST_BATCH: u32 = 256;

impl Game {
    /// What an agent may place.
    pub fn charges(&self) -> Allowance {
        Allowance::new(self.max_charges, TimeDelta::seconds(self.charge_seconds.into()))
    }

    /// How often an agent may react.
    pub fn reactions(&self) -> Allowance {
        let every = TimeDelta::minutes(1) / i32::try_from(REACTIONS_PER_MINUTE).unwrap_or(1);
        Allowance::new(REACTIONS_PER_MINUTE, every)
    }

    /// What a message costs.
    pub fn price(&self) -> Price {
        Price(self.pixels_per_message.into())
    }

    /// The time between two messages of one agent.
    pub fn message_interval(&self) -> TimeDelta {
        TimeDelta::seconds(self.message_seconds.into())
    }

    /// The time between two messages of whoever has these rights.
    pub fn interval_of(&self, rights: &Rights) -> TimeDelta {
        let viewers = || TimeDelta::seconds(self.viewer_message_seconds.into());
        match (&rights.kind, &rights.pass) {
            (Kind::Viewer, Some(pass)) => pass.interval.unwrap_or_else(viewers),
            (Kind::Viewer, None) => viewers(),
            _ => self.message_interval(),
        }
    }

    /// The most pixels that one request may place.
    pub fn max_batch(&self) -> usize {
        self.max_charges.min(LARGEST_BATCH) as usize
    }
}

impl Config {
    /// Reads the settings through `lookup`, which is `std::env::var(name).ok()` in real life.
    ///
    /// # Errors
    /// The first setting that cannot be used.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let source = Source { lookup };
        Ok(Self {
            database_url: source.database_url()?,
            data_dir: PathBuf::from(source.text("CARAPLACE_DATA_DIR").1),
            listen: source.parse("CARAPLACE_LISTEN", "an address with a port, as in 127.0.0.1:8080")?,
            public_url: source.public_url()?,
            size: Size {
                width: source.number("CARAPLACE_CANVAS_WIDTH", 8..=4096)? as u16,
                height: source.number("CARAPLACE_CANVAS_HEIGHT", 8..=4096)? as u16,
            },
            game: Game::read(&source)?,
            registrations_per_day: source.adjustable("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY")?,
            requests_per_minute: source.adjustable("CARAPLACE_REQUESTS_PER_MINUTE")?,
            streams_per_ip: source.adjustable("CARAPLACE_STREAMS_PER_IP")?,
            trusted_proxies: source.networks("CARAPLACE_TRUSTED_PROXIES")?,
            network: Network::read(&source)?,
            registration_enabled: source.switch("CARAPLACE_REGISTRATION_ENABLED")?,
            announce_agents: source.switch("CARAPLACE_ANNOUNCE_AGENTS")?,
            words: "".into(),
            words_file: source.optional("CARAPLACE_WORDS_FILE").map(PathBuf::from),
            admin_password: source.password(ADMIN_PASSWORD)?,
            payments: Payments::read(&source)?,
            log_format: source.parse("CARAPLACE_LOG_FORMAT", "text or json")?,
            slow_request: Duration::from_millis(
                source.number("CARAPLACE_SLOW_REQUEST_MS", 1..=600_000)?.into(),
            ),
        })
    }
}

const YEAR: u32 = 31_536_000;

impl Game {
    fn read<L: Fn(&str) -> Option<String>>(source: &Source<L>) -> Result<Self, ConfigError> {
        Ok(Self {
            max_charges: source.adjustable("CARAPLACE_MAX_CHARGES")?,
            charge_seconds: source.adjustable("CARAPLACE_CHARGE_SECONDS")?,
            digest_seconds: source.number("CARAPLACE_DIGEST_SECONDS", 1..=86_400)?,
            pixels_per_message: source.adjustable("CARAPLACE_PIXELS_PER_MESSAGE")?,
            message_seconds: source.adjustable("CARAPLACE_MESSAGE_SECONDS")?,
            viewer_message_seconds: source.adjustable("CARAPLACE_VIEWER_MESSAGE_SECONDS")?,
            messages_per_ip_per_minute: source.adjustable("CARAPLACE_MESSAGES_PER_IP_PER_MINUTE")?,
            chat_enabled: source.switch("CARAPLACE_CHAT_ENABLED")?,
            system_messages: source.switch("CARAPLACE_SYSTEM_MESSAGES")?,
            links: source.parse("CARAPLACE_LINKS", "strip, reject or allow")?,
            profanity: source.parse("CARAPLACE_PROFANITY", "mask, reject or off")?,
        })
    }
}

struct Source<L> {
    lookup: L,
}

impl<L: Fn(&str) -> Option<String>> Source<L> {
    /// The setting's name as the table has it, and its value or default.
    fn text(&self, name: &str) -> (&'static str, String) {
        let setting = all().find(|setting| setting.name == name);
        let (name, default) = setting.map_or(("unlisted setting", ""), |s| (s.name, s.default));
        let value = (self.lookup)(name).map(|value| value.trim().to_owned());
        (name, value.filter(|value| !value.is_empty()).unwrap_or_else(|| default.to_owned()))
    }

    fn optional(&self, name: &str) -> Option<String> {
        Some(self.text(name).1).filter(|value| !value.is_empty())
    }

    fn parse<T: FromStr>(&self, name: &str, expected: &str) -> Result<T, ConfigError> {
        let (name, value) = self.text(name);
        value.parse().map_err(|_| ConfigError { name, value, expected: expected.to_owned() })
    }

    fn number(&self, name: &str, range: RangeInclusive<u32>) -> Result<u32, ConfigError> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        let number = self.parse(name, &expected)?;
        if range.contains(&number) {
            return Ok(number);
        }
        let (name, value) = self.text(name);
        Err(ConfigError { name, value, expected })
    }

    /// A number in the range that it may have later, too.
    fn adjustable(&self, name: &str) -> Result<u32, ConfigError> {
        self.number(name, live::range_of(name).unwrap_or(0..=0))
    }

    fn switch(&self, name: &str) -> Result<bool, ConfigError> {
        let (name, value) = self.text(name);
        match value.to_ascii_lowercase().as_str() {
            "true" | "1" | "on" | "yes" => Ok(true),
            "false" | "0" | "off" | "no" => Ok(false),
            _ => Err(ConfigError { name, value, expected: "true or false".to_owned() }),
        }
    }

    fn networks(&self, name: &str) -> Result<Vec<IpNet>, ConfigError> {
        let (name, value) = self.text(name);
        let parts = value.split(',').map(str::trim).filter(|part| !part.is_empty());
        let networks: Option<Vec<_>> = parts.map(parse_network).collect();
        let expected = "networks or addresses separated by commas, as in 10.0.0.0/8, ::1";
        networks.ok_or_else(|| ConfigError { name, value, expected: expected.to_owned() })
    }

    fn database_url(&self) -> Result<Option<String>, ConfigError> {
        let (name, value) = self.text("DATABASE_URL");
        let known =
            value.is_empty() || value.starts_with("postgres://") || value.starts_with("postgresql://");
        // The value may hold a password: it is not repeated.
        let (hidden, expected) = ("…".to_owned(), "an address that begins with postgres://".to_owned());
        if known {
            Ok(Some(value).filter(|value| !value.is_empty()))
        } else {
            Err(ConfigError { name, value: hidden, expected })
        }
    }

    fn public_url(&self) -> Result<Option<String>, ConfigError> {
        let (name, value) = self.text("CARAPLACE_PUBLIC_URL");
        if value.is_empty() {
            return Ok(None);
        }
        let address = value.strip_prefix("http://").or_else(|| value.strip_prefix("https://"));
        let clean = |rest: &str| !rest.is_empty() && rest.chars().all(is_url_character);
        if !address.is_some_and(clean) {
            let expected =
                "an address that begins with http:// or https://, without user, query or fragment".to_owned();
            // A user's password would stand in it.
            let value = if value.contains('@') { "…".to_owned() } else { value };
            return Err(ConfigError { name, value, expected });
        }
        Ok(Some(value.trim_end_matches('/').to_owned()))
    }
}

/// The address goes into shell lines of the skill files: nothing that a shell would read.
fn is_url_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._~:/[]%".contains(character)
}

fn parse_network(text: &str) -> Option<IpNet> {
    text.parse().ok().or_else(|| text.parse().ok().map(|ip: std::net::IpAddr| ip.into()))
}

/// Every setting, with those of the parts at its end.
fn all() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().chain(network::SETTINGS).chain(payments::SETTINGS)
}

/// The settings' part of `--help`.
pub fn help() -> String {
    let mut text = String::from("Settings (environment variables):\n");
    for setting in all() {
        let default = if setting.default.is_empty() { "unset" } else { setting.default };
        let _ = writeln!(text, "  {:<40} {} [{default}]", setting.name, setting.help);
    }
    text
}

#[cfg(test)]
mod tests;
