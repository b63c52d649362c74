//! Word lists: bad words, and good words that look like them.

use unicode_script::{Script, UnicodeScript};

use super::deobfuscate::DisguisedWord;
use super::letters::word_letters;
use super::other_scripts::{is_alphabet_of_disguises, is_in_other_script};

/// The built-in dictionary.
const BUILT_IN_WORDS: &str = include_str!("words.txt");

/// A word list of an operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordList {
    pub(super) bad: Vec<BadWord>,
    /// Bad words in scripts whose letters are no disguises, as listed.
    pub(super) bad_in_other_scripts: Vec<(String, WordScope)>,
    pub(super) good: Vec<Vec<char>>,
    /// Words that no name may contain, as listed. [`ProfanityFilter`](super::ProfanityFilter)
    /// ignores them.
    pub reserved: Vec<String>,
}

/// A bad word with its scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct BadWord {
    pub letters: Vec<char>,
    /// The script in which at least one letter of it must be written, if that is not Latin: other letters are
    /// read as the same word by chance.
    pub script: Option<Script>,
    pub scope: WordScope,
    /// How it must be written; `None` if it may be disguised in any way.
    pub spelling: Option<Spelling>,
}

/// The spelling of a word of a language in which letters with marks and double letters make other words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Spelling {
    /// The word in lower case.
    pub form: String,
    /// True if it must have its marks.
    pub has_marks: bool,
}

/// The contexts in which a word is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum WordScope {
    /// Everywhere, also within other words.
    Anywhere,
    Alone,
    /// Alone, also beside a name: languages write nouns with capitals.
    AloneOrName,
    /// Alone, unless it is written as a name.
    AloneNotName,
    /// Alone, if it is addressed to someone.
    Addressed,
    /// Alone, if it is addressed to someone and ends the statement.
    AddressedAtEnd,
}

impl WordList {
    /// Parses a list with one word per line. `word` or `+word` is bad, also within other words; `~word` only
    /// alone; `?word` only alone and not as a name; `@word` only if it is addressed to someone; `!word` only
    /// if it also ends the statement; `-word` is good, also within other words; `=word` is reserved: no name
    /// may contain it. `~word/s/ed` is short for a word and its endings, and `#` starts a comment.
    pub fn parse(text: &str) -> Self {
        let mut list = Self::default();
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if let Some(word) = line.strip_prefix('=') {
                list.reserved.push(word.trim().to_owned());
                continue;
            }
            let scope = match line.as_bytes().first() {
                Some(b'~') => WordScope::Alone,
                Some(b'?') => WordScope::AloneNotName,
                Some(b'@') => WordScope::Addressed,
                Some(b'!') => WordScope::AddressedAtEnd,
                _ => WordScope::Anywhere,
            };
            let word = line.trim_start_matches(['+', '~', '?', '@', '!', '-']).trim();
            if word.is_empty() || word.starts_with('/') {
                continue;
            }
            if line.starts_with('-') {
                list.good.push(word_letters(word.split('/').next().unwrap_or_default()));
                continue;
            }
            forms_of(word).for_each(|form| list.add_bad_word(form, scope));
        }
        list
    }

    fn add_bad_word(&mut self, form: String, scope: WordScope) {
        if is_alphabet_of_disguises(&form) {
            self.bad.push(BadWord::new(&form, scope));
        } else {
            self.bad_in_other_scripts.push((form, scope));
        }
    }

    /// Returns the built-in dictionary and these words of languages with the words of this list, which take
    /// precedence.
    pub(super) fn with_built_in(&self, languages: &[BadWord]) -> Self {
        let mut list = Self::parse(BUILT_IN_WORDS);
        list.bad.extend_from_slice(languages);
        list.bad.retain(|word| !self.good.contains(&word.letters));
        list.bad.extend(self.bad.iter().cloned());
        list.good.extend(self.good.iter().cloned());
        list
    }
}

impl BadWord {
    /// Returns a word that is bad in any spelling; only as listed if it has marks of Vietnamese, without
    /// which it would be another word.
    pub(super) fn new(word: &str, scope: WordScope) -> Self {
        let mut scripts = word.chars().map(|c| c.script());
        let script = scripts.find(|script| matches!(script, Script::Cyrillic | Script::Greek));
        let has_spelling = script.is_none() && is_in_other_script(word);
        let spelling = has_spelling.then(|| Spelling { form: word.to_lowercase(), has_marks: true });
        Self { letters: word_letters(word), script, scope, spelling }
    }

    /// Returns true if it is a word of another language that is too short to be recognized in this disguise,
    /// unless it is found with its marks only. There are many of them, so that parts of other words look like
    /// one.
    pub(super) fn is_too_short_for(&self, disguise: &DisguisedWord) -> bool {
        const MIN_DISGUISED_CHARS: usize = 6;
        self.spelling.as_ref().is_some_and(|spelling| !spelling.has_marks)
            && (!disguise.is_plain() || disguise.has_digits)
            && (self.letters.len() < MIN_DISGUISED_CHARS || disguise.stars + disguise.hidden > 1)
    }

    /// Returns true if it has a vowel. An abbreviation without one, spelled out, cannot be told from
    /// initials.
    pub(super) fn has_vowel(&self) -> bool {
        self.script.is_some()
            || self.letters.iter().any(|letter| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | ' '))
    }
}

/// Returns the forms of a listed word: `word/s/ed` is short for word, words and worded.
pub(super) fn forms_of(listed: &str) -> impl Iterator<Item = String> {
    let mut parts = listed.split('/');
    let word = parts.next().unwrap_or_default();
    std::iter::once(word.to_owned()).chain(parts.map(move |ending| format!("{word}{ending}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bad_words(list: &WordList) -> Vec<(String, WordScope)> {
        list.bad.iter().map(|word| (word.letters.iter().collect(), word.scope)).collect()
    }

    #[test]
    fn the_first_character_sets_the_scope_of_a_word() {
        let list = WordList::parse(
            "# mine\n\nzorg\n + Blårg \n-Snick # a name\n~ plop/s/ped\n?Zick\n@fop\n!fap\n+\n-\n",
        );
        let expected = [
            ("zorg", WordScope::Anywhere),
            ("blarg", WordScope::Anywhere),
            ("plop", WordScope::Alone),
            ("plops", WordScope::Alone),
            ("plopped", WordScope::Alone),
            ("zick", WordScope::AloneNotName),
            ("fop", WordScope::Addressed),
            ("fap", WordScope::AddressedAtEnd),
        ];
        assert_eq!(bad_words(&list), expected.map(|(word, stands)| (word.to_owned(), stands)));
        assert_eq!(list.good, ["snick".chars().collect::<Vec<_>>()]);
        assert_eq!(WordList::parse("= Zorg # me\n=Night Watch").reserved, ["Zorg", "Night Watch"]);
        assert_eq!(WordList::parse("# nothing\n\n"), WordList::default());
    }

    #[test]
    fn the_dictionary_is_read() {
        let list = WordList::default().with_built_in(&[]);
        assert!(list.bad.len() > 200 && list.good.len() > 30);
        assert!(list.bad.iter().all(|word| word.letters.len() > 1));
    }
}
