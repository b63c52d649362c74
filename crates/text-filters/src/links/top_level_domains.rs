//! Top-level domains, by what else they may be: words, endings of files, fields in code.

use crate::profanity::latin_look_alike;

/// Top-level domains that are file extensions far more often than parts of hosts.
pub(super) const FILE_EXTENSION_TLDS: [&str; 25] = [
    "ac", "am", "bz", "cab", "cc", "do", "in", "java", "la", "map", "md", "mk", "mm", "mov", "pm", "ps",
    "py", "rs", "sc", "sh", "so", "st", "tf", "vi", "zip",
];
/// Top-level domains that are also words, as in `agent.name`, or where a space is missing: `ok.so`.
pub(super) const WORD_TLDS: [&str; 74] = [
    "world", "team", "life", "today", "work", "run", "game", "fish", "dog", "family", "home", "house",
    "fast", "city", "place", "page", "play", "rest", "show", "group", "best", "as", "at", "bar", "be",
    "black", "blue", "box", "by", "call", "center", "click", "data", "date", "day", "events", "fail", "foo",
    "gold", "green", "help", "here", "host", "how", "id", "ing", "is", "it", "like", "my", "name", "new",
    "next", "no", "now", "one", "open", "orange", "pink", "post", "read", "red", "review", "save", "select",
    "storage", "style", "target", "to", "total", "us", "watch", "works", "you",
];
/// Top-level domains that code does not use as field names.
pub(super) const NON_FIELD_TLDS: [&str; 5] = ["com", "net", "org", "info", "biz"];
/// Top-level domains that are also words but are mostly used in links.
pub(super) const LINK_TLDS: [&str; 32] = [
    "com", "net", "org", "info", "biz", "xyz", "online", "site", "store", "shop", "top", "club", "app",
    "dev", "live", "tech", "fun", "vip", "win", "pro", "click", "link", "space", "website", "cloud", "page",
    "world", "icu", "buzz", "edu", "gov", "news",
];
/// Top-level domains that are not words.
pub(super) const NON_WORD_TLDS: [&str; 9] = ["com", "net", "org", "info", "biz", "xyz", "edu", "gov", "dev"];
/// Top-level domains that are accepted in any spelling.
pub(super) const COMMON_TLDS: [&str; 6] = ["com", "net", "org", "io", "dev", "xyz"];
/// Further top-level domains that code does not use as field names.
const OTHER_NON_FIELD_TLDS: [&str; 16] = [
    "edu", "gov", "app", "dev", "xyz", "online", "site", "store", "shop", "club", "tech", "vip", "website",
    "icu", "buzz", "onion",
];
/// Domains of countries that code uses as names of fields and methods.
const SHORT_FIELD_NAMES: [&str; 12] =
    ["lt", "gt", "ne", "ge", "cx", "cy", "mu", "nu", "tx", "id", "no", "tr"];
/// Cyrillic spellings of top-level domains that are none themselves.
const TRANSLITERATED_TLDS: [(&str, &str); 4] =
    [("ру", "ru"), ("ком", "com"), ("орг", "org"), ("инфо", "info")];

/// Returns true if this is a top-level domain.
pub(crate) fn is_top_level_domain(ending: &str) -> bool {
    let ending = ending.to_lowercase();
    if ending.is_ascii() {
        return tld::exist(&ending) || ending == "onion";
    }
    TRANSLITERATED_TLDS.iter().any(|(cyrillic, _)| *cyrillic == ending)
        || idna::punycode::encode_str(&ending).is_some_and(|encoded| tld::exist(&format!("xn--{encoded}")))
}

/// Returns true for endings that code uses as names of fields and methods: `player.health`, `a.lt(b)`.
pub(super) fn is_field_name(tld: &str) -> bool {
    let is_country = tld.len() == 2 || !tld.is_ascii();
    let is_never_field = NON_FIELD_TLDS.contains(&tld) || OTHER_NON_FIELD_TLDS.contains(&tld);
    !is_never_field && (!is_country || SHORT_FIELD_NAMES.contains(&tld) || WORD_TLDS.contains(&tld))
}

/// Returns the ending of a host in lower case and in the letters that it imitates: Latin ones after a Latin
/// label, or if it has some. `привет.со` is the end of a sentence, `evil.со` is not.
pub(super) fn fold_ending(label: &str, ending: &str) -> String {
    let ending = ending.to_lowercase();
    if let Some((_, latin)) = TRANSLITERATED_TLDS.iter().find(|(cyrillic, _)| *cyrillic == ending) {
        return (*latin).to_owned();
    }
    let has_latin = |text: &str| text.bytes().any(|byte| byte.is_ascii_alphabetic());
    if ending.is_ascii() || is_top_level_domain(&ending) || !has_latin(&ending) && !has_latin(label) {
        return ending;
    }
    ending.chars().map(latin_look_alike).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_read_as_the_letters_that_they_imitate() {
        for (label, ending, expected) in [
            ("evil", "COM", "com"),
            ("evil", "cоm", "com"),
            ("evil", "сом", "com"),
            ("привет", "со", "со"),
            ("сайт", "ру", "ru"),
            ("сайт", "рф", "рф"),
        ] {
            assert_eq!(fold_ending(label, ending), expected, "{label}.{ending}");
        }
    }

    #[test]
    fn top_level_domains_of_all_scripts_are_known() {
        for ending in [
            "com",
            "onion",
            "рф",
            "укр",
            "бг",
            "срб",
            "мкд",
            "бел",
            "қаз",
            "рус",
            "онлайн",
            "ру",
            "ελ",
            "中国",
        ] {
            assert!(is_top_level_domain(ending), "{ending}");
        }
        assert!(!is_top_level_domain("мир") && !is_top_level_domain("rsx"));
    }
}
