//! The documents for those who change the server name files and tests that exist.

use std::fs;

use regex::Regex;

use super::{assert_empty, root};

const DOCUMENTS: [&str; 5] =
    ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/GLOSSARY.md", "docs/SECURITY.md", "docs/OPERATING.md"];
/// The folders from which paths begin, the top of the repository first. Others begin with the name of a crate.
const FOLDERS: [&str; 3] = ["", "src/", "tests/"];

/// Returns the text of the file that a document names.
fn read_named_file(path: &str) -> Option<String> {
    let path = match path.strip_prefix("private-postgres/") {
        Some(test) => format!("crates/private-postgres/tests/postgres/{test}"),
        None => path.to_owned(),
    };
    let of_crate = path.split_once('/').map(|(name, file)| format!("crates/{name}/src/{file}"));
    let paths = FOLDERS.iter().map(|folder| format!("{folder}{path}")).chain(of_crate);
    paths.into_iter().find_map(|path| fs::read_to_string(root().join(path)).ok())
}

#[test]
fn paths_in_documents_exist() {
    let path = Regex::new(r"`([\w.-]+(?:/[\w.-]+)+\.rs)(?:::(?:\w+::)*(\w+))?`").unwrap();
    let (mut count, mut found) = (0, Vec::new());
    for document in DOCUMENTS {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for named in path.captures_iter(&text) {
            count += 1;
            let file = read_named_file(&named[1]);
            let item = named.get(2).map_or("", |item| item.as_str());
            if !file.is_some_and(|file| file.contains(item)) {
                found.push(format!("{document}: {}", &named[0]));
            }
        }
    }
    assert!(count > 300, "only {count} paths were found");
    assert_empty(found);
}
