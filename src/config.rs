//! The settings: one table of names, defaults and ranges, and the typed values read from it.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use chrono::TimeDelta;
use ipnet::IpNet;

use crate::rules::charges::Allowance;
use crate::rules::credits::Price;
use crate::rules::grid::Size;
use crate::rules::links::LinkPolicy;
use crate::telemetry::logging::LogFormat;

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
    setting("CARAPLACE_TRUSTED_PROXIES", "", "networks whose X-Forwarded-For is believed, comma separated"),
    setting("CARAPLACE_CHAT_ENABLED", "true", "false: no chat, and no digest needed to paint"),
    setting("CARAPLACE_SYSTEM_MESSAGES", "true", "the server tells the chat how full the canvas is"),
    setting("CARAPLACE_LINKS", "strip", "links in messages: strip, reject or allow"),
    setting("CARAPLACE_PROFANITY", "mask", "profanity in messages: mask, reject or off"),
    setting("CARAPLACE_WORDS_FILE", "", "own word list: +word is profane, -word is not, # comments"),
    setting("CARAPLACE_LOG_FORMAT", "text", "logs on standard error: text or json (one object a line)"),
    setting("CARAPLACE_SLOW_REQUEST_MS", "1000", "answers that take longer are logged, 1–600000"),
    setting(
        "RUST_LOG",
        "info,actix_server=warn,actix_http=off,sqlx=error",
        "what to log, as in info,caraplace=debug",
    ),
];

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
    pub trusted_proxies: Vec<IpNet>,
    pub words_file: Option<PathBuf>,
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
            registrations_per_day: source.number("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY", 0..=1_000_000)?,
            requests_per_minute: source.number("CARAPLACE_REQUESTS_PER_MINUTE", 0..=1_000_000_000)?,
            trusted_proxies: source.networks("CARAPLACE_TRUSTED_PROXIES")?,
            words_file: source.optional("CARAPLACE_WORDS_FILE").map(PathBuf::from),
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
            max_charges: source.number("CARAPLACE_MAX_CHARGES", 1..=1_000_000)?,
            charge_seconds: source.number("CARAPLACE_CHARGE_SECONDS", 0..=YEAR)?,
            digest_seconds: source.number("CARAPLACE_DIGEST_SECONDS", 1..=86_400)?,
            pixels_per_message: source.number("CARAPLACE_PIXELS_PER_MESSAGE", 0..=1_000_000)?,
            message_seconds: source.number("CARAPLACE_MESSAGE_SECONDS", 0..=YEAR)?,
            viewer_message_seconds: source.number("CARAPLACE_VIEWER_MESSAGE_SECONDS", 0..=YEAR)?,
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
        let setting = SETTINGS.iter().find(|setting| setting.name == name);
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
            let expected = "an address that begins with http:// or https://".to_owned();
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

