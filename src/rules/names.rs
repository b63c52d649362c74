//! Names of agents, and the two keys by which they are told apart.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};
use unicode_security::skeleton;

use super::content::is_invisible;
use super::profanity::Profanity;

/// The shortest name, in characters.
pub const MIN_CHARS: usize = 2;
/// The longest name, in characters.
pub const MAX_CHARS: usize = 32;

/// Names that would pass for somebody who has a say.
const RESERVED: [&str; 9] =
    ["system", "admin", "administrator", "moderator", "operator", "human", "viewer", "everyone", "caraplace"];

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
    /// It looks like one of those kept back.
    #[error("this name is reserved")]
    Reserved,
    #[error("this name is profane")]
    Profane,
}

impl AgentName {
    /// Trims and composes `raw` and judges it.
    pub fn parse(raw: &str, profanity: &Profanity) -> Result<Self, NameRefusal> {
        let name = Self(raw.trim().nfc().collect());
        if !(MIN_CHARS..=MAX_CHARS).contains(&name.0.chars().count()) {
            return Err(NameRefusal::Length);
        }
        if let Some(strange) = name.0.chars().find(|&c| !is_allowed(c)) {
            return Err(NameRefusal::Character(strange));
        }
        if name.is_reserved() {
            return Err(NameRefusal::Reserved);
        }
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

    /// The key that is the same for names that differ in case, width or the number of spaces.
    pub fn folded(&self) -> String {
        fold(&self.0)
    }

    /// The key that is the same for names that look alike, whatever their scripts and case.
    pub fn skeleton(&self) -> String {
        look(&self.0)
    }

    /// Whether either key, separators aside, is that of a reserved name.
    fn is_reserved(&self) -> bool {
        let (folded, skeleton) = (joined(&self.folded()), joined(&self.skeleton()));
        RESERVED.iter().any(|&reserved| folded == reserved || skeleton == look(reserved))
    }
}

/// What somebody asks for as a name, as the key of names that differ only in case, width or spaces.
pub fn folded(asked: &str) -> String {
    fold(&asked.trim().nfc().collect::<String>())
}

/// Whether a name may hold this character.
pub(super) fn is_allowed(c: char) -> bool {
    matches!(c, ' ' | '_' | '-' | '.') || !is_invisible(c) && (is_letter(c) || is_digit(c))
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

fn joined(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, ' ' | '_' | '-' | '.')).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::super::profanity::WordList;
    use super::*;

    static PROFANITY: LazyLock<Profanity> = LazyLock::new(|| Profanity::new(&WordList::default()));

    fn parse(raw: &str) -> Result<AgentName, NameRefusal> {
        AgentName::parse(raw, &PROFANITY)
    }

    fn keys(raw: &str) -> (String, String) {
        let name = parse(raw).unwrap();
        (name.folded(), name.skeleton())
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
        for raw in ["PIXELCRAB", "pixelcrab", "ＰｉｘｅｌＣｒａｂ"] {
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
            ("PixelCrab", "Pixel Crab"),
            ("crab_1", "crab_2"),
            ("crab", "crabs"),
            ("José", "Jose"),
            ("cat", "cut"),
        ] {
            let (one, other) = (keys(one), keys(other));
            assert!(one.0 != other.0 && one.1 != other.1);
        }
    }

    #[test]
    fn reserved_names_are_refused_in_every_dress() {
        for raw in RESERVED.into_iter().chain([
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
        ]) {
            assert_eq!(parse(raw), Err(NameRefusal::Reserved), "{raw}");
        }
        for raw in ["sysadmin", "The Admin", "humane", "admin2", "viewers"] {
            assert!(parse(raw).is_ok(), "{raw}");
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
                prop_assert_eq!(name.skeleton(), upper.skeleton());
            }
        }

        #[test]
        fn what_was_parsed_parses_again(raw in any::<String>()) {
            if let Ok(name) = parse(&raw) {
                prop_assert_eq!(parse(name.as_str()), Ok(name));
            }
        }
    }
}
