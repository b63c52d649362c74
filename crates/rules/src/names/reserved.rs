//! Reserved words: names that contain one could be mistaken for an operator or the system.

use std::collections::HashSet;

use super::{NameKeys, REMOVED_NAME, is_digit, is_separator};

/// The words that are always reserved.
pub(super) const BUILT_IN_WORDS: [&str; 25] = [
    "system",
    "admin",
    "administrator",
    "moderator",
    "operator",
    "human",
    "viewer",
    "everyone",
    "caraplace",
    "steward",
    "support",
    "official",
    "staff",
    "mod",
    "security",
    "verify",
    "verified",
    "guide",
    "assistant",
    "user",
    "tool",
    "console",
    "moderation",
    "visitor",
    "developer",
];

/// The names that are reserved only as a whole, because they are common within names: `Thank You Bot`.
pub(super) const BUILT_IN_NAMES: [&str; 2] = ["you", REMOVED_NAME];

/// The keys of the reserved words.
#[derive(Clone, Debug)]
pub(super) struct ReservedWords {
    words: KeySet,
    whole_names: KeySet,
}

/// The keys of several words.
#[derive(Clone, Debug)]
struct KeySet {
    folded: HashSet<String>,
    skeletons: HashSet<String>,
}

/// A part of a name between two capitals or separators.
struct Piece {
    keys: NameKeys,
    /// The keys without what is ignored at the end of a word: digits and a plural s.
    stems: Vec<NameKeys>,
}

impl ReservedWords {
    /// Returns the built-in words together with these.
    pub fn new(extra: &[String]) -> Self {
        let words = BUILT_IN_WORDS.into_iter().chain(extra.iter().map(String::as_str));
        Self { words: KeySet::new(words), whole_names: KeySet::new(BUILT_IN_NAMES.into_iter()) }
    }

    /// Returns true if a name without its separators, or any word of it, is reserved. Words end at separators
    /// and capitals. A word with inner capitals is also checked as a whole, so that `CaraPlace Bot` is
    /// refused.
    pub(super) fn occur_in(&self, name: &str) -> bool {
        // One piece, because the digits at the end may be on both sides of a separator: `ad min 1 2`.
        let joined: Vec<char> = name.chars().filter(|c| !is_separator(*c)).collect();
        let has_reserved_word =
            |part: &[Piece]| (0..part.len()).any(|start| self.starts_with_reserved_word(&part[start..]));
        let whole = new_piece(&joined);
        self.words.has(&[&whole])
            || self.whole_names.has(&[&whole])
            || name.split(is_separator).any(|part| has_reserved_word(&split_pieces(part)))
    }

    /// Returns true if a reserved word starts at the first of these pieces.
    fn starts_with_reserved_word(&self, pieces: &[Piece]) -> bool {
        let pieces: Vec<&Piece> = pieces.iter().collect();
        (1..=pieces.len()).any(|end| self.words.has(&pieces[..end]))
    }
}

impl KeySet {
    fn new<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let keys: Vec<NameKeys> =
            words.map(NameKeys::from_name).filter(|keys| !keys.folded.is_empty()).collect();
        Self {
            folded: keys.iter().map(|keys| keys.folded.clone()).collect(),
            skeletons: keys.into_iter().map(|keys| keys.skeleton).collect(),
        }
    }

    /// Returns true if these pieces together are one of the words.
    fn has(&self, pieces: &[&Piece]) -> bool {
        let Some((last, before)) = pieces.split_last() else { return false };
        let folded: String = before.iter().map(|piece| piece.keys.folded.as_str()).collect();
        let skeleton: String = before.iter().map(|piece| piece.keys.skeleton.as_str()).collect();
        std::iter::once(&last.keys).chain(&last.stems).any(|end| {
            self.folded.contains(&format!("{folded}{}", end.folded))
                || self.skeletons.contains(&format!("{skeleton}{}", end.skeleton))
        })
    }
}

/// Splits a part of a name without separators into pieces.
fn split_pieces(part: &str) -> Vec<Piece> {
    let characters: Vec<char> = part.chars().collect();
    let mut pieces = Vec::new();
    let mut start = 0;
    for end in 1..=characters.len() {
        if end == characters.len() || is_boundary(&characters, end) {
            pieces.push(new_piece(&characters[start..end]));
            start = end;
        }
    }
    pieces
}

