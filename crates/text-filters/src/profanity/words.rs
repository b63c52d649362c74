//! Word lists: bad words, and good words that look like them.

use super::letters::word_letters;

/// The built-in dictionary.
const BUILT_IN_WORDS: &str = include_str!("words.txt");

/// A word list of an operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordList {
    pub(super) bad: Vec<BadWord>,
    pub(super) good: Vec<Vec<char>>,
    /// Words that no name may contain, as listed. [`ProfanityFilter`](super::ProfanityFilter)
    /// ignores them.
    pub reserved: Vec<String>,
}

/// A bad word with its scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadWord {
    pub letters: Vec<char>,
    /// True if it is written in Cyrillic letters, of which Latin ones would be read as the same word by chance.
    pub is_cyrillic: bool,
    pub scope: WordScope,
}

/// The contexts in which a word is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordScope {
    /// Everywhere, also within other words.
    Anywhere,
    Alone,
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
            let mut parts = line.trim_start_matches(['+', '~', '?', '@', '!', '-']).trim().split('/');
            let word = parts.next().unwrap_or_default();
            if word.is_empty() {
                continue;
            }
            if line.starts_with('-') {
                list.good.push(word_letters(word));
                continue;
            }
            let forms = std::iter::once(word.to_owned()).chain(parts.map(|ending| format!("{word}{ending}")));
            list.bad.extend(forms.map(|form| BadWord {
                letters: word_letters(&form),
                is_cyrillic: form.chars().any(|c| ('\u{400}'..='\u{4ff}').contains(&c)),
                scope,
            }));
        }
        list
    }

    /// Returns the built-in dictionary with these words, which take precedence.
    pub(super) fn with_built_in(&self) -> Self {
        let mut list = Self::parse(BUILT_IN_WORDS);
        list.bad.retain(|word| !self.good.contains(&word.letters));
        list.bad.extend(self.bad.iter().cloned());
        list.good.extend(self.good.iter().cloned());
        list
    }
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
        let list = WordList::default().with_built_in();
        assert!(list.bad.len() > 200 && list.good.len() > 30);
        assert!(list.bad.iter().all(|word| word.letters.len() > 1));
    }
}
