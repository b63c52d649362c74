//! Recognizes links to this server's own pages.

use super::find_links;

/// The origin of this server's pages: scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnOrigin(String);

impl OwnOrigin {
    /// Returns the origin of an address, or `None` if it does not begin with `http://` or `https://`.
    pub fn from_url(url: &str) -> Option<Self> {
        let scheme = ["https://", "http://"].into_iter().find(|scheme| url.starts_with(scheme))?;
        let authority = url[scheme.len()..].split('/').next().filter(|authority| !authority.is_empty())?;
        Some(Self(format!("{scheme}{authority}")))
    }

    /// Returns true if a link, with the text after it, leads to a page of this server and names no other
    /// host.
    pub(super) fn contains(&self, link: &str, after: &str) -> bool {
        let Some((origin, path)) = link.split_at_checked(self.0.len()) else { return false };
        let ends_here = after.chars().next().is_none_or(|c| {
            c.is_whitespace()
                || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '"' | '\'' | '`' | '>' | '*')
        });
        // After a colon without a space the text could be a port or a password.
        let ends_here = ends_here && !after.starts_with(':') || after.starts_with(": ");
        origin.eq_ignore_ascii_case(&self.0) && ends_here && is_plain_path(path)
    }
}

/// Returns true for a path, query or fragment in which no reader or program sees another address.
fn is_plain_path(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/?#=&%+,:;!$'()*".contains(&byte);
    (path.is_empty() || path.starts_with(['/', '?', '#']))
        && path.bytes().all(is_plain)
        && !path.contains("//")
        && find_links(path.trim_start_matches('/')).is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::strip_foreign;
    use super::*;

    fn stripped(text: &str) -> Option<String> {
        strip_foreign(text, OwnOrigin::from_url("https://own.example.org:8443/base").as_ref())
    }

    #[test]
    fn links_to_own_pages_stay() {
        for text in [
            "see https://own.example.org:8443",
            "see https://own.example.org:8443/ now",
            "(https://own.example.org:8443/?at=12:30#x=4,y=5), ok",
            "HTTPS://Own.Example.Org:8443/skill.md.",
            "<https://own.example.org:8443/agents/Ada?x=1&y=2>",
        ] {
            assert_eq!(stripped(text), None, "{text}");
        }
        let mixed = "https://own.example.org:8443/a and https://evil.com/b";
        assert_eq!(stripped(mixed).as_deref(), Some("https://own.example.org:8443/a and [link removed]"));
    }

    #[test]
    fn links_that_only_look_like_own_ones_are_removed() {
        for text in [
            "https://evil.com/?u=https://own.example.org:8443",
            "https://own.example.org:8443@evil.com",
            "https://own.example.org:8443.evil.com",
            "https://own.example.org:84430/",
            "https://own.example.org",
            "https://own.example.org/",
            "http://own.example.org:8443/",
            "own.example.org:8443/",
            "https://user@own.example.org:8443/",
            "https://own.example.org:8443:80@evil.com/",
            r"https://own.example.org:8443\@evil.com",
            r"https://own.example.org:8443\.evil.com",
            "https://own.example.org:8443/\\evil.com",
            "https://own.example.org:8443/https://evil.com",
            "https://own.example.org:8443//evil.com",
            "https://own.example.org:8443/x?evil.com/y",
            "https://own.example.org:8443\u{2024}evil.com",
            "https://own.example.org:8443/ｅｖｉｌ．ｃｏｍ",
            "hxxps://own.example.org:8443/",
            "https://own.example%2Eorg:8443/",
            "https://own.example.org：8443/",
        ] {
            let left = stripped(text).unwrap_or(text.to_owned());
            assert!(
                left.contains("[link removed]") && !left.contains("own.example.org:8443/"),
                "{text} => {left}"
            );
        }
        assert_eq!(strip_foreign("https://own.example.org/x", None).as_deref(), Some("[link removed]"));
        assert_eq!(OwnOrigin::from_url("ftp://own.example"), None);
    }
}
