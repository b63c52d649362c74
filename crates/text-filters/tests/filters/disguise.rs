//! Ways to write a word or an address so that a filter misses it and a reader does not.

use rand::RngExt as _;
use rand::rngs::StdRng;

use crate::draw::one;

/// A way to disguise a word.
pub type Disguise = fn(&mut StdRng, &str) -> String;

pub const OF_WORDS: [(&str, Disguise); 12] = [
    ("leet", leet),
    ("spaced", |_, word| joined(word, " ")),
    ("dotted", |rng, word| joined(word, one(rng, &[".", "-", "_", "*"]))),
    ("homoglyphs", homoglyphs),
    ("zero width", |rng, word| joined(word, one(rng, &["\u{200b}", "\u{200d}", "\u{2060}", "\u{ad}"]))),
    ("repeated", repeated),
    ("full width", |_, word| shifted(word, 0xfee0)),
    ("mixed case", mixed_case),
    ("accents", accents),
    ("stacked marks", |rng, word| marked(rng, word)),
    ("mathematical", mathematical),
    ("starred", starred),
];

pub const OF_HOSTS: [(&str, Disguise); 12] = [
    ("dot as a word", |_, host| host.replace('.', " dot ")),
    ("DOT", |_, host| host.replace('.', " DOT ")),
    ("[.]", |_, host| host.replace('.', "[.]")),
    ("(dot)", |_, host| host.replace('.', "(dot)")),
    ("[dot]", |_, host| host.replace('.', " [dot] ")),
    ("{.}", |_, host| host.replace('.', "{.}")),
    ("spaces around", |_, host| host.replace('.', " . ")),
    ("full-width dot", |rng, host| host.replace('.', one(rng, &["．", "。", "｡"]))),
    ("full width", |_, host| shifted(host, 0xfee0)),
    ("hxxp", |rng, host| format!("{}{host}", one(rng, &["hxxp://", "hxxps://", "h**p://", "hxxps[:]//"]))),
    ("spelled out", |_, host| joined(host, " ")),
    ("zero width", |_, host| joined(host, "\u{200b}")),
];

fn joined(word: &str, by: &str) -> String {
    word.split(' ')
        .map(|part| part.chars().map(String::from).collect::<Vec<_>>().join(by))
        .collect::<Vec<_>>()
        .join(" ")
}

fn replaced(word: &str, by: impl FnMut(char) -> char) -> String {
    word.chars().map(by).collect()
}

fn leet(rng: &mut StdRng, word: &str) -> String {
    let all = rng.random_bool(0.5);
    let mut any = false;
    replaced(word, |c| {
        let sign = match c {
            'a' => '4',
            'e' => '3',
            'i' => '1',
            'o' => '0',
            's' => '5',
            't' => '7',
            'u' => 'v',
            _ => return c,
        };
        if any && !all {
            return c;
        }
        any = true;
        sign
    })
}

fn homoglyphs(_: &mut StdRng, word: &str) -> String {
    replaced(word, |c| match c {
        'a' => 'а',
        'c' => 'с',
        'e' => 'е',
        'i' => 'і',
        'k' => 'к',
        'o' => 'ο',
        'p' => 'р',
        's' => 'ѕ',
        't' => 'т',
        'u' => 'υ',
        'h' => 'һ',
        'n' => 'ո',
        c => c,
    })
}

fn repeated(rng: &mut StdRng, word: &str) -> String {
    let at = rng.random_range(1..word.len().max(2));
    let times = rng.random_range(2..5);
    word.chars()
        .enumerate()
        .map(|(i, c)| if i == at { c.to_string().repeat(times) } else { c.to_string() })
        .collect()
}

fn shifted(word: &str, by: u32) -> String {
    replaced(word, |c| if c.is_ascii_graphic() { char::from_u32(c as u32 + by).unwrap() } else { c })
}

fn mixed_case(_: &mut StdRng, word: &str) -> String {
    word.chars().enumerate().map(|(at, c)| if at % 2 == 0 { c } else { c.to_ascii_uppercase() }).collect()
}

fn accents(_: &mut StdRng, word: &str) -> String {
    replaced(word, |c| match c {
        'a' => 'á',
        'e' => 'ë',
        'i' => 'ï',
        'o' => 'ò',
        'u' => 'ü',
        'c' => 'ç',
        'n' => 'ñ',
        's' => 'š',
        c => c,
    })
}

fn marked(rng: &mut StdRng, word: &str) -> String {
    word.chars().flat_map(|c| [c, one(rng, &['\u{336}', '\u{332}', '\u{338}', '\u{30a}'])]).collect()
}

fn mathematical(rng: &mut StdRng, word: &str) -> String {
    let first = one(rng, &[0x1d41a_u32, 0x1d4ea, 0x1d5ba, 0x1d68a, 0x24d0]);
    replaced(word, |c| {
        if c.is_ascii_lowercase() { char::from_u32(first + c as u32 - 'a' as u32).unwrap() } else { c }
    })
}

fn starred(rng: &mut StdRng, word: &str) -> String {
    let sign = one(rng, &['*', '*', '@', '#']);
    let vowel = word.char_indices().skip(1).find(|(_, c)| "aeiou".contains(*c)).map_or(1, |(at, _)| at);
    word.char_indices().map(|(at, c)| if at == vowel { sign } else { c }).collect()
}
