//! Decides whether the text around a bare host tells that it is meant as an address.

use super::top_level_domains::{COMMON_TLDS, LINK_TLDS};

/// Further top-level domains that are mostly used in links. The other ones of more than two letters are rare,
/// and words first.
const FURTHER_LINK_TLDS: [&str; 58] = [
    "academy",
    "accountant",
    "adult",
    "agency",
    "art",
    "asia",
    "autos",
    "beauty",
    "bet",
    "bid",
    "blog",
    "boats",
    "bond",
    "cam",
    "casino",
    "cash",
    "cfd",
    "chat",
    "cyou",
    "date",
    "dating",
    "download",
    "exchange",
    "faith",
    "finance",
    "gdn",
    "guru",
    "homes",
    "ink",
    "lat",
    "loan",
    "ltd",
    "makeup",
    "mobi",
    "mom",
    "monster",
    "ooo",
    "onion",
    "party",
    "poker",
    "porn",
    "quest",
    "racing",
    "ren",
    "rocks",
    "sbs",
    "science",
    "sex",
    "sexy",
    "skin",
    "social",
    "stream",
    "studio",
    "trade",
    "travel",
    "wang",
    "webcam",
    "wiki",
];
/// Top-level domains that are also endings of files.
const FILE_TLDS: [&str; 14] =
    ["pl", "ml", "pt", "es", "cl", "gd", "sv", "tk", "tm", "ws", "cr", "nu", "ms", "pro"];
/// Names that files of programs have.
const FILE_STEMS: [&str; 43] = [
    "app", "base", "build", "check", "client", "common", "config", "convert", "core", "data", "demo",
    "deploy", "example", "foo", "gen", "generate", "hello", "helper", "helpers", "index", "init", "install",
    "lib", "main", "model", "module", "parse", "parser", "player", "plugin", "process", "project", "render",
    "run", "script", "server", "setup", "test", "tests", "tool", "types", "util", "utils",
];
/// Labels of sites, and domains of countries that are also words.
const SITE_LABELS: [&str; 20] = [
    "art", "bank", "bet", "blog", "casino", "chat", "deals", "forum", "free", "games", "mail", "market",
    "news", "online", "shop", "site", "store", "travel", "web", "wiki",
];
const COUNTRY_WORDS: [&str; 12] = ["am", "as", "at", "be", "by", "in", "is", "it", "la", "my", "to", "us"];
/// Maximum number of letters before the number of a version or a model: `v2`, `o3`.
const MAX_VERSION_LETTERS: usize = 2;
/// Words that announce nothing but an address.
const ANNOUNCEMENTS: [&str; 22] = [
    "visit", "visiting", "site", "website", "webpage", "homepage", "url", "link", "links", "domain", "host",
    "hosted", "join", "blog", "shop", "click", "browse", "browser", "buy", "order", "register", "www",
];
/// Words that announce an address after one of [`MOTIONS`].
const DIRECTIONS: [&str; 5] = ["to", "out", "on", "over", "up"];
const MOTIONS: [&str; 12] =
    ["go", "goes", "going", "went", "head", "come", "check", "hop", "sign", "log", "navigate", "surf"];
/// Words before a rare top-level domain that suggest an address.
const SUGGESTIONS: [&str; 8] = ["at", "on", "from", "via", "see", "to", "check", "out"];

/// Returns true for a bare host that could as well be a file, a version or two words, without a text before
/// it that announces an address.
pub(super) fn lacks_cue(address: &str, before: &str) -> bool {
    let Some((label, tld)) = address.split_once('.').filter(|_| is_bare(address)) else { return false };
    let label = label.to_ascii_lowercase();
    let tld = tld.to_ascii_lowercase();
    let is_file = FILE_TLDS.contains(&tld.as_str()) && FILE_STEMS.contains(&label.as_str());
    let is_version = !matches!(tld.as_str(), "com" | "net" | "org") && is_version(&label);
    let is_rare = tld.len() > 2
        && tld.is_ascii()
        && ![&COMMON_TLDS[..], &LINK_TLDS, &FURTHER_LINK_TLDS]
            .iter()
            .any(|known| known.contains(&tld.as_str()));
    let is_word = label.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_file || is_version {
        return !is_announced(before);
    }
    is_rare && is_word && !is_announced(before) && !SUGGESTIONS.contains(&last_words(before)[0].as_str())
}

