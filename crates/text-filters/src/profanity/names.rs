//! The stricter check of names, which are short, chosen with care and seen by everyone.

use std::ops::Range;

use super::letters::split_runs;
use super::surnames::without_surnames;
use super::word_context::WordContext;
use super::words::{BadWord, WordScope};
use super::{Dictionary, ProfanityFilter, sounds};

/// The part of a text that a bad word must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    AnyPart,
    WholeText,
}

impl ProfanityFilter {
    /// Returns true if a name has a bad word, read with and without its separators and in any case. Words
    /// that are surnames, too, may be written as names.
    pub fn is_profane_name(&self, name: &str) -> bool {
        let words = separate_words(&without_surnames(name));
        let joined: String = words.split(' ').collect();
        self.is_profane(name)
            || self.0.has_bad_word(&words, Extent::AnyPart)
            || self.0.has_bad_word(trim_digits(&joined), Extent::WholeText)
    }
}

impl Dictionary {
    /// Returns true if there is a bad word of this extent that is no surname.
    fn has_bad_word(&self, text: &str, extent: Extent) -> bool {
        let runs = split_runs(text);
        let context = WordContext { text, runs: &runs };
        let accepts = |word: Range<usize>| extent == Extent::AnyPart || word == (0..runs.len());
        let is_name = |word: &BadWord| word.scope == WordScope::AloneNotName;
        let is_found = |start: usize| {
            let mut words = self.bad_words.starting_at(&runs, start).filter(|word| !is_name(word));
            words.any(|word| {
                let end = self.bad_word_end(&context, start, word);
                end.is_some_and(|end| accepts(start..end))
            })
        };
        let sounds_bad =
            || sounds::words(&runs).any(|word| accepts(word.clone()) && self.sounds_bad(&context, &word));
        (0..runs.len()).any(is_found) || sounds_bad()
    }
}

/// Returns the words of a name in lower case, separated by spaces: they end at separators and before
/// capitals.
fn separate_words(name: &str) -> String {
    let mut words = String::new();
    let mut follows_small = false;
    for c in name.chars() {
        if c.is_uppercase() && follows_small {
            words.push(' ');
        }
        follows_small = c.is_lowercase();
        match c {
            '_' | '-' | '.' => words.push(' '),
            c => words.extend(c.to_lowercase()),
        }
    }
    words
}

fn trim_digits(name: &str) -> &str {
    let trimmed = name.trim_matches(|c: char| c.is_ascii_digit());
    if trimmed.is_empty() { name } else { trimmed }
}

#[cfg(test)]
mod tests {
    use super::super::WordList;
    use super::*;

    #[test]
    fn names_are_read_with_and_without_separators() {
        let filter = ProfanityFilter::new(&WordList::default());
        for name in [
            "Slut Bot",
            "SlutBot",
            "sl_ut",
            "Fu Ck",
            "Dirty Whore",
            "Mr Bitch 7",
            "c.u-n t",
            "ShIt",
            "phuk_bot",
            "kuntz",
            "BellEnd",
            "bell end",
            "schitt",
            "Spic",
            "spic bot",
            "Dirty Kuntz",
            "Fucking Austria",
            "Cunt",
            "kurwa bot",
            "scheisse7",
        ] {
            assert!(filter.is_profane_name(name), "{name}");
        }
    }

    #[test]
    fn surnames_and_places_are_no_bad_words() {
        let filter = ProfanityFilter::new(&WordList::default());
        for name in [
            "Dick Van Dyke",
            "Kevin Coon",
            "Who Rex",
            "Pixel Crab",
            "Scunthorpe",
            "agent-455",
            "As Sistant",
            "Schitt",
            "Eugene Schitt",
            "Schitts Creek",
            "Kuntz",
            "Maria Kuntz 7",
            "Cuntz",
            "Špic",
            "Ana Spić",
            "Bastardo",
            "Bell End",
            "Bitche",
            "Bertha Penner",
            "Mongo",
            "Bonner",
            "Coke",
            "Sudo",
            "Cox",
            "Cummings",
            "Hancock",
            "Dickinson",
            "Moby Dick",
            "Assange",
            "Dikshit",
            "Hoare",
            "Fagan",
            "Slutsky",
            "Penistone",
            "Wankel",
        ] {
            assert!(!filter.is_profane_name(name), "{name}");
        }
    }
}
