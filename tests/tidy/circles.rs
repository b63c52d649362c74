//! The files of each crate, among which no two use each other. That an area uses only those beneath it is what
//! its Cargo.toml says.

use std::collections::{BTreeMap, BTreeSet};

use super::module_paths::Modules;
use super::read_files;

/// Returns the modules of each crate.
fn read_crates() -> BTreeMap<String, Modules> {
    let files = read_files("src", &["rs"]);
    let mut by_crate: BTreeMap<&str, Vec<(&String, &String)>> = BTreeMap::new();
    let is_test = |file: &str| file.ends_with("tests.rs") || file.contains("/tests/");
    for (file, text) in files.iter().filter(|(file, _)| !is_test(file)) {
        let package = file.rsplit_once("src/").map_or("", |(package, _)| package);
        by_crate.entry(package).or_default().push((file, text));
    }
    by_crate.into_iter().map(|(package, files)| (package.to_owned(), Modules::read(&files))).collect()
}

/// Returns the modules that a module uses, and those that they use.
fn reachable<'a>(graph: &BTreeMap<&str, BTreeSet<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = graph[from].iter().copied().collect();
    while let Some(module) = open.pop() {
        if found.insert(module) {
            open.extend(&graph[module]);
        }
    }
    found
}

/// Returns the groups of modules that use each other.
fn circles(modules: &Modules) -> BTreeSet<Vec<String>> {
    let graph = modules.graph();
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|module| (*module, reachable(&graph, module))).collect();
    let circles = reached.iter().map(|(module, others)| {
        let circle = others.iter().filter(|other| reached[*other].contains(module));
        circle.map(|other| (*other).to_owned()).collect::<Vec<_>>()
    });
    circles.filter(|circle| circle.len() > 1).collect()
}

#[test]
fn no_files_use_each_other() {
    let crates = read_crates();
    let uses = crates.values().flat_map(|modules| modules.graph().into_values());
    let count: usize = uses.map(|used| used.len()).sum();
    assert!(count > 2_000, "only {count} uses of one file by another were found");
    let circles: Vec<_> = crates.values().flat_map(circles).collect();
    assert!(circles.is_empty(), "{circles:#?}");
}
