//! The differences that a check has found.

use std::collections::BTreeMap;
use std::fmt;

/// The number of differences of one kind that are listed.
const MAX_LISTED: usize = 20;

/// The differences by kind, and notes.
#[derive(Debug, Default)]
pub struct CheckReport {
    differences: BTreeMap<String, Differences>,
    notes: Vec<String>,
}

/// A row that contradicts the rest of the log.
pub struct RowFault {
    /// The kind of the difference.
    pub kind: String,
    /// The number of the event; of a row without one, its own number.
    pub seq: i64,
    pub id: String,
    /// The fault, as a sentence without its subject.
    pub fault: String,
}

#[derive(Debug, Default)]
struct Differences {
    listed: Vec<String>,
    count: usize,
}

impl CheckReport {
    /// Adds a difference.
    pub fn add_difference(&mut self, kind: &str, sentence: impl FnOnce() -> String) {
        let differences = self.differences.entry(kind.to_owned()).or_default();
        differences.count += 1;
        if differences.listed.len() < MAX_LISTED {
            differences.listed.push(sentence());
        }
    }

    /// Adds a difference if the two numbers are not equal.
    pub fn compare<T: Copy + PartialEq + fmt::Display>(
        &mut self,
        kind: &str,
        label: impl FnOnce() -> String,
        stored: T,
        replayed: T,
    ) {
        if stored != replayed {
            self.add_difference(kind, || format!("{} is {stored}; the log says {replayed}", label()));
        }
    }

    /// Adds a difference for each of these rows.
    pub fn add_row_faults(&mut self, faults: Vec<RowFault>) {
        for RowFault { kind, seq, id, fault } in faults {
            self.add_difference(&kind, || format!("{id}, number {seq}: {fault}"));
        }
    }

    /// Adds a note, which is not a difference.
    pub fn add_note(&mut self, sentence: String) {
        self.notes.push(sentence);
    }

    /// Returns true if there are differences of a kind.
    pub fn has_differences(&self, kind: &str) -> bool {
        self.differences.contains_key(kind)
    }

    /// Returns the number of differences.
    pub fn difference_count(&self) -> usize {
        self.differences.values().map(|differences| differences.count).sum()
    }
}

/// Writes one difference per line, each after its kind, and then the notes.
impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, differences) in &self.differences {
            for sentence in &differences.listed {
                writeln!(f, "{kind}: {sentence}")?;
            }
            let more = differences.count - differences.listed.len();
            if more > 0 {
                writeln!(f, "{kind}: and {more} more")?;
            }
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "note: {note}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_at_most_twenty_differences_of_a_kind() {
        let mut report = CheckReport::default();
        (0..50).for_each(|number| report.compare("pixels", || "it".to_owned(), number, -1));
        report.compare("head", || "it".to_owned(), 1, 1);
        assert_eq!(report.difference_count(), 50);
        let text = report.to_string();
        assert_eq!(text.lines().count(), MAX_LISTED + 1);
        assert!(text.ends_with("pixels: and 30 more\n"), "{text}");
    }
}
