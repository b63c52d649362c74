//! The log knows no noun above it: its sources name one only where a stored or a public name demands it.

use std::collections::BTreeSet;

use super::{assert_empty, code_lines, read_files_below, root, without_tests};

const LOG_SOURCES: &str = "crates/log/src/";
/// The words of nouns above the log.
const WORDS: [&str; 14] = [
    "message", "chat", "plan", "crew", "reaction", "intent", "viewer", "guide", "webhook", "shadow",
    "folding", "inbox", "gallery", "oauth",
];

/// The files of the log that may use some of these words.
const ALLOWED: [(&str, &[&str]); 9] = [
    // The row of an account has a column for each limit that the writer checks, and the sanctions.
    ("account.rs", &["message", "chat", "reaction", "intent", "viewer"]),
    ("store/accounts.rs", &["message", "chat", "reaction", "intent", "shadow"]),
    // A placement earns a credit for the chat, and may name the plan that it belongs to.
    ("store/write.rs", &["chat", "plan"]),
    ("batch_effects.rs", &["plan"]),
    ("batch_pixels.rs", &["plan"]),
    // Instances of all versions read the same entries of the control log.
    ("control_entry.rs", &["message", "shadow", "folding"]),
    ("store/check.rs", &["shadow"]),
    // The audit log tells operators who has acted.
    ("audit_entry.rs", &["guide"]),
    // These are plans of PostgreSQL.
    ("projector.rs", &["plan"]),
];

#[test]
fn the_log_names_no_noun_above_it() {
    let files = read_files_below(vec![root().join(LOG_SOURCES)], &["rs"]);
    assert!(files.len() > 50, "only {} files were found", files.len());
    let allowed = ALLOWED.iter().flat_map(|(file, words)| words.iter().map(move |word| (*file, *word)));
    let allowed: BTreeSet<(&str, &str)> = allowed.collect();
    let mut unused = allowed.clone();
    let mut found = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| !path.ends_with("/tests.rs")) {
        let file = path.strip_prefix(LOG_SOURCES).unwrap();
        for (number, line) in code_lines(without_tests(text)) {
            let line = line.to_lowercase();
            for word in WORDS.into_iter().filter(|word| line.contains(word)) {
                unused.remove(&(file, word));
                if !allowed.contains(&(file, word)) {
                    found.push(format!("{path}:{number}: {word}"));
                }
            }
        }
    }
    found.extend(unused.iter().map(|(file, word)| format!("{LOG_SOURCES}{file} no longer names {word}")));
    assert_empty(found);
}