fn new_piece(characters: &[char]) -> Piece {
    let text: String = characters.iter().collect();
    let without_digits = text.trim_end_matches(is_digit);
    let singular = without_digits
        .strip_suffix(|c: char| NameKeys::from_name(c.encode_utf8(&mut [0; 4])).skeleton == "s");
    let stems = [Some(without_digits), singular, singular.map(|text| text.trim_end_matches(is_digit))];
    let stems = stems.into_iter().flatten().filter(|stem| *stem != text).map(NameKeys::from_name).collect();
    Piece { keys: NameKeys::from_name(&text), stems }
}

/// Returns true if a word may start at this index: at the first of several capitals, at the last of them if
/// small letters follow (`HTTPAdmin`), and after several (`ADMINbot`).
fn is_boundary(characters: &[char], index: usize) -> bool {
    let is_upper = |index: usize| characters.get(index).is_some_and(|c| c.is_uppercase());
    let is_lower = |index: usize| characters.get(index).is_some_and(|c| c.is_lowercase());
    let before = is_upper(index - 1);
    let current = is_upper(index);
    match (before, current) {
        (false, true) => true,
        (true, true) => is_lower(index + 1),
        (true, false) => is_lower(index) && index >= 2 && is_upper(index - 2),
        (false, false) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_reserved(name: &str) -> bool {
        ReservedWords::new(&["zorg".to_owned(), "Night Watch".to_owned(), " ".to_owned()]).occur_in(name)
    }

    #[test]
    fn a_reserved_word_is_found_at_separators_and_capitals() {
        for name in BUILT_IN_WORDS.into_iter().chain([
            "Admin1",
            "Moderators",
            "CaraplaceOperator",
            "The Admin",
            "sys.admin",
            "night-moderator-7",
            "HTTPAdmin",
            "ADMINbot",
            "xXAdminXx",
            "THE_STAFF",
            "CaraPlace Bot",
            "MyCaraPlaceBot",
            "AdMiN",
            "Mods99",
            "Admin1s",
            "s y s t e m",
            "Verified Crab",
            "ad min 1 2",
            "ad mins 1",
            "mode_rators_7",
            "ad.min-2.0",
            "Visitor 12",
            "visitor-3",
            "The Guide",
            "PixelGuide",
            "Power User",
            "dev_console",
            "You",
            "Y o u",
            "you2",
            "ΥOU",
            "Removed Agent",
            "removed_agents",
            "RemovedAgent 7",
        ]) {
            assert!(is_reserved(name), "{name}");
        }
    }

    #[test]
    fn look_alikes_are_reserved_too() {
        for name in [
            "Аdmin",
            "Аdmín",
            "adm1n",
            "ADMlN",
            "rnoderator bot",
            "Hurnan",
            "οfficiаl",
            "Officia1",
            "Ádmin",
            "modѕ",
        ] {
            assert!(is_reserved(name), "{name}");
        }
    }

    #[test]
    fn a_reserved_word_inside_another_word_is_allowed() {
        for name in [
            "Ecosystem",
            "Badminton",
            "Moderately Blue",
            "sysadmin",
            "Modern",
            "humane",
            "Modem 7",
            "Mo Der",
            "Reviewer",
            "Thank You Bot",
            "YouAndMe",
            "Young Crab",
            "Toolbox",
            "Guidepost",
            "Username",
            "Consoled",
            "Removed Ink",
            "Agent Removed",
        ] {
            assert!(!is_reserved(name), "{name}");
        }
    }

    #[test]
    fn operators_can_add_reserved_words() {
        for name in ["Zorg", "zorgs", "Zorg2", "The Zorg", "NightWatch", "night watch", "NightWatch9"] {
            assert!(is_reserved(name), "{name}");
        }
        for name in ["Zorgon", "Night Watcher", "The Night Watch Man"] {
            assert!(!is_reserved(name), "{name}");
        }
    }

    #[test]
    fn the_longest_name_has_few_pieces() {
        let name = "aB".repeat(16);
        assert_eq!(split_pieces(&name).len(), 17);
        assert!(!is_reserved(&name));
    }
}
