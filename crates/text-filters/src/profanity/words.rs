//! The words that are bad, and the good ones that only look so.

use super::letters::letters;

/// The dictionary.
const BUILT_IN: &str = include_str!("words.txt");

/// Words as an operator lists them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordList {
    pub(super) bad: Vec<Word>,
    pub(super) good: Vec<Vec<char>>,
    /// Words that no name may hold, as they are listed. [`Profanity`](super::Profanity) does not judge by them.
    pub reserved: Vec<String>,
}

/// A bad word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub letters: Vec<char>,
    pub stands: Stands,
}

/// Where a word is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    /// Also within others.
    Anywhere,
    Alone,
    /// Alone, unless it is written as a name.
    NoName,
    /// Alone, and said to somebody.
    ToSomebody,
    /// The same, at the end of what is said.
    ToSomebodyLast,
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
            let stands = match line.as_bytes().first() {
                Some(b'~') => Stands::Alone,
                Some(b'?') => Stands::NoName,
                Some(b'@') => Stands::ToSomebody,
                Some(b'!') => Stands::ToSomebodyLast,
                _ => Stands::Anywhere,
            };
            let mut parts = line.trim_start_matches(['+', '~', '?', '@', '!', '-']).trim().split('/');
            let word = parts.next().unwrap_or_default();
            if word.is_empty() {
                continue;
            }
            if line.starts_with('-') {
                list.good.push(letters(word));
                continue;
            }
            let forms = std::iter::once(word.to_owned()).chain(parts.map(|ending| format!("{word}{ending}")));
            list.bad.extend(forms.map(|form| Word { letters: letters(&form), stands }));
        }
        list
    }

    /// The dictionary with these words on top.
    pub(super) fn on_top(&self) -> Self {
        let mut all = Self::parse(BUILT_IN);
        all.bad.retain(|word| !self.good.contains(&word.letters));
        all.bad.extend(self.bad.iter().cloned());
        all.good.extend(self.good.iter().cloned());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bad(list: &WordList) -> Vec<(String, Stands)> {
        list.bad.iter().map(|word| (word.letters.iter().collect(), word.stands)).collect()
    }

    #[test]
    fn the_first_character_sets_the_scope_of_a_word() {
        let list = WordList::parse(
            "# mine\n\nzorg\n + Blårg \n-Snick # a name\n~ plop/s/ped\n?Zick\n@fop\n!fap\n+\n-\n",
        );
        let expected = [
            ("zorg", Stands::Anywhere),
            ("blarg", Stands::Anywhere),
            ("plop", Stands::Alone),
            ("plops", Stands::Alone),
            ("plopped", Stands::Alone),
            ("zick", Stands::NoName),
            ("fop", Stands::ToSomebody),
            ("fap", Stands::ToSomebodyLast),
        ];
        assert_eq!(bad(&list), expected.map(|(word, stands)| (word.to_owned(), stands)));
        assert_eq!(list.good, ["snick".chars().collect::<Vec<_>>()]);
        assert_eq!(WordList::parse("= Zorg # me\n=Night Watch").reserved, ["Zorg", "Night Watch"]);
        assert_eq!(WordList::parse("# nothing\n\n"), WordList::default());
    }

    #[test]
    fn the_dictionary_is_read() {
        let list = WordList::default().on_top();
        assert!(list.bad.len() > 200 && list.good.len() > 30);
        assert!(list.bad.iter().all(|word| word.letters.len() > 1));
    }
}
