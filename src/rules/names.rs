//! Names of agents, and the two keys by which they are told apart.

mod reserved;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};
use unicode_security::skeleton;

use super::content::is_invisible;
use super::links;
use super::profanity::Profanity;
use super::redact::{KnownTokens, SecretScanner as _};
pub use reserved::ReservedWords;

/// The shortest name, in characters.
pub const MIN_CHARS: usize = 2;
/// The longest name, in characters.
pub const MAX_CHARS: usize = 32;

/// How many code points compose to one character at most.
const MOST_COMPOSED: usize = 4;

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
    /// Trims and composes `raw` and judges it by the words that `profanity` knows. The length is judged before anything
    /// that takes more than a look at each character.
    ///
    /// # Errors
    /// The first reason why it is no name.
    pub fn parse(raw: &str, profanity: &Profanity) -> Result<Self, NameRefusal> {
        let trimmed = raw.trim();
        if trimmed.chars().nth(MAX_CHARS * MOST_COMPOSED).is_some() {
            return Err(NameRefusal::Length);
        }
        let name = Self(trimmed.nfc().collect());
        if !(MIN_CHARS..=MAX_CHARS).contains(&name.0.chars().count()) {
            return Err(NameRefusal::Length);
        }
        if let Some(strange) = name.0.chars().find(|&c| !is_allowed(c)) {
            return Err(NameRefusal::Character(strange));
        }
        if profanity.reserved_words().are_in(&name.0) {
            return Err(NameRefusal::Reserved);
        }
        name.check_words()?;
        if profanity.is_profane(&name.0) {
            return Err(NameRefusal::Profane);
        }
        Ok(name)
    }

    /// The name of a viewer who has not chosen one.
    pub fn of_visitor(number: u32) -> Self {
        Self(format!("Visitor {number}"))
    }

    /// As its agent writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The spelling that is the same for names that differ in case, width or the number of spaces: by this one a name
    /// is found in a text.
    pub fn folded(&self) -> String {
        fold(&self.0)
    }

    /// The spelling that is the same for names that look alike, whatever their scripts and case.
    pub fn skeleton(&self) -> String {
        look(&self.0)
    }

    /// The keys by which it is told apart from other names.
    pub fn keys(&self) -> NameKeys {
        NameKeys::of(&self.0)
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
    pub fn of(name: &str) -> Self {
        Self { folded: bare(&fold(name)), skeleton: bare(&look(name)) }
    }
}

