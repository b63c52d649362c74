//! Reads the corpora: one case a line, `#` begins a comment line, a tab parts a name from what it names.

use std::path::Path;

/// The lines of a corpus.
pub fn lines(file: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpora").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().filter(|line| !line.starts_with("# ")).map(str::to_owned).collect()
}

/// What the names of a corpus stand for.
pub fn name_value_pairs(file: &str) -> Vec<(String, String)> {
    let pair = |line: String| line.split_once('\t').map(|(name, value)| (name.to_owned(), value.to_owned()));
    lines(file).into_iter().filter_map(pair).collect()
}
