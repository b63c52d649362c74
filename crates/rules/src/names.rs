//! Names of accounts, and the two keys by which they are compared.

mod reserved;

use std::net::Ipv4Addr;
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

/// The name under which every erased account is shown. Nobody can register it.
pub const REMOVED_NAME: &str = "removed agent";

/// Maximum number of code points that compose to one character.
const MAX_CODE_POINTS_PER_CHAR: usize = 4;

/// The word lists that names are checked against.
#[derive(Clone, Debug)]
pub struct NameChecker {
    /// The word lists that both names and messages are checked against.
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

/// A valid name of an account.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentName(String);

/// The reason why a text is not a valid name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameRefusal {
    /// It is not between [`MIN_CHARS`] and [`MAX_CHARS`] characters long.
    #[error("a name has {MIN_CHARS} to {MAX_CHARS} characters")]
    Length,
    /// It contains a character other than letters, digits, spaces, `_`, `-` and `.`.
    #[error("a name contains letters, digits, spaces, _ - and . only, not {0:?}")]
    Character(char),
    /// It consists of separators, marks and what looks like them.
    #[error("a name contains more than _ - . and what looks like them")]
    OnlySigns,
    /// The name or one of its words is reserved, or looks like a reserved one.
    #[error("this name is reserved")]
    Reserved,
    /// One of its words is a host or a link.
    #[error("a name must not contain a host or a link")]
    Link,
    /// One of its words is a key or another token.
    #[error("a name must not contain a key or a token")]
    Token,
    /// It contains a profane word.
    #[error("this name is profane")]
    Profane,
}

impl AgentName {
    /// Trims and composes `raw` and checks it against the word lists of `checker`. The length is checked
    /// first, before the slower checks.
    ///
    /// # Errors
    /// The first check that failed.
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
        let keys = name.keys();
        if keys.folded.is_empty() || keys.skeleton.is_empty() {
            return Err(NameRefusal::OnlySigns);
        }
        if checker.reserved.occur_in(&name.0) {
            return Err(NameRefusal::Reserved);
        }
        name.check_words()?;
        if checker.profanity.is_profane_name(&name.0) {
            return Err(NameRefusal::Profane);
        }
        Ok(name)
    }

    /// Returns the default name of a viewer with this number.
    pub fn for_viewer(number: u32) -> Self {
        Self(format!("Visitor {number}"))
    }

    /// Returns the name as its owner writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the spelling that is the same for names that differ in case, width or the number of spaces.
    /// Mentions are looked up by it.
    pub fn folded(&self) -> String {
        case_fold(&self.0)
    }

    /// Returns the spelling that is the same for names that look alike, in any script and case.
    pub fn skeleton(&self) -> String {
        visual_skeleton(&self.0)
    }

    /// Returns the keys by which the name is compared with others.
    pub fn keys(&self) -> NameKeys {
        NameKeys::from_name(&self.0)
    }

    /// Refuses a name that contains a word that is a host, a link or a token. Words end at spaces; the parts
    /// between `_` are also checked as hosts.
    fn check_words(&self) -> Result<(), NameRefusal> {
        for word in self.0.split(' ') {
            if !KnownTokens.find(word).is_empty() {
                return Err(NameRefusal::Token);
            }
            let is_link = |part: &str| links::strip(part).is_some();
            let has_link = std::iter::once(word).chain(word.split('_')).any(is_link);
            if has_link || word.split(['_', '-']).any(is_address) {
                return Err(NameRefusal::Link);
            }
        }
        Ok(())
    }
}

/// Returns true for an IPv4 address, and for a word that begins with `www.`: a reader takes both for a host,
/// although no program makes links of them.
fn is_address(word: &str) -> bool {
    let plain: String = word.nfkc().collect();
    let plain = plain.trim_matches('.');
    let begins_with_www = plain.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."));
    begins_with_www || plain.parse::<Ipv4Addr>().is_ok()
}

/// The two keys of a name, both without spaces, `_ - .` and marks. Names that share a key count as the same
/// name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameKeys {
    /// Equal for names that differ in case or width.
    pub folded: String,
    /// Equal for names that look alike.
    pub skeleton: String,
}

impl NameKeys {
    /// Returns the keys of a name as its owner writes it.
    pub fn from_name(name: &str) -> Self {
        // Marks are removed first, because a letter with a mark may be a look-alike, too. A look-alike may
        // add new marks.
        let skeleton = strip_separators_and_marks(&visual_skeleton(&strip_separators_and_marks(name)))
            .chars()
            .map(canonical_look_alike)
            .collect();
        Self { folded: strip_separators_and_marks(&case_fold(name)), skeleton }
    }
}

/// Returns a name between backticks, for sentences of the system. A name contains neither a backtick nor a
/// line feed, so it cannot end the quotation.
pub fn quote(name: &str) -> String {
    let quoted: String = name.chars().filter(|c| is_allowed(*c)).collect();
    format!("`{quoted}`")
}

/// Returns the key of a requested name, which is the same for names that differ only in case, width or
/// spaces.
pub fn lookup_key(input: &str) -> String {
    case_fold(&input.trim().nfc().collect::<String>())
}

/// Returns true if a name may contain this character.
pub(super) fn is_allowed(c: char) -> bool {
    is_separator(c) || !is_invisible(c) && (is_letter(c) || is_digit(c))
}

/// Returns true for letters, and for the marks that a script needs for spelling. Marks that combine with any
/// script are excluded, because they can be stacked.
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

/// Returns the spelling that is the same for names that differ in case, width or the number of spaces.
pub(super) fn case_fold(name: &str) -> String {
    let folded: String = name.nfkd().default_case_fold().nfkc().collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the spelling that is the same for look-alikes. Capitals resemble other letters than small ones do
/// (`I` and `l`, `Н` and `H`), so the skeleton is taken twice: of the name as it is written, then of its
/// case-folded form.
fn visual_skeleton(name: &str) -> String {
    let normalized: String = name.nfkc().collect();
    let written = case_fold(&skeleton(&normalized).collect::<String>());
    let folded = case_fold(&skeleton(&written).collect::<String>());
    folded.chars().map(canonical_look_alike).collect()
}

/// Returns one representative for characters that look the same but differ after case folding.
fn canonical_look_alike(c: char) -> char {
    match c {
        'i' | 'l' | '1' | '|' => 'l',
        'o' | '0' => 'o',
        c => c,
    }
}

/// Returns a spelling without separators and marks.
fn strip_separators_and_marks(spelling: &str) -> String {
    let changes_visibility = |c: char| c.general_category_group() == GeneralCategoryGroup::Mark;
    spelling.nfd().filter(|c| !is_separator(*c) && !changes_visibility(*c)).collect()
}

/// Returns true if the character separates the words of a name.
fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '_' | '-' | '.')
}

#[cfg(test)]
mod tests;
