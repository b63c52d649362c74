//! Tells hosts from file names, abbreviations and joined sentences.

/// Top-level domains that end file names far more often than hosts.
const FILE_ENDINGS: [&str; 25] = [
    "ac", "am", "bz", "cab", "cc", "do", "in", "java", "la", "map", "md", "mk", "mm", "mov", "pm", "ps",
    "py", "rs", "sc", "sh", "so", "st", "tf", "vi", "zip",
];
/// Top-level domains that are words, as in `agent.name`, or where a space is missing: `ok.so`.
const WORDS: [&str; 74] = [
    "world", "team", "life", "today", "work", "run", "game", "fish", "dog", "family", "home", "house",
    "fast", "city", "place", "page", "play", "rest", "show", "group", "best", "as", "at", "bar", "be",
    "black", "blue", "box", "by", "call", "center", "click", "data", "date", "day", "events", "fail", "foo",
    "gold", "green", "help", "here", "host", "how", "id", "ing", "is", "it", "like", "my", "name", "new",
    "next", "no", "now", "one", "open", "orange", "pink", "post", "read", "red", "review", "save", "select",
    "storage", "style", "target", "to", "total", "us", "watch", "works", "you",
];
/// Words before which a dot is a dot.
const ARTICLES: [&str; 12] =
    ["a", "an", "the", "one", "each", "every", "this", "that", "my", "your", "no", "and"];
/// Top-level domains that are words too, and that mostly links are written with.
const FAVOURED: [&str; 32] = [
    "com", "net", "org", "info", "biz", "xyz", "online", "site", "store", "shop", "top", "club", "app",
    "dev", "live", "tech", "fun", "vip", "win", "pro", "click", "link", "space", "website", "cloud", "page",
    "world", "icu", "buzz", "edu", "gov", "news",
];
/// Hosts that are known by all, whatever they end in.
const KNOWN: [&str; 23] = [
    "youtu.be",
    "t.me",
    "wa.me",
    "m.me",
    "fb.me",
    "bit.ly",
    "goo.gl",
    "is.gd",
    "v.gd",
    "amzn.to",
    "pin.it",
    "lnkd.in",
    "redd.it",
    "docs.rs",
    "paste.rs",
    "transfer.sh",
    "git.new",
    "tr.ee",
    "lnk.bio",
    "goo.su",
    "kutt.it",
    "spoti.fi",
    "apple.co",
];
/// What is written like a host, and is the name of software.
const SOFTWARE: [&str; 6] = ["asp.net", "vb.net", "ado.net", "ml.net", "socket.io", "paint.net"];
/// What stands for a kind of host before a country's ending.
const SECOND_LEVEL: [&str; 9] = ["co", "com", "net", "org", "ac", "gov", "edu", "ne", "or"];
/// Hosts in these are hosts however they are written.
const COMMON: [&str; 6] = ["com", "net", "org", "io", "dev", "xyz"];

/// Whether somebody who writes the dots of a host with spaces or as words means a host.
pub(super) fn is_spaced_host(first: &str, ending: &str, has_path: bool, is_loose: bool) -> bool {
    let ending = ending.to_ascii_lowercase();
    let is_dot = ARTICLES.contains(&first.to_ascii_lowercase().as_str());
    if is_dot || !is_top_level(&ending) {
        return false;
    }
    // One space beside a dot is a slip of the pen, but before `com`.
    if is_loose {
        return ending == "com";
    }
    let is_word =
        WORDS.contains(&ending.as_str()) || FILE_ENDINGS.contains(&ending.as_str()) || ending == "me";
    has_path || FAVOURED.contains(&ending.as_str()) || ending.len() == 2 && !is_word
}

/// Whether what looks like an address leads somewhere. That it `tells` so by its disguise settles what its ending leaves
/// open.
pub(super) fn is_link(address: &str, is_email: bool, tells: bool) -> bool {
    if address.contains("://") {
        return true;
    }
    if is_email {
        return address.rsplit('.').next().is_some_and(is_top_level);
    }
    let (host, path) = address.split_at(address.find(['/', '?', '#']).unwrap_or(address.len()));
    let host = host.split(':').next().unwrap_or_default();
    is_host(host, tells || is_path(host, path)) && !SOFTWARE.contains(&host.to_ascii_lowercase().as_str())
}

fn is_host(host: &str, has_path: bool) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let [.., before, ending] = labels[..] else { return false };
    let known = ending.to_lowercase();
    if !is_top_level(&known) {
        return false;
    }
    has_path
        || KNOWN.contains(&host.to_lowercase().as_str())
        || COMMON.contains(&known.as_str())
        || labels[0].eq_ignore_ascii_case("www")
        || labels.len() > 2 && SECOND_LEVEL.contains(&before)
        || !is_something_else(before, ending, &known)
}

/// A file, a word, the next sentence, or a number with a unit.
fn is_something_else(before: &str, ending: &str, known: &str) -> bool {
    FILE_ENDINGS.contains(&known)
        || WORDS.contains(&known)
        || is_capitalised(ending)
        || before.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_capitalised(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase)
}

/// `docs.rs/serde`, but not `main.rs/lib.rs`.
fn is_path(host: &str, path: &str) -> bool {
    let ending = host.rsplit('.').next().unwrap_or_default().to_lowercase();
    let is_file = FILE_ENDINGS.contains(&ending.as_str()) && path.rfind('/') == Some(0) && path.contains('.');
    path.len() > 1 && !is_file
}

/// Whether a top-level domain is called so.
pub(super) fn is_top_level(ending: &str) -> bool {
    let ending = ending.to_lowercase();
    if ending.is_ascii() {
        return tld::exist(&ending);
    }
    idna::punycode::encode_str(&ending).is_some_and(|encoded| tld::exist(&format!("xn--{encoded}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_links() {
        for address in [
            "example.com",
            "EXAMPLE.COM",
            "Example.Com",
            "example.com:8080",
            "example.com/main.rs",
            "163.com",
            "x.ai",
            "docs.rs/serde",
            "t.me/room",
            "www.spam.rs",
            "shop.co.in",
            "пример.рф",
            "xn--e1afmkfd.xn--p1ai",
            "crab.me",
        ] {
            assert!(is_link(address, false, false), "{address}");
        }
        assert!(is_link("crab@docs.rs", true, false));
        assert!(is_link("http://localhost", false, false));
    }

    #[test]
    fn other_dotted_words_are_not() {
        for address in [
            "main.rs",
            "README.MD",
            "skill.md",
            "main.rs:10",
            "main.rs/lib.rs",
            "e.g",
            "v1.2.3",
            "index.html",
            "agent.name",
            "done.Now",
            "ok.so",
            "palette.blue",
            "3.am",
            "12.tv",
            "привет.мир",
            "nodot",
            "asp.net",
            "hello.world",
            "",
        ] {
            assert!(!is_link(address, false, false), "{address}");
        }
        assert!(!is_link("crab@nowhere.invalid", true, false));
    }
}
