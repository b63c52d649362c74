//! Disguises of words and hosts that readers see through.

use rand::RngExt as _;
use rand::rngs::StdRng;

use crate::random_tokens::choose;

/// A function that disguises a word.
pub type Disguise = fn(&mut StdRng, &str) -> String;

pub const WORD_DISGUISES: [(&str, Disguise); 12] = [
    ("leet", to_leet),
    ("spaced", |_, word| join_chars(word, " ")),
    ("dotted", |rng, word| join_chars(word, choose(rng, &[".", "-", "_", "*"]))),
    ("homoglyphs", to_homoglyphs),
    ("zero width", |rng, word| {
        join_chars(word, choose(rng, &["\u{200b}", "\u{200d}", "\u{2060}", "\u{ad}"]))
    }),
    ("repeated", repeat_char),
    ("full width", |_, word| shift_chars(word, 0xfee0)),
    ("mixed case", to_mixed_case),
    ("accents", add_accents),
    ("stacked marks", |rng, word| add_marks(rng, word)),
    ("mathematical", to_styled_letters),
    ("starred", replace_vowel),
];

/// Further disguises: several at once, and signs that usually separate words.
pub const FURTHER_WORD_DISGUISES: [(&str, Disguise); 8] = [
    ("signs", to_signs),
    ("two signs", |rng, word| {
        let once = to_signs(rng, word);
        to_signs(rng, &once)
    }),
    ("signs and case", |rng, word| {
        let word = to_signs(rng, word);
        to_mixed_case(rng, &word)
    }),
    ("leet and repeated", |rng, word| {
        let word = to_leet(rng, word);
        repeat_char(rng, &word)
    }),
    ("homoglyphs and dots", |rng, word| {
        let word = to_homoglyphs(rng, word);
        join_chars(&word, choose(rng, &[".", "-", "_"]))
    }),
    ("bracket for c", |_, word| word.replace('c', "(")),
    ("nine for g", |_, word| word.replace('g', "9")),
    ("accents and case", |rng, word| {
        let word = add_accents(rng, word);
        to_mixed_case(rng, &word)
    }),
];

pub const HOST_DISGUISES: [(&str, Disguise); 12] = [
    ("dot as a word", |_, host| host.replace('.', " dot ")),
    ("DOT", |_, host| host.replace('.', " DOT ")),
    ("[.]", |_, host| host.replace('.', "[.]")),
    ("(dot)", |_, host| host.replace('.', "(dot)")),
    ("[dot]", |_, host| host.replace('.', " [dot] ")),
    ("{.}", |_, host| host.replace('.', "{.}")),
    ("spaces around", |_, host| host.replace('.', " . ")),
    ("full-width dot", |rng, host| host.replace('.', choose(rng, &["．", "。", "｡"]))),
    ("full width", |_, host| shift_chars(host, 0xfee0)),
    ("hxxp", |rng, host| format!("{}{host}", choose(rng, &["hxxp://", "hxxps://", "h**p://", "hxxps[:]//"]))),
    ("spelled out", |_, host| join_chars(host, " ")),
    ("zero width", |_, host| join_chars(host, "\u{200b}")),
];

fn join_chars(word: &str, separator: &str) -> String {
    word.split(' ')
        .map(|part| part.chars().map(String::from).collect::<Vec<_>>().join(separator))
        .collect::<Vec<_>>()
        .join(" ")
}

fn map_chars(word: &str, replace: impl FnMut(char) -> char) -> String {
    word.chars().map(replace).collect()
}

fn to_leet(rng: &mut StdRng, word: &str) -> String {
    let replace_all = rng.random_bool(0.5);
    let mut has_replaced = false;
    map_chars(word, |c| {
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
        if has_replaced && !replace_all {
            return c;
        }
        has_replaced = true;
        sign
    })
}

/// Replaces one letter by a sign.
fn to_signs(rng: &mut StdRng, word: &str) -> String {
    const SIGNS: [(char, char); 8] =
        [('a', '@'), ('i', '!'), ('s', '$'), ('e', '3'), ('o', '0'), ('t', '+'), ('h', '#'), ('c', '(')];
    let sign = |c: char| SIGNS.iter().find(|(letter, _)| *letter == c).map(|(_, sign)| *sign);
    let places: Vec<usize> =
        word.char_indices().skip(1).filter(|(_, c)| sign(*c).is_some()).map(|(at, _)| at).collect();
    if places.is_empty() {
        return word.to_owned();
    }
    let place = choose(rng, &places);
    word.char_indices().map(|(at, c)| if at == place { sign(c).unwrap_or(c) } else { c }).collect()
}

fn to_homoglyphs(_: &mut StdRng, word: &str) -> String {
    map_chars(word, |c| match c {
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

fn repeat_char(rng: &mut StdRng, word: &str) -> String {
    let at = rng.random_range(1..word.len().max(2));
    let times = rng.random_range(2..5);
    word.chars()
        .enumerate()
        .map(|(i, c)| if i == at { c.to_string().repeat(times) } else { c.to_string() })
        .collect()
}

fn shift_chars(word: &str, offset: u32) -> String {
    map_chars(word, |c| if c.is_ascii_graphic() { char::from_u32(c as u32 + offset).unwrap() } else { c })
}

fn to_mixed_case(_: &mut StdRng, word: &str) -> String {
    word.chars().enumerate().map(|(at, c)| if at % 2 == 0 { c } else { c.to_ascii_uppercase() }).collect()
}

fn add_accents(_: &mut StdRng, word: &str) -> String {
    map_chars(word, |c| match c {
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

fn add_marks(rng: &mut StdRng, word: &str) -> String {
    word.chars().flat_map(|c| [c, choose(rng, &['\u{336}', '\u{332}', '\u{338}', '\u{30a}'])]).collect()
}

fn to_styled_letters(rng: &mut StdRng, word: &str) -> String {
    let first = choose(rng, &[0x1d41a_u32, 0x1d4ea, 0x1d5ba, 0x1d68a, 0x24d0]);
    map_chars(word, |c| {
        if c.is_ascii_lowercase() { char::from_u32(first + c as u32 - 'a' as u32).unwrap() } else { c }
    })
}

fn replace_vowel(rng: &mut StdRng, word: &str) -> String {
    let sign = choose(rng, &['*', '*', '@', '#']);
    let vowel = word.char_indices().skip(1).find(|(_, c)| "aeiou".contains(*c)).map_or(1, |(at, _)| at);
    word.char_indices().map(|(at, c)| if at == vowel { sign } else { c }).collect()
}
