//! Settings of the network around the server: how a proxy names its clients.

use super::{ConfigError, Setting, Source, setting};

/// How the server is reached, apart from the address that it serves on.
#[derive(Clone, Debug)]
pub struct Network {
    /// The header in which a trusted proxy names its client, in lower case; `None` if it is `X-Forwarded-For`.
    pub client_ip_header: Option<String>,
}

const CLIENT_IP_HEADER: &str = "CARAPLACE_CLIENT_IP_HEADER";

pub(super) const SETTINGS: &[Setting] = &[
    setting(
        CLIENT_IP_HEADER,
        "",
        "header in which trusted proxies name their client, as in Fly-Client-IP; unset: X-Forwarded-For",
    ),
];

/// The longest name of a header, in bytes.
const MAX_HEADER_BYTES: usize = 64;
/// Lists of hops, which are walked and not read as one address.
const LISTS: [&str; 2] = ["x-forwarded-for", "forwarded"];

impl Network {
    pub(super) fn read<L: Fn(&str) -> Option<String>>(source: &Source<L>) -> Result<Self, ConfigError> {
        Ok(Self { client_ip_header: client_ip_header(source)? })
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

/// What RFC 9110 calls a token.
fn is_header_character(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
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
}
