//! Surnames and places that hold bad words, or are spelled like one.

use super::pieces::is_title_case;

/// The names in lower case. Each of them is also a bad word in other spellings, or sounds like one.
const SURNAMES: [&str; 19] = [
    "bastardo",
    "bell end",
    "bitche",
    "buttholz",
    "cunter",
    "cuntz",
    "dildo newfoundland",
    "kuntz",
    "marica",
    "penner",
    "schitt",
    "schitts",
    "spič",
    "spić",
    "titty hill",
    "titty ho",
    "trottel",
    "špic",
    "špić",
];

/// Returns true for a surname or place that is written as a name.
pub(super) fn is_surname(text: &str) -> bool {
    text.split(' ').all(is_title_case) && SURNAMES.contains(&text.to_lowercase().as_str())
}

/// Returns the name with a space in place of each surname or place.
pub(super) fn without_surnames(name: &str) -> String {
    let mut words: Vec<&str> = name.split([' ', '_', '-', '.']).collect();
    for at in 0..words.len() {
        if at + 1 < words.len() && is_surname(&format!("{} {}", words[at], words[at + 1])) {
            words[at] = "";
            words[at + 1] = "";
        } else if is_surname(words[at]) {
            words[at] = "";
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surnames_are_written_with_capitals() {
        for name in ["Kuntz", "Bell End", "Špic"] {
            assert!(is_surname(name), "{name}");
        }
        for name in ["kuntz", "Bell end", "KUNTZ", "Spic", "Pixel"] {
            assert!(!is_surname(name), "{name}");
        }
        assert_eq!(without_surnames("Maria Kuntz_7"), "Maria  7");
    }
}