/// Returns true for a bare host below a domain of a country that is also a word, after a word that suggests
/// an address: `at blog.us`.
pub(super) fn is_suggested_site(address: &str, before: &str) -> bool {
    let Some((label, tld)) = address.split_once('.').filter(|_| is_bare(address)) else { return false };
    let is_site = SITE_LABELS.contains(&label.to_ascii_lowercase().as_str())
        && COUNTRY_WORDS.contains(&tld.to_ascii_lowercase().as_str());
    is_site
        && (is_announced(before)
            || before.ends_with(['"', '\'', '(', '`'])
            || SUGGESTIONS.contains(&last_words(before)[0].as_str()))
}

/// Returns true for two labels without scheme, path, port and user.
fn is_bare(address: &str) -> bool {
    !address.contains(['/', ':', '?', '#', '@']) && address.matches('.').count() == 1
}

/// Returns true for `v2`, `o3` and `2`.
fn is_version(label: &str) -> bool {
    let number = label.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    label.len() - number.len() <= MAX_VERSION_LETTERS
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_announced(before: &str) -> bool {
    let before = before.trim_end();
    let [last, second_last] = last_words(before);
    before.ends_with([':', '<', '→', '>', '@'])
        || before.ends_with("](")
        || ANNOUNCEMENTS.contains(&last.as_str())
        || DIRECTIONS.contains(&last.as_str()) && MOTIONS.contains(&second_last.as_str())
}

/// Returns the last word and the one before it, in lower case. Words are looked for in a short piece of the
/// text.
fn last_words(before: &str) -> [String; 2] {
    const MAX_BYTES: usize = 48;
    let from = before.ceil_char_boundary(before.len().saturating_sub(MAX_BYTES));
    let mut words = before[from..].rsplit(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    [(); 2].map(|()| words.next().unwrap_or_default().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::super::strip;

    #[test]
    fn files_versions_and_words_stay_without_a_cue() {
        for text in [
            "app.properties",
            "edit app.properties first",
            "test.pl",
            "run test.pl and main.ml",
            "GPT-4.1 and o3.pro",
            "v2.dev",
            "on v2.dev it works",
            "lol.wow",
            "lol.wow that is big",
            "core.systems",
            "I read the news.in other words",
            "look at this.it is good",
        ] {
            assert_eq!(strip(text), None, "{text}");
        }
    }

    #[test]
    fn hosts_with_a_cue_are_removed() {
        for text in [
            "visit lol.wow now",
            "go to v2.dev now",
            "my site: test.pl",
            "https://app.properties",
            "lol.wow/free",
            "www.lol.wow",
            "v2.dev:8080/x",
            "free.app.properties/x",
            "[art](lol.wow)",
            "lol[.]wow",
            "see lol.wow",
            "crab-reef.wow",
            "sklep.pl",
            "pixels.dev",
            "163.com",
            "pixels at blog.us!",
            "check \"news.in\"",
        ] {
            assert!(strip(text).is_some_and(|left| left.contains("[link removed]")), "{text}");
        }
    }

    #[test]
    fn ideographic_full_stops_separate_labels_before_common_endings() {
        for text in ["evil。com", "例え。jp", "例え｡jp/x", "これ 例え。com を見て"] {
            assert!(strip(text).is_some_and(|left| left.contains("[link removed]")), "{text}");
        }
        for text in ["完成了。公司", "終わり。ok", "すごい。lol", "です。comment", "例え。jpeg"]
        {
            assert_eq!(strip(text), None, "{text}");
        }
    }
}
