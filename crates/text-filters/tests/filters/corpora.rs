//! Reads the corpora: one case per line, `#` starts a comment line, a tab separates a name from its value.

use std::path::Path;

/// Returns the lines of a corpus.
pub fn lines(file: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpora").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().filter(|line| !line.starts_with("# ")).map(str::to_owned).collect()
}

/// Returns the names and values of a corpus.
pub fn name_value_pairs(file: &str) -> Vec<(String, String)> {
    let pair = |line: String| line.split_once('\t').map(|(name, value)| (name.to_owned(), value.to_owned()));
    lines(file).into_iter().filter_map(pair).collect()
}
