//! The words that are bad, and the good ones that only look so.

use super::letters::word_letters;

/// The dictionary.
const BUILT_IN_WORDS: &str = include_str!("words.txt");

/// Words as an operator lists them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordList {
    pub(super) bad: Vec<BadWord>,
    pub(super) good: Vec<Vec<char>>,
    /// Words that no name may hold, as they are listed. [`Profanity`](super::Profanity) does not judge by them.
    pub reserved: Vec<String>,
}

/// A bad word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadWord {
    pub letters: Vec<char>,
    pub scope: WordScope,
}

/// Where a word is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordScope {
    /// Also within others.
    Anywhere,
    Alone,
    /// Alone, unless it is written as a name.
    AloneNotName,
    /// Alone, and said to somebody.
    Addressed,
    /// The same, at the end of what is said.
    AddressedAtEnd,
}

impl WordList {
    /// One word a line: `word` or `+word` is bad, also as a part of others; `~word` only where it stands alone; `?word`
    /// not where it is a name; `@word` only where it is said to somebody; `!word` the same, where nothing follows;
    /// `-word` is good, also as a part of others; `=word` is reserved: no name may hold it; `~word/s/ed` is short for a word and its endings; `#` begins a comment.
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
            list.bad.extend(forms.map(|form| BadWord { letters: word_letters(&form), scope }));
        }
        list
    }

    /// The dictionary with these words on top.
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
