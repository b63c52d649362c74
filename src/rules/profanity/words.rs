//! A list of words to add to the dictionary or to take out of it.

use rustrict::{Trie, Type};

use super::letters::Letters;

/// Words as an operator lists them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordList {
    bad: Vec<String>,
    bad_alone: Vec<String>,
    good: Vec<String>,
}

impl WordList {
    /// One word a line: `word` or `+word` is bad, also as a part of others; `~word` only where it
    /// stands alone; `-word` is good, also as a part of others; `#` begins a comment.
    pub fn parse(text: &str) -> Self {
        let mut list = Self::default();
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            let words = match line.as_bytes().first() {
                Some(b'-') => &mut list.good,
                Some(b'~') => &mut list.bad_alone,
                _ => &mut list.bad,
            };
            words.extend(known_form(line.trim_start_matches(['+', '~', '-'])));
        }
        list
    }

    /// Into the dictionary of what is bad where it stands alone.
    pub(super) fn teach_words(&self, trie: &mut Trie, bad: Type) {
        teach(trie, &self.good, Type::NONE);
        teach(trie, &self.bad_alone, bad);
        teach(trie, &self.bad, bad);
    }

    /// Into the dictionary of what is bad wherever it stands.
    pub(super) fn teach_parts(&self, trie: &mut Trie, bad: Type) {
        teach(trie, &self.good, Type::NONE);
        teach(trie, &self.bad, bad);
    }
}

fn teach(trie: &mut Trie, words: &[String], meaning: Type) {
    for word in words {
        trie.set(word, meaning);
    }
}

/// The dictionary knows words by their small letters without accents.
fn known_form(word: &str) -> Option<String> {
    let word = Letters::of(&word.trim().to_lowercase()).plain();
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_says_what_a_line_means() {
        let list = WordList::parse("# mine\n\nzorg\n + Blårg \n-Snick # a name\n~ plop\n+\n-\n");
        assert_eq!(list.bad, ["zorg", "blarg"]);
        assert_eq!(list.bad_alone, ["plop"]);
        assert_eq!(list.good, ["snick"]);
        assert_eq!(WordList::parse("# nothing\n\n"), WordList::default());
    }
}
