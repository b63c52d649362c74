//! The server lists each service that a source asks for. One that is missing is otherwise found when a request
//! needs it.

use std::collections::BTreeSet;
use std::fs;

use regex::Regex;

use super::{assert_empty, code_lines, read_files, root, without_tests};

/// The file with the list.
const LIST: &str = "src/server/nouns.rs";
/// The file with the function that asks for the service of any type.
const GENERIC: &str = "crates/log/src/state.rs";

/// Returns the services that the server lists.
fn read_list() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(LIST)).unwrap();
    let (_, list) = text.split_once("fn new_services() -> Vec<Service> {").unwrap();
    let (list, _) = list.split_once("\n}\n").unwrap();
    let entry = Regex::new(r"Box::<([\w<>, ]+)>::default\(\)").unwrap();
    entry.captures_iter(list).map(|found| found[1].to_owned()).collect()
}

#[test]
fn services_that_sources_ask_for_are_listed() {
    let call = Regex::new(r"(?:\.service|\bservices\.get)(?:::<([\w<>, ]+)>)?\(\)").unwrap();
    let (mut asked_for, mut unnamed) = (BTreeSet::new(), Vec::new());
    for (file, text) in read_files("src", &["rs"]).iter().filter(|(file, _)| *file != GENERIC) {
        for (number, line) in code_lines(without_tests(text)) {
            for found in call.captures_iter(line) {
                match found.get(1) {
                    Some(service) => asked_for.extend([service.as_str().to_owned()]),
                    None => unnamed.push(format!("{file}:{number}: name the type of the service")),
                }
            }
        }
    }
    assert_empty(unnamed);
    assert!(asked_for.len() > 4, "only {} services were found", asked_for.len());
    assert_eq!(asked_for, read_list(), "the services that sources ask for, and those in {LIST}");
}