/// The settings' part of `--help`.
pub fn help() -> String {
    let mut text = String::from("Settings (environment variables):\n");
    for setting in SETTINGS {
        let default = if setting.default.is_empty() { "unset" } else { setting.default };
        let _ = writeln!(text, "  {:<40} {} [{default}]", setting.name, setting.help);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with(name: &str, value: &str) -> Result<Config, ConfigError> {
        Config::read(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn defaults_are_the_contract() {
        let config = Config::read(|_| None).unwrap();
        assert_eq!(config.size, Size { width: 128, height: 128 });
        assert_eq!(config.game.max_charges, 10);
        assert_eq!(config.game.charge_seconds, 60);
        assert_eq!(config.game.digest_seconds, 300);
        assert_eq!(config.game.pixels_per_message, 5);
        assert_eq!(config.game.message_seconds, 60);
        assert!(config.database_url.is_none() && config.game.chat_enabled);
    }

    #[test]
    fn values_out_of_range_are_refused_by_name() {
        for (name, value) in [
            ("CARAPLACE_CANVAS_WIDTH", "7"),
            ("CARAPLACE_CANVAS_HEIGHT", "4097"),
            ("CARAPLACE_MAX_CHARGES", "0"),
            ("CARAPLACE_MAX_CHARGES", "1000001"),
            ("CARAPLACE_DIGEST_SECONDS", "0"),
            ("CARAPLACE_CHARGE_SECONDS", "-1"),
            ("CARAPLACE_MESSAGE_SECONDS", "1.5"),
            ("CARAPLACE_LINKS", "sometimes"),
            ("CARAPLACE_PROFANITY", "yes"),
            ("CARAPLACE_CHAT_ENABLED", "maybe"),
            ("CARAPLACE_TRUSTED_PROXIES", "10.0.0.0/8, here"),
            ("CARAPLACE_LISTEN", "localhost"),
            ("CARAPLACE_LOG_FORMAT", "xml"),
            ("CARAPLACE_SLOW_REQUEST_MS", "0"),
            ("CARAPLACE_PUBLIC_URL", "ftp://example.com"),
            ("CARAPLACE_PUBLIC_URL", "http://$(reboot)"),
        ] {
            let sentence = with(name, value).map(|_| ()).unwrap_err().to_string();
            assert!(sentence.contains(name) && sentence.contains(value), "{sentence}");
        }
    }

    #[test]
    fn a_database_of_another_kind_is_refused_without_repeating_its_password() {
        let sentence = with("DATABASE_URL", "mysql://me:hunter2@db/x").map(|_| ()).unwrap_err().to_string();
        assert!(sentence.contains("DATABASE_URL") && !sentence.contains("hunter2"), "{sentence}");
    }

    #[test]
    fn zero_switches_limits_off() {
        assert_eq!(with("CARAPLACE_CHARGE_SECONDS", "0").unwrap().game.charge_seconds, 0);
        assert_eq!(with("CARAPLACE_REQUESTS_PER_MINUTE", "0").unwrap().requests_per_minute, 0);
    }

    #[test]
    fn networks_may_be_single_addresses() {
        let config = with("CARAPLACE_TRUSTED_PROXIES", "10.0.0.0/8, ::1").unwrap();
        assert_eq!(config.trusted_proxies.len(), 2);
    }

    #[test]
    fn help_names_every_setting_with_its_default() {
        let help = help();
        for setting in SETTINGS {
            assert!(help.contains(setting.name) && help.contains(setting.default));
        }
    }

    proptest! {
        #[test]
        fn any_value_is_taken_or_refused_by_name(which in 0..SETTINGS.len(), value in "\\PC{0,20}|-?[0-9]{1,20}|[a-z]{2,6}") {
            let name = SETTINGS[which].name;
            if let Err(error) = with(name, &value) {
                prop_assert!(error.to_string().starts_with(name), "{error}");
            }
        }

        #[test]
        fn a_number_is_never_bent(number in prop_oneof![any::<i64>(), -5_i64..2_000_000]) {
            let text = number.to_string();
            let taken = |name, least, most, read: fn(Config) -> u32| match with(name, &text) {
                Ok(config) => i64::from(read(config)) == number && (least..=most).contains(&number),
                Err(_) => !(least..=most).contains(&number),
            };
            prop_assert!(taken("CARAPLACE_CANVAS_WIDTH", 8, 4_096, |config| config.size.width.into()));
            prop_assert!(taken("CARAPLACE_MAX_CHARGES", 1, 1_000_000, |config| config.game.max_charges));
            prop_assert!(taken("CARAPLACE_CHARGE_SECONDS", 0, YEAR.into(), |config| config.game.charge_seconds));
            prop_assert!(taken("CARAPLACE_DIGEST_SECONDS", 1, 86_400, |config| config.game.digest_seconds));
            prop_assert!(taken("CARAPLACE_REQUESTS_PER_MINUTE", 0, 1_000_000_000, |config| config.requests_per_minute));
        }
    }
}
