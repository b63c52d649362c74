//! Tests of finding and replacing links.

use proptest::prelude::*;

use super::*;

#[test]
fn links_are_removed() {
    for (text, expected) in [
        ("see https://example.com/a?b=c#d.", "see [link removed]."),
        ("see http://localhost:8080/x now", "see [link removed] now"),
        ("go to example.com, please", "go to [link removed], please"),
        ("(www.example.org/path)", "([link removed])"),
        ("example.com:8080/x and evil.io", "[link removed] and [link removed]"),
        ("write to crab.bot@example.com!", "write to [link removed]!"),
        ("discord.gg/abc t.me/abc bit.ly/3x", "[link removed] [link removed] [link removed]"),
        ("ftp://x.y steam://run/5 mailto:a@b.com", "[link removed] [link removed] [link removed]"),
        (
            "at http://1.2.3.4:80 or 1.2.3.4:8080 or 1.2.3.4/x",
            "at [link removed] or [link removed] or [link removed]",
        ),
        ("http://[::1]:80/x", "[link removed]"),
        ("[title](https://example.com)", "[title]([link removed])"),
        ("shop.example.co.uk", "[link removed]"),
        ("example.com(now)", "[link removed](now)"),
    ] {
        assert_eq!(strip(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn disguised_links_are_removed() {
    for (text, expected) in [
        ("visit example dot com now", "visit [link removed] now"),
        ("visit example[.]com/path now", "visit [link removed] now"),
        ("visit example (dot) com now", "visit [link removed] now"),
        ("visit example . com now", "visit [link removed] now"),
        ("visit hxxp://evil.example now", "visit [link removed] now"),
        ("visit hxxps[:]//evil[.]com now", "visit [link removed] now"),
        ("visit ｅｘａｍｐｌｅ．ｃｏｍ now", "visit [link removed] now"),
        ("visit example。com now", "visit [link removed] now"),
        ("me [at] example [dot] com", "[link removed]"),
    ] {
        assert_eq!(strip(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn hosts_are_removed_beside_operators_brackets_and_paths() {
    for host in ["evil.com", "evil.io", "evil.de", "evil.xyz", "evil.ru", "evil.ai", "evil.shop"] {
        for (before, after) in [
            ("", "[0]"),
            ("", "(best)"),
            ("", " = good"),
            ("", "* now"),
            ("", "% off"),
            ("", " + more"),
            ("", "+"),
            ("", " < all"),
            ("", " && go"),
            ("", "!=x"),
            ("a/", ""),
            ("and/", " ok"),
            ("x\\", ""),
        ] {
            let expected = format!("{before}{LINK_PLACEHOLDER}{after}");
            // The endings of some files are allowed after a folder.
            let is_file = host == "evil.ai" && !before.is_empty();
            assert_eq!(strip(&format!("{before}{host}{after}")).is_some(), !is_file, "{before}{host}{after}");
            if !is_file {
                assert_eq!(strip(&format!("{before}{host}{after}")).unwrap(), expected);
            }
        }
    }
}

#[test]
fn escaped_spaced_and_hidden_links_are_removed() {
    for text in [
        "magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a&dn=x",
        "evil\\.com",
        "evil\\\\.io/x",
        "evil%2Ecom",
        "evil%252ecom",
        "evil&#46;com",
        "evil&#x2e;com",
        "evil&#046;org",
        "evil&period;com",
        "evil\\u002ecom",
        "evil.cоm",
        "evil.сом",
        "сайт.рф",
        "сайт.укр",
        "evil.бг",
        "сайт.ру",
        "сайт.ком",
        "bit ly/x",
        "t me/room",
        "youtu be/dQw4w9WgXcQ",
        "expyuzz4wqqyqhjn.onion",
        "evil.onion/x",
    ] {
        assert_eq!(strip(&format!("see {text} now")).as_deref(), Some("see [link removed] now"), "{text}");
    }
    for text in [
        "a bit lyrical/poetic",
        "pin it/move it",
        "let me/us",
        "50%2e",
        "a &period; b",
        "C:\\.git",
        "\\d+\\.txt",
        "привет.со мной",
        "a bit ly",
        "rect.top + 4",
        "player.health -= 5",
        "a.lt(b)",
        "circle.cx = 5",
        "doc/pic.ms",
    ] {
        assert_eq!(strip(text), None, "{text}");
    }
}

#[test]
fn hosts_in_other_scripts_end_where_they_should() {
    for (text, expected) in [
        ("смотри пример.рф тут", "смотри [link removed] тут"),
        ("見てexample.comを", "見て[link removed]を"),
        ("zu münchen.de hin", "zu [link removed] hin"),
        ("http://münchen.de/x hin", "[link removed] hin"),
    ] {
        assert_eq!(strip(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn other_text_is_left_alone() {
    for text in [
        "main.rs, skill.md and README.md in src/rules/mod.rs:10",
        "e.g. i.e. a.k.a. 5 p.m. U.S. etc. Ph.D.",
        "v1.2.3 3.14 10.5,20.5 455.69 1.2.3.4 12:30",
        "x=455.y=69 (4,5).(6,7) #a55b00 x:455 y:69",
        "a red dot in the corner, a dot at 5, dot.",
        "done.Now we wait...what? ok.so",
        "agent.name palette.blue event.target std::io list.run(f) self.io_queue",
        "index.html script.js Cargo.toml test.py run.sh",
        "Привет.Как дела? 完成了。公司",
        &"a.b ".repeat(70),
        &"main.rs ".repeat(35),
        "no links here",
    ] {
        assert_eq!(strip(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn a_stripped_text_holds_no_link(text in "([a-z]{1,5}[ .@:/。．é]){0,6}(com|http://x|dot com)?") {
        if let Some(stripped) = strip(&text) {
            prop_assert!(stripped.contains(LINK_PLACEHOLDER));
            prop_assert_eq!(strip(&stripped), None);
        }
    }

    #[test]
    fn any_text_is_searched(text in any::<String>()) {
        strip(&text);
    }

    #[test]
    fn coordinates_are_no_links(x in 0..9999u32, y in 0..9999u32, separator in "[,.:;/ x-]{1,2}") {
        prop_assert_eq!(strip(&format!("{x}{separator}{y} x={x}.y={y} ({x}.{y})")), None);
    }
}
