//! Tells words of other languages from disguises made of their letters.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

/// Scripts in which texts are written, and some letters of which look like Latin ones.
const OTHER_SCRIPTS: [Script; 12] = [
    Script::Arabic,
    Script::Armenian,
    Script::Bengali,
    Script::Devanagari,
    Script::Ethiopic,
    Script::Georgian,
    Script::Hangul,
    Script::Hebrew,
    Script::Hiragana,
    Script::Katakana,
    Script::Tamil,
    Script::Thai,
];

/// Letters of Cyrillic alphabets of today. A disguise also needs rarer ones, or Latin ones.
const CYRILLIC: &str = "абвгдежзийклмнопрстуфхцчшщъыьэюяёєїґђћџљњў";
/// Marks of Vietnamese: a dot below, a hook above, a horn.
const VIETNAMESE_MARKS: [char; 3] = ['\u{323}', '\u{309}', '\u{31b}'];

/// Returns true if all letters are of one script, and are such as texts in it have.
pub(super) fn is_in_other_script(word: &str) -> bool {
    if word.is_ascii() {
        return false;
    }
    let letters = || word.chars().filter(|c| c.is_alphabetic());
    let Some(script) = letters().next().map(|c| c.script()) else { return false };
    let is_one_script = letters().all(|c| c.script() == script);
    let mut marks = word.nfd().filter(|c| is_combining_mark(*c));
    is_one_script
        && match script {
            Script::Latin => marks.any(|mark| VIETNAMESE_MARKS.contains(&mark)),
            // Greek words have an accent, disguises have none.
            Script::Greek => marks.next().is_some(),
            Script::Cyrillic => {
                word.to_lowercase().chars().all(|c| !c.is_alphabetic() || CYRILLIC.contains(c))
            }
            script => OTHER_SCRIPTS.contains(&script),
        }
}

/// Returns true for words in alphabets whose letters look like those of each other.
pub(super) fn is_alphabet_of_disguises(word: &str) -> bool {
    word.chars()
        .next()
        .is_some_and(|first| matches!(first.script(), Script::Latin | Script::Greek | Script::Cyrillic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_languages_are_no_disguises() {
        for word in ["сити", "шапка", "φάση", "cụm", "くそ", "कम", "ком"] {
            assert!(is_in_other_script(word), "{word}");
        }
        for word in ["fuck", "fück", "ѕһіт", "υηφ", "fuсk", "千ㄩ匚Ҝ"] {
            assert!(!is_in_other_script(word), "{word}");
        }
    }
}
