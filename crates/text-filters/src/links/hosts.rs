//! Distinguishes hosts from file names, abbreviations and joined sentences.

use super::top_level_domains::{
    COMMON_TLDS, FILE_EXTENSION_TLDS, LINK_TLDS, NON_FIELD_TLDS, NON_WORD_TLDS, WORD_TLDS, fold_ending,
    is_field_name, is_top_level_domain,
};

/// Names that code uses for objects with fields: `self.app`, `pos.xyz`.
const CODE_RECEIVERS: [&str; 34] = [
    "self", "this", "ctx", "pos", "p", "v", "n", "uv", "vec", "obj", "col", "rgb", "dir", "nor", "normal",
    "position", "vertex", "evt", "cfg", "props", "msg", "req", "res", "img", "args", "params", "math", "np",
    "cls", "node", "config", "settings", "state", "event",
];
/// Names of objects that ordinary text uses, too. What follows is a field unless it is a common host.
const CODE_OBJECTS: [&str; 44] = [
    "canvas", "object", "color", "colour", "ray", "eye", "cam", "camera", "light", "point", "player", "user",
    "item", "data", "message", "request", "response", "tile", "pixel", "cell", "grid", "board", "image",
    "sprite", "layer", "brush", "palette", "window", "document", "process", "module", "console", "row",
    "file", "task", "job", "season", "entry", "field", "model", "view", "agent", "options", "result",
];
/// Words before which a dot means a point on the canvas.
const ARTICLES: [&str; 12] =
    ["a", "an", "the", "one", "each", "every", "this", "that", "my", "your", "no", "and"];
/// Well-known hosts, accepted with any top-level domain.
const KNOWN_HOSTS: [&str; 23] = [
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
/// Names of software that look like hosts.
const SOFTWARE_NAMES: [&str; 6] = ["asp.net", "vb.net", "ado.net", "ml.net", "socket.io", "paint.net"];
/// Second-level domains below the domains of countries.
const SECOND_LEVEL_DOMAINS: [&str; 9] = ["co", "com", "net", "org", "ac", "gov", "edu", "ne", "or"];
/// Words that describe dots on the canvas: their look, position and number.
const DOT_DESCRIPTIONS: [&str; 86] = [
    "red",
    "green",
    "blue",
    "white",
    "black",
    "yellow",
    "pink",
    "orange",
    "purple",
    "brown",
    "grey",
    "gray",
    "cyan",
    "magenta",
    "teal",
    "gold",
    "golden",
    "silver",
    "violet",
    "navy",
    "lime",
    "beige",
    "maroon",
    "olive",
    "crimson",
    "turquoise",
    "indigo",
    "dark",
    "light",
    "bright",
    "pale",
    "big",
    "small",
    "tiny",
    "little",
    "large",
    "huge",
    "single",
    "first",
    "second",
    "third",
    "last",
    "next",
    "other",
    "another",
    "same",
    "new",
    "old",
    "only",
    "lone",
    "polka",
    "center",
    "centre",
    "middle",
    "corner",
    "top",
    "bottom",
    "left",
    "right",
    "upper",
    "lower",
    "pixel",
    "colored",
    "coloured",
    "random",
    "round",
    "filled",
    "empty",
    "hollow",
    "missing",
    "extra",
    "two",
    "three",
    "four",
    "five",
    "any",
    "some",
    "final",
    "stray",
    "lonely",
    "coral",
    "scarlet",
    "cream",
    "quantum",
    "to",
    "of",
];
/// Words that announce an address.
const LINK_INTRODUCTIONS: [&str; 17] = [
    "visit", "site", "website", "url", "link", "domain", "www", "join", "go", "to", "at", "on", "from",
    "see", "check", "out", "via",
];
/// Words for a position on the canvas, after a dot.
const POSITION_WORDS: [&str; 20] = [
    "left", "right", "corner", "of", "in", "at", "center", "centre", "row", "edge", "now", "and", "for",
    "with", "to", "is", "was", "on", "side", "half",
];

/// A host whose dots are between spaces or are written as words.
pub(super) struct SpacedHost<'a> {
    pub first_label: &'a str,
    pub tld: &'a str,
    /// It has more than one dot.
    pub has_more_dots: bool,
    pub has_path: bool,
    /// A dot has a space on one side only, which may be a typing mistake.
    pub has_one_sided_space: bool,
    /// The dot is written in capitals: `example DOT com`.
    pub has_uppercase_dot: bool,
    /// The text before it.
    pub before: &'a str,
    pub after: &'a str,
}

