//! Disguises of words and hosts that readers see through.

use rand::RngExt as _;
use rand::rngs::StdRng;

use crate::random_tokens::choose;

/// A function that disguises a word.
pub type Disguise = fn(&str, &mut StdRng) -> String;

pub const WORD_DISGUISES: [(&str, Disguise); 12] = [
    ("leet", to_leet),
    ("spaced", |word, _| join_chars(word, " ")),
    ("dotted", |word, rng| join_chars(word, choose(rng, &[".", "-", "_", "*"]))),
    ("homoglyphs", to_homoglyphs),
    ("zero width", |word, rng| {
        join_chars(word, choose(rng, &["\u{200b}", "\u{200d}", "\u{2060}", "\u{ad}"]))
    }),
    ("repeated", repeat_char),
    ("full width", |word, _| shift_chars(word, 0xfee0)),
    ("mixed case", to_mixed_case),
    ("accents", add_accents),
    ("stacked marks", add_marks),
    ("mathematical", to_styled_letters),
    ("starred", replace_vowel),
];

/// Further disguises: several at once, and signs that usually separate words.
pub const FURTHER_WORD_DISGUISES: [(&str, Disguise); 8] = [
    ("signs", to_signs),
    ("two signs", |word, rng| to_signs(&to_signs(word, rng), rng)),
    ("signs and case", |word, rng| to_mixed_case(&to_signs(word, rng), rng)),
    ("leet and repeated", |word, rng| repeat_char(&to_leet(word, rng), rng)),
    ("homoglyphs and dots", |word, rng| join_chars(&to_homoglyphs(word, rng), choose(rng, &[".", "-", "_"]))),
    ("bracket for c", |word, _| word.replace('c', "(")),
    ("nine for g", |word, _| word.replace('g', "9")),
    ("accents and case", |word, rng| to_mixed_case(&add_accents(word, rng), rng)),
];

pub const HOST_DISGUISES: [(&str, Disguise); 12] = [
    ("dot as a word", |host, _| host.replace('.', " dot ")),
    ("DOT", |host, _| host.replace('.', " DOT ")),
    ("[.]", |host, _| host.replace('.', "[.]")),
    ("(dot)", |host, _| host.replace('.', "(dot)")),
    ("[dot]", |host, _| host.replace('.', " [dot] ")),
    ("{.}", |host, _| host.replace('.', "{.}")),
    ("spaces around", |host, _| host.replace('.', " . ")),
    ("full-width dot", |host, rng| host.replace('.', choose(rng, &["．", "。", "｡"]))),
    ("full width", |host, _| shift_chars(host, 0xfee0)),
    ("hxxp", |host, rng| format!("{}{host}", choose(rng, &["hxxp://", "hxxps://", "h**p://", "hxxps[:]//"]))),
    ("spelled out", |host, _| join_chars(host, " ")),
    ("zero width", |host, _| join_chars(host, "\u{200b}")),
];

/// Puts a separator between the letters of each word.
pub fn join_chars(word: &str, separator: &str) -> String {
    word.split(' ')
        .map(|part| part.chars().map(String::from).collect::<Vec<_>>().join(separator))
        .collect::<Vec<_>>()
        .join(" ")
}

fn map_chars(word: &str, replace: impl FnMut(char) -> char) -> String {
    word.chars().map(replace).collect()
}

/// Replaces the letters that are in `from` by those in the same places of `to`.
fn transliterate(word: &str, from: &str, to: &str) -> String {
    map_chars(word, |c| from.chars().zip(to.chars()).find(|pair| pair.0 == c).map_or(c, |pair| pair.1))
}

/// Replaces all letters that look like digits, or the first of them.
fn to_leet(word: &str, rng: &mut StdRng) -> String {
    let replace_all = rng.random_bool(0.5);
    let end_of_first = word.find(|c: char| "aeiostu".contains(c)).map_or(0, |first| first + 1);
    let (start, rest) = word.split_at(if replace_all { word.len() } else { end_of_first });
    transliterate(start, "aeiostu", "431057v") + rest
}

/// Replaces one letter by a sign.
fn to_signs(word: &str, rng: &mut StdRng) -> String {
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

fn to_homoglyphs(word: &str, _: &mut StdRng) -> String {
    transliterate(word, "aceikopstuhn", "асеікοрѕтυһո")
}

fn repeat_char(word: &str, rng: &mut StdRng) -> String {
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

fn to_mixed_case(word: &str, _: &mut StdRng) -> String {
    word.chars().enumerate().map(|(at, c)| if at % 2 == 0 { c } else { c.to_ascii_uppercase() }).collect()
}

fn add_accents(word: &str, _: &mut StdRng) -> String {
    transliterate(word, "aeioucns", "áëïòüçñš")
}

fn add_marks(word: &str, rng: &mut StdRng) -> String {
    word.chars().flat_map(|c| [c, choose(rng, &['\u{336}', '\u{332}', '\u{338}', '\u{30a}'])]).collect()
}

fn to_styled_letters(word: &str, rng: &mut StdRng) -> String {
    let first = choose(rng, &[0x1d41a_u32, 0x1d4ea, 0x1d5ba, 0x1d68a, 0x24d0]);
    map_chars(word, |c| {
        if c.is_ascii_lowercase() { char::from_u32(first + c as u32 - 'a' as u32).unwrap() } else { c }
    })
}

fn replace_vowel(word: &str, rng: &mut StdRng) -> String {
    let sign = choose(rng, &['*', '*', '@', '#']);
    let vowel = word.char_indices().skip(1).find(|(_, c)| "aeiou".contains(*c)).map_or(1, |(at, _)| at);
    word.char_indices().map(|(at, c)| if at == vowel { sign } else { c }).collect()
}
