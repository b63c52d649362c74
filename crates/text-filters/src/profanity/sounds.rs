//! Recognizes insults in spellings that sound like them.

use std::collections::HashSet;
use std::ops::Range;

use super::letters::{CharRun, RunKind, word_letters};
use super::words::forms_of;
use crate::steps;

/// The insults, and words that sound like them by chance.
const SOUNDS: &str = include_str!("sounds.txt");
/// Lengths of the words that are compared, in letters. Shorter ones sound alike too often.
const WORD_LETTERS: std::ops::RangeInclusive<usize> = 3..=24;

/// The sounds of insults.
#[derive(Debug)]
pub(super) struct SoundWords {
    sounds: HashSet<String>,
    /// The outlines of the sounds.
    outlines: HashSet<u64>,
    harmless: HashSet<String>,
}

impl SoundWords {
    /// Returns the built-in words without those that the operator allows.
    pub(super) fn new(allowed: &[Vec<char>]) -> Self {
        let lines = SOUNDS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let (harmless, bad): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with('-'));
        let forms = bad.into_iter().flat_map(forms_of);
        let allowed_sounds: HashSet<String> = allowed.iter().map(|word| sound(word)).collect();
        let sounds: HashSet<String> = forms
            .map(|word| sound(&word_letters(&word)))
            .filter(|sound| !allowed_sounds.contains(sound))
            .collect();
        Self {
            outlines: sounds.iter().map(|sound| outline(sound.chars())).collect(),
            sounds,
            harmless: harmless.into_iter().map(|line| line.trim_start_matches('-').to_owned()).collect(),
        }
    }

    /// Returns true if these runs sound like an insult.
    pub(super) fn contain(&self, runs: &[CharRun]) -> bool {
        steps::charge(runs.len());
        if !WORD_LETTERS.contains(&runs.len()) && !WORD_LETTERS.contains(&(runs.len() + 1)) {
            return false;
        }
        // A sign may stand for two letters: `1` for i and l. All of them are read alike.
        let has_other_reading = || runs.iter().any(|run| run.first_letter() != run.last_letter());
        self.is_bad(runs, CharRun::first_letter)
            || has_other_reading() && self.is_bad(runs, CharRun::last_letter)
    }

    fn is_bad(&self, runs: &[CharRun], letter: impl Fn(&CharRun) -> char) -> bool {
        const MAX_REPEATS: usize = 2;
        if !self.may_sound_bad(runs, &letter) {
            return false;
        }
        let letters: Vec<char> = runs
            .iter()
            .flat_map(|run| std::iter::repeat_n(letter(run), run.count.min(MAX_REPEATS)))
            .collect();
        let written: String = letters.iter().collect();
        let singular =
            letters.split_last().filter(|(last, _)| is_plural_ending(**last)).map(|(_, rest)| rest);
        let sounds_bad = |letters: &[char]| {
            letters.len() >= *WORD_LETTERS.start() && self.sounds.contains(&sound(letters))
        };
        let is_harmless =
            || runs.iter().all(|run| run.kind == RunKind::Letter) && self.harmless.contains(&written);
        (sounds_bad(&letters) || singular.is_some_and(sounds_bad)) && !is_harmless()
    }

    /// Returns false for most ordinary words, whose sounds need not be compared.
    fn may_sound_bad(&self, runs: &[CharRun], letter: impl Fn(&CharRun) -> char) -> bool {
        let has_outline = |runs: &[CharRun]| self.outlines.contains(&outline(runs.iter().map(&letter)));
        let is_plural = runs.last().is_some_and(|run| is_plural_ending(letter(run)));
        has_outline(runs) || is_plural && has_outline(&runs[..runs.len() - 1])
    }
}

fn is_plural_ending(letter: char) -> bool {
    matches!(letter, 's' | 'z')
}

/// Returns a number that is the same for words that sound alike, and for few others: the kind of the first
/// letter and those of the consonants that no replacement removes.
fn outline(letters: impl Iterator<Item = char>) -> u64 {
    const BITS_PER_KIND: u32 = 4;
    let mut outline = 0;
    let mut last = 0;
    for (at, letter) in letters.enumerate() {
        let kind = match letter {
            'c' | 'k' | 'q' | 's' | 'x' | 'z' | 't' | 'S' => 1,
            'f' | 'p' => 2,
            'b' => 3,
            'd' => 4,
            'g' => 5,
            'j' => 6,
            'l' => 7,
            'm' => 8,
            'n' => 9,
            'h' if at == 0 => 10,
            'r' if at == 0 => 11,
            'w' if at == 0 => 12,
            'a' | 'e' | 'i' | 'o' | 'u' | 'v' | 'y' if at == 0 => 13,
            'h' | 'r' | 'w' | 'a' | 'e' | 'i' | 'o' | 'u' | 'v' | 'y' => last,
            _ => 14,
        };
        if kind != last {
            outline = outline << BITS_PER_KIND | kind;
        }
        last = kind;
    }
    outline
}