impl SpacedHost<'_> {
    /// Returns true if the spelling suggests a host.
    pub(super) fn is_meant_as_host(&self) -> bool {
        let first_label = self.first_label.to_ascii_lowercase();
        let ending = self.tld.to_ascii_lowercase();
        if ARTICLES.contains(&first_label.as_str()) || !is_top_level_domain(&ending) {
            return false;
        }
        if self.has_one_sided_space {
            return ending == "com";
        }
        if self.has_path || matches!(ending.as_str(), "com" | "org") {
            return true;
        }
        if DOT_DESCRIPTIONS.contains(&first_label.as_str()) {
            return false;
        }
        if NON_WORD_TLDS.contains(&ending.as_str()) {
            return true;
        }
        let is_word = WORD_TLDS.contains(&ending.as_str())
            || FILE_EXTENSION_TLDS.contains(&ending.as_str())
            || ending == "me";
        let is_country_tld = ending.len() == 2 && !is_word;
        is_country_tld
            || LINK_TLDS.contains(&ending.as_str())
                && (self.has_more_dots || self.is_likely_link(&first_label))
    }

    /// Returns true if a top-level domain that is also a word ends a host here.
    fn is_likely_link(&self, first_label: &str) -> bool {
        let word = |word: Option<&str>| word.unwrap_or_default().to_ascii_lowercase();
        let before =
            word(self.before.split_whitespace().next_back().map(|word| word.trim_matches([':', ','])));
        let after = word(self.after.trim_start().split(|c: char| !c.is_alphabetic()).next());
        let is_not_a_word =
            first_label.contains('-') || first_label.bytes().any(|byte| byte.is_ascii_digit());
        let is_announced =
            LINK_INTRODUCTIONS.contains(&before.as_str()) || self.before.trim_end().ends_with(':');
        is_not_a_word || self.has_uppercase_dot || is_announced && !POSITION_WORDS.contains(&after.as_str())
    }
}

/// Returns true if something that looks like an address is a link. `is_disguised` is true for a disguise that
/// only links have; it decides ambiguous cases.
pub(super) fn is_link(address: &str, is_email: bool, is_disguised: bool) -> bool {
    if address.contains("://") {
        return true;
    }
    if is_email {
        return address.rsplit('.').next().is_some_and(is_top_level_domain);
    }
    let (host, path) = address.split_at(address.find(['/', '?', '#']).unwrap_or(address.len()));
    let host = host.split(':').next().unwrap_or_default();
    !is_code_member(host, path, is_disguised)
        && is_host(host, is_disguised || has_link_path(host, path))
        && !SOFTWARE_NAMES.contains(&host.to_ascii_lowercase().as_str())
}

/// Returns true for a field or method in code.
fn is_code_member(host: &str, path: &str, is_disguised: bool) -> bool {
    host.split_once('.').is_some_and(|(receiver, part)| {
        let is_code = CODE_RECEIVERS.contains(&receiver)
            || CODE_OBJECTS.contains(&receiver) && !LINK_TLDS.contains(&part);
        path.is_empty() && !is_disguised && !NON_FIELD_TLDS.contains(&part) && is_code
    })
}

/// Returns true for an address that is no variable with a field: it has a path, or code has no field of the
/// name of its top-level domain.
pub(super) fn is_unlike_code(address: &str) -> bool {
    let ending = address.rsplit('.').next().unwrap_or_default();
    address.contains(['/', ':', '?', '#', '@']) || !is_field_name(&ending.to_lowercase())
}

/// Returns true for an address whose top-level domain ends no file.
pub(super) fn is_unlike_file(address: &str) -> bool {
    /// Endings of files that are accepted as hosts elsewhere.
    const FILE_ENDINGS: [&str; 12] =
        ["pl", "ml", "ms", "tk", "ai", "cr", "nu", "sv", "pro", "app", "ws", "tm"];
    let ending = address.rsplit('.').next().unwrap_or_default().to_lowercase();
    !is_field_name(&ending) && !FILE_ENDINGS.contains(&ending.as_str())
}

fn is_host(host: &str, has_path: bool) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let [.., before, ending] = labels[..] else { return false };
    let tld = fold_ending(before, ending);
    if !is_top_level_domain(&tld) {
        return false;
    }
    has_path
        || KNOWN_HOSTS.contains(&host.to_lowercase().as_str())
        || COMMON_TLDS.contains(&tld.as_str())
        || labels[0].eq_ignore_ascii_case("www")
        || labels.len() > 2 && SECOND_LEVEL_DOMAINS.contains(&before)
        || !is_file_or_word(before, ending, &tld)
}

/// Returns true for a file, a word, the start of the next sentence, or a number with a unit.
fn is_file_or_word(before: &str, ending: &str, tld: &str) -> bool {
    FILE_EXTENSION_TLDS.contains(&tld)
        || WORD_TLDS.contains(&tld)
        || is_capitalised(ending)
        || before.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_capitalised(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase)
}

/// Returns true for `docs.rs/serde`, and false for `main.rs/lib.rs`.
fn has_link_path(host: &str, path: &str) -> bool {
    let ending = host.rsplit('.').next().unwrap_or_default().to_lowercase();
    let is_file =
        FILE_EXTENSION_TLDS.contains(&ending.as_str()) && path.rfind('/') == Some(0) && path.contains('.');
    !is_file && (path.len() > 1 || path == "/" && !FILE_EXTENSION_TLDS.contains(&ending.as_str()))
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
    fn other_dotted_words_are_not_links() {
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
            "pos.xyz",
            "self.app",
            "this.camera",
            "self.network",
            "",
        ] {
            assert!(!is_link(address, false, false), "{address}");
        }
        assert!(!is_link("crab@nowhere.invalid", true, false));
    }
}
