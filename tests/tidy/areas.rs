//! The areas of the server and their order, computed from the paths in its sources: an area uses only those beneath it, and
//! few files use each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::{assert_empty, read_files, without_tests};

/// The areas, lowest first: the folders of `src/`. The lowest of all is a crate, for which the compiler keeps the order.
const AREAS: [&str; 8] = ["log", "accounts", "canvas", "talk", "moderation", "news", "companion", "server"];

/// The number of circles among files. It may only fall, and is lowered then.
const CIRCLES: usize = 1;
/// The number of files in the largest circle. It may only fall, too.
const LARGEST_CIRCLE: usize = 5;

static LITERALS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r##"(?s)//[^\n]*|r#".*?"#|r?"(?:\\.|[^"\\])*""##).unwrap());
static IMPORTS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\buse\s+([^;]+);").unwrap());
static USES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b(?:crate|super|self)(?:::\w+)+").unwrap());

/// Returns the paths into its own crate that a source names, from the crate's root. `module` is the path of the source.
fn paths_of(module: &[&str], text: &str) -> BTreeSet<Vec<String>> {
    let text = LITERALS.replace_all(without_tests(text), "");
    let mut paths = Vec::new();
    for import in IMPORTS.captures_iter(&text) {
        expand(&import[1], "", &mut paths);
    }
    let rest = IMPORTS.replace_all(&text, "");
    paths.extend(USES.find_iter(&rest).map(|path| path.as_str().to_owned()));
    paths.iter().filter_map(|path| resolve(module, path)).collect()
}

/// Adds the paths of a tree of imports.
fn expand(tree: &str, prefix: &str, paths: &mut Vec<String>) {
    let Some((start, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree).trim();
        return paths.push(format!("{prefix}{path}"));
    };
    let inner = rest.trim_end().strip_suffix('}').unwrap_or(rest);
    let prefix = format!("{prefix}{}", start.trim());
    let mut depth = 0;
    let branches = inner.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    for branch in branches.map(str::trim).filter(|branch| !branch.is_empty()) {
        match branch {
            "self" => paths.push(prefix.trim_end_matches("::").to_owned()),
            _ => expand(branch, &prefix, paths),
        }
    }
}

/// Returns a path from the crate's root. `None` for a path into another crate.
fn resolve(module: &[&str], path: &str) -> Option<Vec<String>> {
    let mut here = module.to_vec();
    let mut parts = path.split("::").map(str::trim).peekable();
    match *parts.peek()? {
        "crate" => {
            here.clear();
            parts.next();
        }
        "self" | "super" => {
            while let Some(part) = parts.next_if(|part| matches!(*part, "self" | "super")) {
                if part == "super" {
                    here.pop();
                }
            }
        }
        _ => return None,
    }
    Some(here.into_iter().chain(parts).map(str::to_owned).collect())
}

/// Returns the path of the module in a file below a crate's `src`.
fn module_of(file: &str) -> Vec<&str> {
    let path = file.rsplit_once("src/").map_or(file, |(_, path)| path).trim_end_matches(".rs");
    let mut parts: Vec<_> = path.split('/').collect();
    if matches!(parts.last(), Some(&("mod" | "lib" | "main"))) {
        parts.pop();
    }
    parts
}

fn is_test(file: &str) -> bool {
    file.ends_with("tests.rs") || file.contains("/tests/")
}

/// Returns the place of an area in the order.
fn find_area(name: &str) -> Option<usize> {
    AREAS.iter().position(|area| *area == name)
}

#[test]
fn areas_use_only_those_beneath_them() {
    let mut found = Vec::new();
    for (file, text) in read_files("src", &["rs"]) {
        let module = module_of(&file);
        let (true, false, Some(name)) = (file.starts_with("src/"), is_test(&file), module.first()) else {
            continue;
        };
        let Some(area) = find_area(name) else {
            found.push(format!("{file} is in none of the areas"));
            continue;
        };
        let paths = paths_of(&module, &text);
        let above = paths.iter().filter(|path| path.first().and_then(|other| find_area(other)) > Some(area));
        found.extend(above.map(|path| format!("{file} uses {}", path.join("::"))));
    }
    assert_empty(found);
}

/// The files of a crate by the paths of their modules, and for each the modules that it uses.
fn module_graph(files: &[(&String, &String)]) -> BTreeMap<String, BTreeSet<String>> {
    let names: BTreeSet<String> = files.iter().map(|(file, _)| module_of(file).join("::")).collect();
    let uses_of = |file: &str, text: &str| {
        let name = module_of(file).join("::");
        let target = |path: Vec<String>| {
            let prefixes = (1..=path.len()).rev().map(|length| path[..length].join("::"));
            prefixes.into_iter().find(|prefix| names.contains(prefix))
        };
        let targets = paths_of(&module_of(file), text).into_iter().filter_map(target);
        // A module may use what stands in its parents.
        let is_other = |target: &String| *target != name && !name.starts_with(&format!("{target}::"));
        (name.clone(), targets.filter(is_other).collect())
    };
    files.iter().map(|(file, text)| uses_of(file, text)).collect()
}

/// Returns the modules that a module uses, and those that they use.
fn reachable<'a>(graph: &'a BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = graph[from].iter().map(String::as_str).collect();
    while let Some(module) = open.pop() {
        if found.insert(module) {
            open.extend(graph.get(module).into_iter().flatten().map(String::as_str));
        }
    }
    found
}

/// Returns the groups of modules that use each other.
fn circles(graph: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|module| (module.as_str(), reachable(graph, module))).collect();
    let circles = reached.iter().map(|(module, others)| {
        let circle = others.iter().copied().filter(|other| reached[other].contains(module));
        circle.collect::<Vec<_>>()
    });
    circles.filter(|circle| circle.len() > 1).collect()
}

#[test]
fn few_files_use_each_other() {
    let files = read_files("src", &["rs"]);
    let mut by_crate: BTreeMap<&str, Vec<(&String, &String)>> = BTreeMap::new();
    for (file, text) in files.iter().filter(|(file, _)| !is_test(file)) {
        by_crate
            .entry(file.rsplit_once("src/").map_or("", |(folder, _)| folder))
            .or_default()
            .push((file, text));
    }
    let graphs: Vec<_> = by_crate.values().map(|files| module_graph(files)).collect();
    let circles: Vec<_> = graphs.iter().flat_map(circles).collect();
    let largest = circles.iter().map(Vec::len).max().unwrap_or(0);
    assert_eq!((circles.len(), largest), (CIRCLES, LARGEST_CIRCLE), "{circles:#?}");
}
