//! The rules of the house that a scan can check.
#![allow(clippy::unwrap_used, reason = "a test that cannot look must fail")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const LONGEST_FILE: usize = 400;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders of the root package and of each crate.
fn packages() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    crates.chain([root().to_owned()]).collect()
}

/// Every file with one of these endings below this folder of any package, with its text.
fn files(folder: &str, endings: &[&str]) -> BTreeMap<String, String> {
    let folders = packages().into_iter().map(|package| package.join(folder)).collect();
    let found = files_below(folders, endings);
    assert!(!found.is_empty(), "no file was found to check");
    found
}

fn files_below(mut folders: Vec<PathBuf>, endings: &[&str]) -> BTreeMap<String, String> {
    folders.retain(|folder| folder.is_dir());
    let mut found = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let named = |path: &PathBuf| path.strip_prefix(root()).unwrap().display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if endings.iter().any(|ending| path.extension().is_some_and(|it| it == *ending)) {
                found.insert(named(&path), fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// The part of a source file that is shipped: tests stand at its end.
fn shipped(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap()
}

/// Lines of code, without comments.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Whether a file belongs to a program that runs beside the server.
fn is_binary(file: &str) -> bool {
    file.starts_with("crates/swarm/")
}

/// Insists that nothing was found.
#[track_caller]
#[allow(clippy::needless_pass_by_value, reason = "every caller is done with its list")]
fn none(found: Vec<String>) {
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Places whose code holds one of these words, but for files that `allowed` names.
fn places(words: &[&str], allowed: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (file, text) in files("src", &["rs"]).iter().filter(|(file, _)| !allowed(file)) {
        for (number, line) in code(shipped(text)) {
            let hit = words.iter().find(|word| line.contains(**word));
            found.extend(hit.map(|word| format!("{file}:{number}: {word}")));
        }
    }
    found
}

#[test]
fn imports_follow_the_layers() {
    let storeys: &[(&str, &[&str])] = &[
        (
            "src/live",
            &["crate::log", "crate::agents", "crate::canvas", "crate::chat", "crate::http", "crate::app"],
        ),
        (
            "src/log",
            &["crate::agents", "crate::canvas", "crate::chat", "crate::past", "crate::http", "crate::app"],
        ),
        (
            "src/canvas",
            &[
                "crate::agents",
                "crate::chat",
                "crate::past",
                "crate::inbox",
                "crate::home",
                "crate::http",
                "crate::app",
            ],
        ),
        ("src/chat", &["crate::canvas", "crate::inbox", "crate::home", "crate::http", "crate::app"]),
        (
            "src/past",
            &["crate::agents", "crate::chat", "crate::inbox", "crate::home", "crate::http", "crate::app"],
        ),
        ("src/agents", &["crate::chat", "crate::inbox", "crate::home", "crate::http", "crate::app"]),
        ("src/inbox", &["crate::home", "crate::http", "crate::app"]),
        ("src/home", &["crate::http", "crate::app"]),
    ];
    for (folder, upward) in storeys {
        none(places(upward, |file| !file.starts_with(&format!("{folder}/"))));
    }
}

#[test]
fn sql_stands_only_in_stores_and_is_checked_by_the_compiler() {
    let store = |file: &str| file.ends_with("/store.rs") || file.contains("/store/");
    none(places(&["query!", "query_as!", "query_scalar!"], store));
    let unchecked =
        ["sqlx::query(", "sqlx::query_as(", "sqlx::query_as::<", "sqlx::query_scalar(", "raw_sql"];
    none(places(&unchecked, |_| false));
}

#[test]
fn only_http_uses_actix() {
    let outside = |file: &str| file.starts_with("src/http/") || file == "src/main.rs" || is_binary(file);
    none(places(&["actix_web", "StatusCode", "HttpResponse"], outside));
}

#[test]
fn time_and_randomness_come_from_the_clock() {
    let words = ["Utc::now()", "std::time::Instant::now()", "SystemTime::now()", "new_v4", "getrandom::"];
    let own = |file: &str| {
        file == "src/clock.rs" || is_binary(file) || file.starts_with("crates/private-postgres/")
    };
    none(places(&words, own));
}

#[test]
fn no_leftover_code_or_markers() {
    let words = ["todo!(", "unimplemented!(", "dbg!(", "FIXME", "XXX", "#[ignore", "allow(dead_code)"];
    none(places(&words, |_| false));
    let mut old = Vec::new();
    for (file, text) in files("src", &["rs"]) {
        let commented = text.lines().filter(|line| {
            let line = line.trim();
            line.starts_with("// ") && (line.ends_with(';') || line.ends_with('{')) && !line.ends_with(".;")
        });
        old.extend(commented.map(|line| format!("{file}: {line}")));
    }
    none(old);
}

#[test]
fn every_module_starts_with_a_doc_comment() {
    let opens = |text: &str| text.lines().next().is_some_and(|line| line.starts_with("//! "));
    let rust = ["src", "tests", "benches", "crates"].into_iter().flat_map(|folder| files(folder, &["rs"]));
    none(rust.filter(|(_, text)| !opens(text)).map(|(file, _)| file).collect());
    let modules = files("public/js", &["js"]).into_iter();
    let commented = |text: &str| text.starts_with("//") || text.starts_with("/*");
    none(modules.filter(|(_, text)| !commented(text)).map(|(file, _)| file).collect());
}

#[test]
fn public_items_are_documented() {
    let item = |line: &str| {
        let kinds = ["fn ", "async fn ", "const ", "static ", "struct ", "enum ", "trait ", "type "];
        line.trim_start()
            .strip_prefix("pub ")
            .is_some_and(|rest| kinds.iter().any(|kind| rest.starts_with(kind)))
    };
    let mut bare = Vec::new();
    // A binary has no public items, whatever its modules call them.
    for (file, text) in files("src", &["rs"]).into_iter().filter(|(file, _)| !is_binary(file)) {
        let lines: Vec<&str> = shipped(&text).lines().collect();
        for (number, _) in lines.iter().enumerate().filter(|(_, line)| item(line)) {
            let mut above = lines[..number].iter().rev().map(|line| line.trim());
            let documented = above.find(|line| !line.starts_with("#[") && !line.ends_with(")]"));
            if !documented.is_some_and(|line| line.starts_with("///")) {
                bare.push(format!("{file}:{}: {}", number + 1, lines[number].trim()));
            }
        }
    }
    none(bare);
}

#[test]
fn files_are_within_the_line_limit() {
    let mut long = Vec::new();
    let all = [
        ("src", "rs"),
        ("crates", "rs"),
        ("tests", "rs"),
        ("benches", "rs"),
        ("public", "js"),
        ("public", "css"),
    ];
    for (file, text) in all.iter().flat_map(|(folder, ending)| files(folder, &[ending])) {
        let lines = text.lines().count();
        if lines > LONGEST_FILE {
            long.push(format!("{file}: {lines} lines"));
        }
    }
    none(long);
}

#[test]
fn every_dependency_is_used() {
    none(packages().iter().flat_map(|package| unused_dependencies(package)).collect());
}

#[test]
fn every_workspace_dependency_is_used() {
    let manifests = files("crates", &["toml"]).into_values().collect::<String>();
    let root = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let users = format!("{root}{manifests}");
    let is_used = |name: &str| {
        users.contains(&format!("\n{name}.workspace")) || users.contains(&format!("\n{name} = {{ workspace"))
    };
    let (_, declared) = root.split_once("[workspace.dependencies]\n").unwrap();
    let names =
        declared.lines().take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once(" = "));
    none(names.map(|(name, _)| name.to_owned()).filter(|name| !is_used(name)).collect());
}

/// The dependencies of a package that none of its own files names.
fn unused_dependencies(package: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    let folders = ["src", "tests", "benches"].map(|folder| package.join(folder)).to_vec();
    let sources: String = files_below(folders, &["rs"]).into_values().collect();
    let mut unused = Vec::new();
    let mut in_dependencies = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = matches!(line, "[dependencies]" | "[dev-dependencies]");
        } else if let (true, Some((name, _))) = (in_dependencies, line.split_once(" = ")) {
            let name = name.trim_end_matches(".workspace");
            let module = name.replace('-', "_");
            let used = [format!("{module}::"), format!("use {module};"), format!("{module}! ")];
            if !used.iter().any(|mention| sources.contains(mention.as_str())) {
                unused.push(format!("{}: {name}", package.display()));
            }
        }
    }
    unused
}

#[test]
fn page_has_no_inline_code_and_no_external_host() {
    let mut found = Vec::new();
    for (file, text) in files("public", &["html", "js", "css"]) {
        let words = [
            "style=\"",
            "<style",
            "onclick=",
            "onload=",
            "innerHTML",
            "insertAdjacentHTML",
            "document.write",
        ];
        found.extend(words.iter().filter(|word| text.contains(**word)).map(|word| format!("{file}: {word}")));
        let elsewhere = text.matches("https://").count() + text.matches("http://").count();
        let namespaces = text.matches("http://www.w3.org/").count();
        if elsewhere > namespaces {
            found.push(format!("{file}: names another host"));
        }
    }
    none(found);
}
