//! One SQL function decides who sees what may be for its author alone.

use std::collections::BTreeSet;

use regex::Regex;

use super::{read_files, without_tests};

/// The migration that defines the function, and the one with the rule that it has replaced.
const DEFINITIONS: [&str; 2] = ["migrations/0041_crew_plans.sql", "migrations/0065_seen_by.sql"];

#[test]
fn only_seen_by_combines_a_shadow_with_its_reader() {
    let column = r"not\s+(?:\w+\.)?shadow";
    let combined = Regex::new(&format!(r"(?i)\b{column}\s+or\b|\bor\s+{column}\b")).unwrap();
    let mut files = read_files("src", &["rs"]);
    files.extend(read_files("migrations", &["sql"]));
    let found = files.iter().filter(|(_, text)| combined.is_match(without_tests(text)));
    let found: BTreeSet<&str> = found.map(|(file, _)| file.as_str()).collect();
    assert_eq!(found, BTreeSet::from(DEFINITIONS), "use the function seen_by");
}