/// Returns the words of letters, and of signs that stand for letters.
pub(super) fn words(runs: &[CharRun]) -> impl Iterator<Item = Range<usize>> {
    steps::charge(runs.len());
    let is_part = |run: &CharRun| {
        matches!(run.kind, RunKind::Letter | RunKind::Sign | RunKind::Number) && !run.is_vertical_line()
    };
    let mut at = 0;
    let words = std::iter::from_fn(move || {
        let start = at + runs[at..].iter().position(is_part)?;
        let length = runs[start..].iter().position(|run| !is_part(run)).unwrap_or(runs.len() - start);
        at = start + length;
        let signs = runs[start..at].iter().rev().take_while(|run| run.may_end_sentence()).count();
        Some(start..at - signs)
    });
    words.filter(move |word| runs[word.clone()].iter().all(|run| run.kind != RunKind::Number))
}

/// Returns a spelling that is the same for words that sound alike.
fn sound(letters: &[char]) -> String {
    /// Letters and groups of letters, with the ones that they sound like, in the order of replacement.
    const REPLACEMENTS: [(&str, &str); 24] = [
        ("z", "s"),
        ("y", "i"),
        ("v", "u"),
        ("q", "k"),
        ("x", "ks"),
        ("ee", "i"),
        ("oo", "u"),
        ("ss", "s"),
        ("tt", "t"),
        ("cc", "k"),
        ("ph", "f"),
        ("tch", "S"),
        ("tsh", "S"),
        ("sch", "S"),
        ("ch", "S"),
        ("sh", "S"),
        ("ck", "k"),
        ("c", "k"),
        ("gh", "g"),
        ("ead", "ed"),
        ("oa", "o"),
        ("aw", "o"),
        ("ei", "i"),
        ("ie", "i"),
    ];
    /// Endings that sound like the last one.
    const ENDINGS: [&str; 8] = ["er", "ar", "or", "ur", "ah", "uh", "r", "a"];
    const MIN_LETTERS: usize = 3;
    steps::charge(REPLACEMENTS.len() * letters.len());
    let mut sound: String = letters.iter().collect();
    for (from, to) in REPLACEMENTS {
        if sound.contains(from) {
            sound = sound.replace(from, to);
        }
    }
    let mut heard: Vec<char> = sound.chars().collect();
    heard.dedup();
    let sound: String = heard.into_iter().collect();
    let is_consonant = |c: char| !matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    let stem = ENDINGS.into_iter().find_map(|ending| {
        sound.strip_suffix(ending).filter(|stem| stem.len() >= MIN_LETTERS && stem.ends_with(is_consonant))
    });
    match (stem, sound.strip_suffix('e')) {
        (Some(stem), _) => format!("{stem}a"),
        (None, Some(stem)) if stem.len() >= MIN_LETTERS => stem.to_owned(),
        _ => sound,
    }
}

#[cfg(test)]
mod tests {
    use super::super::letters::split_runs;
    use super::*;

    fn sounds_bad(text: &str) -> bool {
        let runs = split_runs(text);
        let words = SoundWords::new(&[]);
        super::words(&runs).any(|word| words.contain(&runs[word]))
    }

    #[test]
    fn spellings_that_sound_like_insults_are_found() {
        for text in [
            "phuck",
            "fuk",
            "fuq",
            "phukker",
            "fukin",
            "azzhole",
            "asshoal",
            "kunt",
            "nigguh",
            "n1ggah",
            "dikhed",
            "d1ckhed",
            "biatch",
            "beeyotch",
            "bytch",
            "puzzy",
            "wh0r3z",
            "sluttz",
            "bastad",
            "shyt",
            "sh1thed",
            "phagg0t",
            "twatz",
            "wankah",
            "muthafukka",
        ] {
            assert!(sounds_bad(text), "{text}");
        }
    }

    #[test]
    fn words_that_sound_alike_have_one_outline() {
        let outline_of = |word: &str| outline(word.chars());
        let words = SOUNDS.lines().filter(|line| !line.starts_with('#')).flat_map(forms_of);
        for word in words.chain(["phuck", "tchat", "knaw", "eexey", "raah", "hoarr"].map(str::to_owned)) {
            let letters = word_letters(word.trim_start_matches('-'));
            let heard = sound(&letters);
            assert_eq!(outline(heard.chars()), outline(letters.into_iter()), "{word}");
        }
        assert_ne!(outline_of("light"), outline_of("shit"));
    }

    #[test]
    fn words_that_sound_like_insults_by_chance_pass() {
        for text in [
            "county", "counts", "beach", "sheets", "cheat", "price", "pizza", "horse", "kick", "dutch",
            "wink",
        ] {
            assert!(!sounds_bad(text), "{text}");
        }
    }
}
