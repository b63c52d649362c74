//! The context of a word in a text: alone, in a name, or addressed to someone.

use std::ops::Range;

use unicode_script::{Script, UnicodeScript};

use super::address_words::{
    ADDRESS_WITH_VERB, ADDRESS_WORDS, ARTICLES, INSULT_FILLERS, MAX_FILLER_WORDS, STATEMENT_CONTINUATIONS,
    WORDS_BEFORE_INSULTS,
};
use super::letters::{CharRun, RunKind};
use super::other_scripts::is_in_other_script;
use super::pieces::is_title_case;
use super::surnames::is_surname;
use super::words::BadWord;
use crate::steps;

/// Maximum number of bytes of context on each side of a word. It is bounded because each word's context is
/// searched, which must take linear time in total.
const CONTEXT_BYTES: usize = 256;

/// Maximum number of letters of a surname on each side of a word; a repeated one counts once.
const MAX_SURNAME_RUNS: usize = 16;

/// A text with its runs.
pub(super) struct WordContext<'a> {
    pub text: &'a str,
    pub runs: &'a [CharRun],
}

impl WordContext<'_> {
    /// Extends the word by the `s` of its plural.
    pub(super) fn with_plural(&self, word: Range<usize>) -> Range<usize> {
        let is_plural =
            self.runs.get(word.end).is_some_and(|run| run.can_be_read_as('s') || run.can_be_read_as('z'));
        let longer = word.start..word.end + 1;
        if is_plural && !self.is_whole(&word) && self.is_whole(&longer) { longer } else { word }
    }

    /// Returns true if the word is in a random token, where letters form words by chance.
    pub(super) fn is_in_random_token(&self, word: &Range<usize>) -> bool {
        const MIN_TOKEN_BYTES: usize = 16;
        let token = self.token_around(&self.byte_range(word));
        let has = |kind: fn(&u8) -> bool| token.bytes().any(|byte| kind(&byte));
        token.len() >= MIN_TOKEN_BYTES
            && has(u8::is_ascii_digit)
            && has(u8::is_ascii_lowercase)
            && has(u8::is_ascii_uppercase)
    }

    /// Returns true if the word is a small part of a row of letters and digits that alternate, such as base
    /// 32, where letters form words by chance.
    pub(super) fn is_in_random_row(&self, word: &Range<usize>) -> bool {
        const MIN_ROW_BYTES: usize = 8;
        const MIN_ALTERNATIONS: usize = 3;
        let bytes = self.byte_range(word);
        let token = self.token_around(&bytes);
        let alternations =
            token.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit());
        token.len() >= MIN_ROW_BYTES
            && 2 * bytes.len() < token.len() + 2
            && alternations.count() >= MIN_ALTERNATIONS
    }

    /// Returns true for one star directly before a word, if no other star is near that would close an
    /// emphasis.
    pub(super) fn starts_with_single_star(&self, at: usize) -> bool {
        const EMPHASIS_RUNS: usize = 64;
        let run = &self.runs[at];
        let is_word = |run: &CharRun| run.kind == RunKind::Letter;
        steps::charge(EMPHASIS_RUNS);
        run.kind == RunKind::Star
            && run.count == 1
            && self.runs.get(at + 1).is_some_and(is_word)
            && at.checked_sub(1).is_none_or(|before| self.runs[before].kind == RunKind::Space)
            && !self.runs[at + 1..].iter().take(EMPHASIS_RUNS).any(|run| run.kind == RunKind::Star)
    }

    /// Returns true if the word is written in ASCII.
    pub(super) fn is_ascii(&self, word: &Range<usize>) -> bool {
        self.text[self.byte_range(word)].is_ascii()
    }

    /// Returns true if a letter of the word is of this script.
    pub(super) fn has_letter_of(&self, word: &Range<usize>, script: Script) -> bool {
        let bytes = self.byte_range(word);
        steps::charge(bytes.len());
        self.text[bytes].chars().any(|c| c.script() == script)
    }

    /// Returns the word in lower case, with its marks.
    pub(super) fn lowercase(&self, word: &Range<usize>) -> String {
        let bytes = self.byte_range(word);
        steps::charge(bytes.len());
        self.text[bytes].to_lowercase()
    }

    /// Returns the words near this one, on both sides.
    pub(super) fn words_around(&self, word: &Range<usize>) -> impl Iterator<Item = &str> {
        let bytes = self.byte_range(word);
        split_words(self.text_before(&bytes)).chain(split_words(self.text_after(&bytes)))
    }

    /// Returns true if the word is written as its language writes it, or without marks: other marks and
    /// double letters make other words.
    pub(super) fn is_spelled(&self, runs: &Range<usize>, word: &BadWord) -> bool {
        let Some(spelling) = &word.spelling else { return true };
        let written = self.lowercase(runs);
        if spelling.has_marks || !written.is_ascii() {
            return written == spelling.form;
        }
        let groups = || word.letters.chunk_by(|one, other| one == other);
        let is_doubled = |(run, group): (&CharRun, &[char])| run.count == 2 && group.len() == 1;
        groups().count() != runs.len() || !self.runs[runs.clone()].iter().zip(groups()).any(is_doubled)
    }

    /// Returns true if the word is written in letters of another language, into which Latin letters are read
    /// by chance.
    pub(super) fn is_in_other_script(&self, word: &Range<usize>) -> bool {
        let bytes = self.byte_range(word);
        steps::charge(bytes.len());
        is_in_other_script(&self.text[bytes])
    }

    /// Returns the run of letters and digits around these bytes.
    fn token_around(&self, bytes: &Range<usize>) -> &str {
        let is_part = |c: char| c.is_ascii_alphanumeric();
        let before = self.text_before(bytes);
        let after = self.text_after(bytes);
        let start = bytes.start - (before.len() - before.trim_end_matches(is_part).len());
        let end = bytes.end + (after.len() - after.trim_start_matches(is_part).len());
        &self.text[start..end]
    }

    /// Returns true if the word starts and ends at word boundaries.
    pub(super) fn is_whole(&self, word: &Range<usize>) -> bool {
        self.is_word_boundary(word.start) && self.is_word_boundary(word.end)
    }

    pub(super) fn starts_word(&self, at: usize) -> bool {
        self.is_word_boundary(at)
    }

    fn is_word_boundary(&self, at: usize) -> bool {
        let is_letter = |at: usize| self.runs.get(at).is_some_and(|run| run.kind == RunKind::Letter);
        at == 0
            || !is_letter(at - 1)
            || !is_letter(at)
            || self.runs[at].is_capital && !self.runs[at - 1].is_capital
    }

    /// Returns true if more single letters follow: `a s s e m b l e`.
    pub(super) fn is_part_of_longer_spelling(&self, word: &Range<usize>) -> bool {
        let is_single = |gap: usize, letter: usize, far: usize| {
            let run = |at: usize| self.runs.get(at);
            run(gap).is_some_and(CharRun::is_gap)
                && run(letter).is_some_and(|run| run.kind == RunKind::Letter && run.count == 1)
                && run(far).is_none_or(CharRun::is_gap)
        };
        let before = word.start.checked_sub(2).is_some_and(|letter| {
            let far = letter.checked_sub(1).unwrap_or(usize::MAX);
            // An article is a word, not a single letter.
            is_single(letter + 1, letter, far)
                && !['a', 'i', 'u'].iter().any(|&word| self.runs[letter].can_be_read_as(word))
        });
        before || is_single(word.end, word.end + 1, word.end + 2)
    }

    /// Returns true if the word is written as a name: a capital and small letters, after a word that a name
    /// may follow.
    pub(super) fn is_name(&self, word: &Range<usize>) -> bool {
        let text = &self.text[self.byte_range(word)];
        is_title_case(text)
            && self
                .words_before(word)
                .next()
                .is_none_or(|before| !WORDS_BEFORE_INSULTS.contains(&before.as_str()))
    }

    /// Returns true if the word is a surname or place, or a part of one, after a word that a name may follow.
    pub(super) fn is_surname(&self, word: &Range<usize>) -> bool {
        let letters = |run: &&CharRun| run.kind == RunKind::Letter;
        let before = self.runs[..word.start].iter().rev().take(MAX_SURNAME_RUNS).take_while(letters).count();
        let after = self.runs[word.end..].iter().take(MAX_SURNAME_RUNS).take_while(letters).count();
        let whole = word.start - before..word.end + after;
        let may_be_name = self
            .words_before(&whole)
            .next()
            .is_none_or(|before| !WORDS_BEFORE_INSULTS.contains(&before.as_str()));
        may_be_name && is_surname(&self.text[self.byte_range(&whole)])
    }

    /// Returns true if the word is next to another name: `Kevin Coon`.
    pub(super) fn is_in_name(&self, word: &Range<usize>) -> bool {
        let bytes = self.byte_range(word);
        let before = self
            .text_before(&bytes)
            .strip_suffix([' ', '-'])
            .and_then(|before| before.split([' ', '-']).next_back());
        let after = self
            .text_after(&bytes)
            .strip_prefix([' ', '-'])
            .and_then(|after| after.split([' ', '-', ',', '.']).next());
        self.is_name(word) && (before.is_some_and(is_title_case) || after.is_some_and(is_title_case))
    }

    /// Returns true for `you idiot`, `you are such a stupid idiot` and `shut up, idiot`; false for `draw you
    /// a pig`.
    pub(super) fn is_addressed_to_someone(&self, word: &Range<usize>) -> bool {
        let words: Vec<String> = self.words_before(word).take(MAX_FILLER_WORDS + 1).collect();
        let between = words.iter().take_while(|word| INSULT_FILLERS.contains(&word.as_str())).count();
        let (between, before) = words.split_at(between);
        let Some(first) = before.first().map(String::as_str) else { return false };
        let is_shut_up = first == "up" && before.get(1).is_some_and(|word| word == "shut");
        let has_article = between.iter().any(|word| ARTICLES.contains(&word.as_str()));
        let is_address_with_verb = |word: &String| ADDRESS_WITH_VERB.contains(&word.as_str());
        let is_question = before.get(1).is_some_and(|word| word == "are");
        let is_addressed =
            !has_article || is_question || between.iter().chain(before.first()).any(is_address_with_verb);
        let is_possession = matches!(first, "your" | "yer") && !has_article;
        is_shut_up || ADDRESS_WORDS.contains(&first) && is_addressed && !is_possession
    }

    /// Returns true if the statement ends with this word or continues with another clause.
    pub(super) fn ends_statement(&self, word: &Range<usize>) -> bool {
        let after = self.text_after(&self.byte_range(word)).trim_start();
        let next: String = after.chars().take_while(|c| c.is_alphanumeric()).collect();
        let is_joined = after.starts_with(['-', '_', '/', '\'', '’', '=', ':', '(']);
        !is_joined && (next.is_empty() || STATEMENT_CONTINUATIONS.contains(&next.to_lowercase().as_str()))
    }

    /// Returns true if the word is a part of this good word.
    pub(super) fn is_part_of(&self, word: &Range<usize>, good: &[char]) -> bool {
        steps::charge(good.len());
        let from = word.start.saturating_sub(good.len());
        (from..=word.start).any(|start| self.match_end(start, good).is_some_and(|end| end >= word.end))
    }

    fn match_end(&self, start: usize, good: &[char]) -> Option<usize> {
        let mut at = start;
        let mut remaining = good;
        while let Some(&letter) = remaining.first() {
            let run = self.runs.get(at)?;
            let same = remaining.iter().take_while(|&&other| other == letter).count();
            let matches_run =
                if letter == ' ' { run.is_gap() } else { run.can_be_read_as(letter) && run.count == same };
            if !matches_run {
                return None;
            }
            remaining = &remaining[same..];
            at += 1;
        }
        Some(at)
    }

    /// Returns the runs of these bytes.
    pub(super) fn runs_at(&self, bytes: &Range<usize>) -> Option<Range<usize>> {
        steps::charge(2 * self.runs.len().checked_ilog2()? as usize);
        let start = self.runs.binary_search_by_key(&bytes.start, |run| run.start).ok()?;
        let end = self.runs.binary_search_by_key(&bytes.end, |run| run.end).ok()?;
        Some(start..end + 1)
    }

    /// Returns at most [`CONTEXT_BYTES`] bytes before these bytes.
    fn text_before(&self, bytes: &Range<usize>) -> &str {
        steps::charge(CONTEXT_BYTES);
        &self.text[self.text.ceil_char_boundary(bytes.start.saturating_sub(CONTEXT_BYTES))..bytes.start]
    }

    /// Returns at most [`CONTEXT_BYTES`] bytes after these bytes.
    fn text_after(&self, bytes: &Range<usize>) -> &str {
        steps::charge(CONTEXT_BYTES);
        &self.text[bytes.end..self.text.floor_char_boundary(bytes.end + CONTEXT_BYTES)]
    }

    fn byte_range(&self, word: &Range<usize>) -> Range<usize> {
        self.runs[word.start].start..self.runs[word.end - 1].end
    }

    /// Returns the words before this one, nearest first, in lower case and without signs.
    fn words_before(&self, word: &Range<usize>) -> impl Iterator<Item = String> {
        let words = self.text_before(&self.byte_range(word)).split_whitespace().rev();
        words.map(|word| {
            word.chars().filter(|c| c.is_alphanumeric() || *c == '*').collect::<String>().to_lowercase()
        })
    }
}

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::deobfuscate::read_disguised;
    use super::super::letters::{split_runs, word_letters};
    use super::*;

    /// Calls a check with the first occurrence of a word.
    fn check_word<T>(text: &str, word: &str, look: impl Fn(&WordContext, &Range<usize>) -> T) -> T {
        let runs = split_runs(text);
        let letters = word_letters(word);
        let (found, _) = (0..runs.len()).find_map(|start| read_disguised(&runs, start, &letters)).unwrap();
        look(&WordContext { text, runs: &runs }, &found)
    }

    #[test]
    fn words_end_at_gaps_and_inner_capitals() {
        for (text, whole) in [
            ("a cock", true),
            ("Hancock", false),
            ("cockpit", false),
            ("BigCock", true),
            ("CockBot", true),
            ("cock5", true),
        ] {
            assert_eq!(check_word(text, "cock", |setting, word| setting.is_whole(word)), whole, "{text}");
        }
        assert!(check_word("two cocks", "cock", |setting, word| setting
            .is_whole(&setting.with_plural(word.clone()))));
    }

    #[test]
    fn names_are_recognized_by_their_case() {
        for (text, name) in [
            ("Dick is here", true),
            ("Philip K. Dick", true),
            ("you Dick", false),
            ("DICK", false),
            ("a dick", false),
        ] {
            assert_eq!(check_word(text, "dick", |setting, word| setting.is_name(word)), name, "{text}");
        }
        assert!(check_word("Kevin Coon", "coon", |setting, word| setting.is_in_name(word)));
        assert!(!check_word("Coon", "coon", |setting, word| setting.is_in_name(word)));
    }

    #[test]
    fn insults_addressed_to_someone_are_recognized() {
        for (text, said) in [
            ("you idiot", true),
            ("You are such a stupid idiot", true),
            ("shut up, idiot", true),
            ("your an idiot", true),
            ("are you an idiot", true),
            ("let me draw you an idiot", false),
            ("clean up idiot", false),
            ("I am an idiot", false),
            ("your idiot", false),
            ("idiot", false),
        ] {
            assert_eq!(
                check_word(text, "idiot", |setting, word| setting.is_addressed_to_someone(word)),
                said,
                "{text}"
            );
        }
    }

    #[test]
    fn the_end_of_a_statement_is_recognized() {
        for (text, last) in [
            ("you pig", true),
            ("you pig!", true),
            ("you pig, and", true),
            ("you are a pig and a liar", true),
            ("did you pig out", false),
            ("you pig-farmer", false),
        ] {
            assert_eq!(check_word(text, "pig", |setting, word| setting.ends_statement(word)), last, "{text}");
        }
    }

    #[test]
    fn spelled_out_words_continue() {
        assert!(check_word("a s s e m", "ass", |setting, word| setting.is_part_of_longer_spelling(word)));
        let is_part_of_longer =
            check_word("a s h i t is", "shit", |setting, word| setting.is_part_of_longer_spelling(word));
        assert!(!is_part_of_longer);
    }

    #[test]
    fn good_words_hold_bad_ones() {
        let good = word_letters("scunthorpe");
        assert!(check_word("in Scunthorpe", "cunt", |setting, word| setting.is_part_of(word, &good)));
        assert!(!check_word("scunt", "cunt", |setting, word| setting.is_part_of(word, &good)));
    }
}
