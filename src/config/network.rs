//! Settings of the network around the server: how a proxy names its clients, and who may read the metrics.

use std::net::SocketAddr;

use super::{ConfigError, Secret, Setting, Source, setting};

/// How the server is reached, apart from the address that it serves on.
#[derive(Clone, Debug)]
pub struct Network {
    /// The header in which a trusted proxy names its client, in lower case; `None` if it is `X-Forwarded-For`.
    pub client_ip_header: Option<String>,
    /// Where `/metrics` is served instead of on the main listener.
    pub metrics_listen: Option<SocketAddr>,
    /// The token that `/metrics` asks for.
    pub metrics_token: Option<Secret>,
}

const CLIENT_IP_HEADER: &str = "CARAPLACE_CLIENT_IP_HEADER";
const METRICS_LISTEN: &str = "CARAPLACE_METRICS_LISTEN";
const METRICS_TOKEN: &str = "CARAPLACE_METRICS_TOKEN";

pub(super) const SETTINGS: &[Setting] = &[
    setting(
        CLIENT_IP_HEADER,
        "",
        "header in which trusted proxies name their client, as in Fly-Client-IP; unset: X-Forwarded-For",
    ),
    setting(METRICS_LISTEN, "", "address and port that serve /metrics alone; unset: the main listener"),
    setting(
        METRICS_TOKEN,
        "",
        "Bearer token that /metrics asks for; without both: open to this machine only",
    ),
];

/// The longest name of a header, in bytes.
const MAX_HEADER_BYTES: usize = 64;
/// Lists of hops, which are walked and not read as one address.
const LISTS: [&str; 2] = ["x-forwarded-for", "forwarded"];
/// A token shorter than this could be guessed; one longer than this is a mistake. In bytes.
const TOKEN_BYTES: std::ops::RangeInclusive<usize> = 16..=256;

impl Network {
    pub(super) fn read<L: Fn(&str) -> Option<String>>(source: &Source<L>) -> Result<Self, ConfigError> {
        let listen = source.optional(METRICS_LISTEN);
        let expected = "an address with a port, as in 127.0.0.1:9091";
        Ok(Self {
            client_ip_header: client_ip_header(source)?,
            metrics_listen: listen.map(|_| source.parse(METRICS_LISTEN, expected)).transpose()?,
            metrics_token: metrics_token(source)?,
        })
    }
}

fn client_ip_header<L: Fn(&str) -> Option<String>>(
    source: &Source<L>,
) -> Result<Option<String>, ConfigError> {
    let (name, value) = source.text(CLIENT_IP_HEADER);
    if value.is_empty() {
        return Ok(None);
    }
    let header = value.to_ascii_lowercase();
    if header.len() <= MAX_HEADER_BYTES
        && header.bytes().all(is_header_character)
        && !LISTS.contains(&header.as_str())
    {
        return Ok(Some(header));
    }
    let expected = "the name of a header that holds one address, as in Fly-Client-IP (X-Forwarded-For is read without it)";
    Err(ConfigError { name, value, expected: expected.to_owned() })
}

/// Returns whether a byte may stand in a token as RFC 9110 defines it.
fn is_header_character(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// It is a secret, and is not repeated.
fn metrics_token<L: Fn(&str) -> Option<String>>(source: &Source<L>) -> Result<Option<Secret>, ConfigError> {
    let (name, value) = source.text(METRICS_TOKEN);
    if value.is_empty() {
        return Ok(None);
    }
    if TOKEN_BYTES.contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(Some(Secret::new(value)));
    }
    let expected =
        "16 to 256 letters, digits and signs without spaces, as from openssl rand -hex 24".to_owned();
    Err(ConfigError { name, value: "…".to_owned(), expected })
}

#[cfg(test)]
mod tests {
    use super::super::{Config, ConfigError};

    fn with(name: &str, value: &str) -> Result<Config, ConfigError> {
        Config::read(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn a_header_is_named_whatever_its_case_and_lists_are_none() {
        let header =
            |value| with(super::CLIENT_IP_HEADER, value).map(|config| config.network.client_ip_header);
        assert_eq!(header("Fly-Client-IP").unwrap().as_deref(), Some("fly-client-ip"));
        assert_eq!(header("").unwrap(), None);
        let long = "x".repeat(65);
        for wrong in ["X-Forwarded-For", "forwarded", "two words", "a:b", "é", long.as_str()] {
            let sentence = header(wrong).unwrap_err().to_string();
            assert!(sentence.starts_with(super::CLIENT_IP_HEADER) && sentence.contains(wrong), "{sentence}");
        }
    }

    #[test]
    fn metrics_are_served_where_an_address_is_named() {
        let listen = |value| with(super::METRICS_LISTEN, value).map(|config| config.network.metrics_listen);
        assert_eq!(listen("0.0.0.0:9091").unwrap(), Some("0.0.0.0:9091".parse().unwrap()));
        assert_eq!(listen("").unwrap(), None);
        for wrong in ["9091", ":9091", "localhost:9091", "0.0.0.0:99999"] {
            let sentence = listen(wrong).unwrap_err().to_string();
            assert!(sentence.starts_with(super::METRICS_LISTEN) && sentence.contains(wrong), "{sentence}");
        }
    }

    #[test]
    fn a_token_is_long_enough_and_never_printed() {
        let good = "hunter2-hunter2-hunter2";
        let config = with(super::METRICS_TOKEN, good).unwrap();
        assert_eq!(config.network.metrics_token.as_ref().map(super::Secret::expose), Some(good));
        assert!(!format!("{config:?}").contains("hunter2"));
        let long = "hunter2".repeat(37);
        for wrong in ["hunter2", "hunter2 hunter2 hunter2", "hunter2-hunter2-é", long.as_str()] {
            let sentence = with(super::METRICS_TOKEN, wrong).map(|_| ()).unwrap_err().to_string();
            assert!(
                sentence.starts_with(super::METRICS_TOKEN) && !sentence.contains("hunter2"),
                "{sentence}"
            );
        }
    }
}
