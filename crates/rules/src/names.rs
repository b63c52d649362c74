//! Names of agents, and the two keys by which they are told apart.

mod reserved;

use std::sync::Arc;

use caseless::Caseless;
use reserved::ReservedWords;
use text_filters::content::is_invisible;
use text_filters::links;
use text_filters::profanity::{ProfanityFilter, WordList};
use text_filters::redact::{KnownTokens, SecretScanner as _};
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};
use unicode_security::skeleton;

/// The shortest name, in characters.
pub const MIN_CHARS: usize = 2;
/// The longest name, in characters.
pub const MAX_CHARS: usize = 32;

/// How many code points compose to one character at most.
const MAX_CODE_POINTS_PER_CHAR: usize = 4;

/// The words that names are checked against.
#[derive(Clone, Debug)]
pub struct NameChecker {
    /// The words that names and messages are checked against alike.
    pub profanity: ProfanityFilter,
    reserved: Arc<ReservedWords>,
}

impl NameChecker {
    /// Returns a checker that knows the operator's `words` besides the built-in ones.
    pub fn new(words: &WordList) -> Self {
        Self {
            profanity: ProfanityFilter::new(words),
            reserved: Arc::new(ReservedWords::new(&words.reserved)),
        }
    }
}

/// A name that an agent may have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentName(String);

/// Why a text is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameRefusal {
    /// Not between [`MIN_CHARS`] and [`MAX_CHARS`].
    #[error("a name has {MIN_CHARS} to {MAX_CHARS} characters")]
    Length,
    /// Neither letter nor digit, space, `_`, `-` or `.`.
    #[error("a name holds letters, digits, spaces, _ - and . only, not {0:?}")]
    Character(char),
    /// The name, or a word of it, is reserved or looks like a reserved one.
    #[error("this name is reserved")]
    Reserved,
    /// A word of it is a host or a link.
    #[error("a name holds no host and no link")]
    Link,
    /// A word of it is a key or another token.
    #[error("a name holds no key and no token")]
    Token,
    #[error("this name is profane")]
    Profane,
}

impl AgentName {
    /// Trims and composes `raw` and judges it by the words that `checker` knows. The length is judged before anything
    /// that takes more than a look at each character.
    ///
    /// # Errors
    /// The first reason why it is no name.
    pub fn parse(raw: &str, checker: &NameChecker) -> Result<Self, NameRefusal> {
        let trimmed = raw.trim();
        if trimmed.chars().nth(MAX_CHARS * MAX_CODE_POINTS_PER_CHAR).is_some() {
            return Err(NameRefusal::Length);
        }
        let name = Self(trimmed.nfc().collect());
        if !(MIN_CHARS..=MAX_CHARS).contains(&name.0.chars().count()) {
            return Err(NameRefusal::Length);
        }
        if let Some(disallowed) = name.0.chars().find(|&c| !is_allowed(c)) {
            return Err(NameRefusal::Character(disallowed));
        }
        if checker.reserved.occur_in(&name.0) {
            return Err(NameRefusal::Reserved);
        }
        name.check_words()?;
        if checker.profanity.is_profane(&name.0) {
            return Err(NameRefusal::Profane);
        }
        Ok(name)
    }

    /// The name of a viewer who has not chosen one.
    pub fn for_viewer(number: u32) -> Self {
        Self(format!("Visitor {number}"))
    }

    /// As its agent writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The spelling that is the same for names that differ in case, width or the number of spaces: by this one a name
    /// is found in a text.
    pub fn folded(&self) -> String {
        case_fold(&self.0)
    }

    /// The spelling that is the same for names that look alike, whatever their scripts and case.
    pub fn skeleton(&self) -> String {
        visual_skeleton(&self.0)
    }

    /// The keys by which it is told apart from other names.
    pub fn keys(&self) -> NameKeys {
        NameKeys::from_name(&self.0)
    }

    /// Passes names without a word that is a host, a link or a token. A word ends at a space; the parts that `_` divides
    /// are hosts of their own.
    fn check_words(&self) -> Result<(), NameRefusal> {
        for word in self.0.split(' ') {
            if !KnownTokens.find(word).is_empty() {
                return Err(NameRefusal::Token);
            }
            if std::iter::once(word).chain(word.split('_')).any(|part| links::strip(part).is_some()) {
                return Err(NameRefusal::Link);
            }
        }
        Ok(())
    }
}

/// The two keys of a name, both without spaces, `_ - .` and marks. Names that share either are one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameKeys {
    /// The same for names that differ in case or width.
    pub folded: String,
    /// The same for names that look alike.
    pub skeleton: String,
}

impl NameKeys {
    /// The keys of a name as its holder writes it.
    pub fn from_name(name: &str) -> Self {
        // Marks are taken off first: a letter that bears one looks like others, too. A look-alike may bring new ones.
        let skeleton = strip_separators_and_marks(&visual_skeleton(&strip_separators_and_marks(name)))
            .chars()
            .map(canonical_look_alike)
            .collect();
        Self { folded: strip_separators_and_marks(&case_fold(name)), skeleton }
    }
}

/// A name between backticks, for sentences of the system: none of its characters ends the quotation, as a name holds
/// neither a backtick nor a line feed.
pub fn quote(name: &str) -> String {
    let quoted: String = name.chars().filter(|c| is_allowed(*c)).collect();
    format!("`{quoted}`")
}

/// What somebody asks for as a name, as the key of names that differ only in case, width or spaces.
pub fn lookup_key(input: &str) -> String {
    case_fold(&input.trim().nfc().collect::<String>())
}

/// Whether a name may hold this character.
pub(super) fn is_allowed(c: char) -> bool {
    is_separator(c) || !is_invisible(c) && (is_letter(c) || is_digit(c))
}

/// Letters, and the marks without which a script cannot spell. Those that any script may take on,
/// and pile up, are none.
fn is_letter(c: char) -> bool {
    match c.general_category_group() {
        GeneralCategoryGroup::Letter => true,
        GeneralCategoryGroup::Mark => c.script() != Script::Inherited && !is_enclosing(c),
        _ => false,
    }
}

fn is_enclosing(c: char) -> bool {
    c.general_category() == GeneralCategory::EnclosingMark
}

fn is_digit(c: char) -> bool {
    c.general_category() == GeneralCategory::DecimalNumber
}

/// The same for names that differ in case, width or the number of spaces.
pub(super) fn case_fold(name: &str) -> String {
    let folded: String = name.nfkd().default_case_fold().nfkc().collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Capitals resemble other letters than small ones do (`I` and `l`, `Н` and `H`): so first as it
/// is written, then folded, until every way to write a letter has come to the same.
fn visual_skeleton(name: &str) -> String {
    let normalized: String = name.nfkc().collect();
    let written = case_fold(&skeleton(&normalized).collect::<String>());
    let folded = case_fold(&skeleton(&written).collect::<String>());
    folded.chars().map(canonical_look_alike).collect()
}

/// What a reader takes for one letter, and folding parts again.
fn canonical_look_alike(c: char) -> char {
    match c {
        'i' | 'l' | '1' | '|' => 'l',
        'o' | '0' => 'o',
        c => c,
    }
}

/// A spelling without separators and marks.
fn strip_separators_and_marks(spelling: &str) -> String {
    let is_mark = |c: char| c.general_category_group() == GeneralCategoryGroup::Mark;
    spelling.nfd().filter(|c| !is_separator(*c) && !is_mark(*c)).collect()
}

/// Whether it parts the words of a name.
fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '_' | '-' | '.')
}

#[cfg(test)]
mod tests;