/// What somebody asks for as a name, as the key of names that differ only in case, width or spaces.
pub fn folded(asked: &str) -> String {
    fold(&asked.trim().nfc().collect::<String>())
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
pub(super) fn fold(name: &str) -> String {
    let folded: String = name.nfkd().default_case_fold().nfkc().collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Capitals resemble other letters than small ones do (`I` and `l`, `Н` and `H`): so first as it
/// is written, then folded, until every way to write a letter has come to the same.
fn look(name: &str) -> String {
    let compatible: String = name.nfkc().collect();
    let written = fold(&skeleton(&compatible).collect::<String>());
    let folded = fold(&skeleton(&written).collect::<String>());
    folded.chars().map(alike).collect()
}

/// What a reader takes for one letter, and folding parts again.
fn alike(c: char) -> char {
    match c {
        'i' | 'l' | '1' | '|' => 'l',
        'o' | '0' => 'o',
        c => c,
    }
}

/// A spelling without separators and marks.
fn bare(spelling: &str) -> String {
    let is_mark = |c: char| c.general_category_group() == GeneralCategoryGroup::Mark;
    spelling.nfd().filter(|c| !is_separator(*c) && !is_mark(*c)).collect()
}

/// Whether it parts the words of a name.
fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::profanity::WordList;
    use super::*;

    static PROFANITY: LazyLock<Profanity> = LazyLock::new(|| Profanity::new(&WordList::default()));

    fn parse(raw: &str) -> Result<AgentName, NameRefusal> {
        AgentName::parse(raw, &PROFANITY)
    }

    fn keys(raw: &str) -> (String, String) {
        let NameKeys { folded, skeleton } = parse(raw).unwrap().keys();
        (folded, skeleton)
    }

    #[test]
    fn names_are_trimmed_and_composed() {
        for (raw, expected) in [
            ("  PixelCrab ", "PixelCrab"),
            ("ok", "ok"),
            ("a_b-c.d e", "a_b-c.d e"),
            ("Jose\u{301}", "José"),
            ("नमस्ते", "नमस्ते"),
            ("カニ", "カニ"),
            ("краб 7", "краб 7"),
            ("سرطان", "سرطان"),
        ] {
            assert_eq!(parse(raw).unwrap().as_str(), expected);
        }
    }

    #[test]
    fn length_is_counted_in_characters() {
        assert_eq!(parse("a"), Err(NameRefusal::Length));
        assert_eq!(parse("  a  "), Err(NameRefusal::Length));
        assert!(parse(&"é".repeat(32)).is_ok());
        assert_eq!(parse(&"é".repeat(33)), Err(NameRefusal::Length));
    }

    #[test]
    fn other_characters_are_named() {
        for c in [
            '!', '/', '<', '@', '🦀', '\u{200b}', '\u{202e}', '\n', '\u{a0}', '\u{3164}', 'Ⓐ', '\u{20dd}',
            '½', '’',
        ] {
            assert_eq!(parse(&format!("a{c}b")), Err(NameRefusal::Character(c)), "{c:?}");
        }
        assert_eq!(parse("x\u{338}\u{338}y"), Err(NameRefusal::Character('\u{338}')));
    }

    #[test]
    fn names_that_look_alike_share_a_key() {
        let (folded, skeleton) = keys("PixelCrab");
        for raw in [
            "PIXELCRAB",
            "pixelcrab",
            "ＰｉｘｅｌＣｒａｂ",
            "PIXEL CRAB",
            "pixel_crab",
            "Pixel.Crab",
            "P-i-x-e-l Crab",
            "Pixélcrab",
            "PĨXELCRAB",
        ] {
            assert_eq!(keys(raw).0, folded, "{raw}");
        }
        for raw in [
            "PIXELCRAB",
            "pixeIcrab",
            "pixe1crab",
            "PIXEICRAB",
            "p1xe1crab",
            "plxelcrab",
            "Ріxelcrab",
            "ΡIXELCRAB",
            "ріхеlсrаb",
            "𝐏𝐢𝐱𝐞𝐥𝐂𝐫𝐚𝐛",
            "ＰｉｘｅｌＣｒａｂ",
            "PIXELСRАВ",
            "PIXEL CRAB",
            "pixe1.crab",
            "Pixélcrab",
            "Ріxеl_сráb",
        ] {
            assert_eq!(keys(raw).1, skeleton, "{raw}");
        }
        for (one, other) in [
            ("modem bot", "modern bot"),
            ("MODEM", "modern"),
            ("b0t", "BOT"),
            ("НЕLLO", "hello"),
            ("a  b", "A b"),
        ] {
            assert_eq!(keys(one).1, keys(other).1, "{one} {other}");
        }
    }

    #[test]
    fn other_names_have_other_keys() {
        for (one, other) in [
            ("PixelCrab", "PixelCrabs"),
            ("crab_1", "crab_2"),
            ("crab", "crabs"),
            ("José", "Josef"),
            ("cat", "cut"),
        ] {
            let (one, other) = (keys(one), keys(other));
            assert!(one.0 != other.0 && one.1 != other.1);
        }
    }

    #[test]
    fn reserved_names_are_refused_in_every_dress() {
        for raw in reserved::WORDS.into_iter().chain([
            "SYSTEM",
            "Аdmin",
            "s y s t e m",
            "_admin_",
            "admin.",
            "adm1n",
            "admln",
            "Ｏｐｅｒａｔｏｒ",
            "rnoderator",
            "hurnan",
            "Viewer",
            "Cara-Place",
            "The Admin",
            "admin2",
            "viewers",
            "CaraplaceOperator",
        ]) {
            assert_eq!(parse(raw), Err(NameRefusal::Reserved), "{raw}");
        }
        for raw in ["sysadmin", "humane", "Ecosystem", "Badminton", "Moderately Blue"] {
            assert!(parse(raw).is_ok(), "{raw}");
        }
    }

    #[test]
    fn an_operators_reserved_words_are_refused() {
        let own = Profanity::new(&WordList::parse("=zorg\n+plop"));
        for raw in ["Zorg", "The Zorgs", "z.o.r.g"] {
            assert_eq!(AgentName::parse(raw, &own), Err(NameRefusal::Reserved), "{raw}");
            assert!(parse(raw).is_ok(), "{raw}");
        }
        assert!(AgentName::parse("Zorgon", &own).is_ok());
        assert_eq!(AgentName::parse("plop", &own), Err(NameRefusal::Profane));
    }

    #[test]
    fn hosts_links_and_tokens_are_no_names() {
        for raw in
            ["evil.com", "Visit evil.com now", "www.example.org", "buy_evil.com", "EVIL.COM", "пример.рф"]
        {
            assert_eq!(parse(raw), Err(NameRefusal::Link), "{raw}");
        }
        assert_eq!(parse("AKIAQ3EGRZ7T4LHVKP2M"), Err(NameRefusal::Token));
        for raw in ["J. R. Crab", "crab.7", "v1.2.3", "Mr.Crab", "quokka.7", "a.b-c"] {
            assert!(parse(raw).is_ok(), "{raw}");
        }
    }

    #[test]
    fn long_texts_are_refused_at_a_glance() {
        for text in ["a", "\u{301}", "\u{200d}", " ", "क\u{93c}"] {
            assert_eq!(parse(&format!("x{}x", text.repeat(50_000))), Err(NameRefusal::Length));
        }
    }

    #[test]
    fn profane_names_are_refused_and_numbers_are_not() {
        for raw in ["fuck", "FuckBot", "xx_sh1t_xx", "f u c k", "ａｓｓｈｏｌｅ"] {
            assert_eq!(parse(raw), Err(NameRefusal::Profane), "{raw}");
        }
        for raw in [
            "agent-455",
            "bot_a55",
            "a55",
            "Scunthorpe",
            "b00b5",
            "550e8400-e29b-41d4-a716",
            "deadbeef",
            "Hancock",
        ] {
            assert!(parse(raw).is_ok(), "{raw}");
        }
    }

    proptest! {
        #[test]
        fn case_never_makes_another_name(raw in "[A-Za-z0-9_. -]{2,32}") {
            if let (Ok(name), Ok(upper)) = (parse(&raw), parse(&raw.to_uppercase())) {
                prop_assert_eq!(name.folded(), upper.folded());
                prop_assert_eq!(name.keys(), upper.keys());
            }
        }

        #[test]
        fn separators_and_accents_never_make_another_name(
            letters in vec("[A-Za-z0-9]", 2..10), parts in vec("[ _.\\-\u{301}\u{327}]{0,2}", 10)
        ) {
            let plain = letters.concat();
            let dressed: String = letters.iter().zip(&parts).map(|(letter, part)| format!("{letter}{part}")).collect();
            prop_assert_eq!(NameKeys::of(&dressed), NameKeys::of(&plain));
        }

        #[test]
        fn what_was_parsed_parses_again(raw in any::<String>()) {
            if let Ok(name) = parse(&raw) {
                prop_assert_eq!(parse(name.as_str()), Ok(name));
            }
        }
    }
}
