//! Rules of this repository that a scan of the sources can check.
#![allow(clippy::unwrap_used, reason = "a failed assumption must fail the test")]

#[path = "tidy/audience.rs"]
mod audience;
#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/module_paths.rs"]
mod module_paths;
#[path = "tidy/nouns.rs"]
mod nouns;
#[path = "tidy/ops.rs"]
mod ops;
#[path = "tidy/paths.rs"]
mod paths;
#[path = "tidy/services.rs"]
mod services;
#[path = "tidy/words.rs"]
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

const MAX_FILE_LINES: usize = 400;
const MAX_MODULE_LINES: usize = 250;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the folders of the root package and of each crate.
fn packages() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    crates.chain([root().to_owned()]).collect()
}

/// Returns every file with one of these extensions below this folder of any package, with its text.
fn read_files(folder: &str, endings: &[&str]) -> BTreeMap<String, String> {
    let folders = packages().into_iter().map(|package| package.join(folder)).collect();
    let found = read_files_below(folders, endings);
    assert!(!found.is_empty(), "no file was found to check");
    found
}

fn read_files_below(mut folders: Vec<PathBuf>, endings: &[&str]) -> BTreeMap<String, String> {
    folders.retain(|folder| folder.is_dir());
    let mut found = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let relative_path = |path: &PathBuf| path.strip_prefix(root()).unwrap().display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if endings.iter().any(|ending| path.extension().is_some_and(|it| it == *ending)) {
                found.insert(relative_path(&path), fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// Returns the part of a source file before its tests, which stand at its end.
fn without_tests(text: &str) -> &str {
    static TESTS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^#\[cfg\(test\)\]\n(?:#\[.*\]\n)*mod \w+ \{").unwrap());
    TESTS.find(text).map_or(text, |tests| &text[..tests.start()])
}

/// Returns the numbered lines of code, without comments.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Returns true if a file belongs to the server, and not to a library that knows nothing of it.
fn is_of_server(file: &str) -> bool {
    let libraries = ["rules", "text-filters", "private-postgres", "https-client"];
    !is_separate_program(file) && !libraries.iter().any(|name| file.starts_with(&format!("crates/{name}/")))
}

/// Returns true if a file belongs to a program other than the server.
fn is_separate_program(file: &str) -> bool {
    file.starts_with("crates/swarm/") || file.starts_with("crates/stand-in-model/")
}

/// Fails with the findings if there are any.
#[track_caller]
#[allow(clippy::needless_pass_by_value, reason = "callers do not use the list afterwards")]
fn assert_empty(found: Vec<String>) {
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Returns the lines of code that contain one of these words, outside of files that `allowed` accepts.
fn find_words(patterns: &[&str], allowed: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (file, text) in read_files("src", &["rs"]).iter().filter(|(file, _)| !allowed(file)) {
        for (number, line) in code_lines(without_tests(text)) {
            let found_word = patterns.iter().find(|word| line.contains(**word));
            found.extend(found_word.map(|word| format!("{file}:{number}: {word}")));
        }
    }
    found
}

#[test]
fn sql_stands_only_in_stores_and_is_checked_by_the_compiler() {
    let is_store = |file: &str| file.ends_with("/store.rs") || file.contains("/store/");
    assert_empty(find_words(&["query!", "query_as!", "query_scalar!"], is_store));
    let unchecked_queries =
        ["sqlx::query(", "sqlx::query_as(", "sqlx::query_as::<", "sqlx::query_scalar(", "raw_sql"];
    assert_empty(find_words(&unchecked_queries, |_| false));
}

#[test]
fn only_http_uses_actix() {
    let is_allowed = |file: &str| {
        let folders = ["crates/http/", "crates/web/", "src/server/", "src/main.rs"];
        folders.iter().any(|folder| file.starts_with(folder)) || is_separate_program(file)
    };
    assert_empty(find_words(&["actix_web", "StatusCode", "HttpResponse"], is_allowed));
}

#[test]
fn time_and_randomness_come_from_the_clock() {
    let patterns = ["Utc::now()", "std::time::Instant::now()", "SystemTime::now()", "new_v4", "getrandom::"];
    let is_allowed = |file: &str| {
        file == "crates/platform/src/clock.rs"
            || is_separate_program(file)
            || file.starts_with("crates/private-postgres/")
    };
    assert_empty(find_words(&patterns, is_allowed));
}

/// Filters must not take an id for a secret, so they know every form.
#[test]
fn every_generated_id_has_a_form_that_filters_know() {
    // These never leave the server: names of instances in the probe of writes, and keys against repetition at
    // Stripe and in the outbox of webhooks.
    let internal = ["instance", "once", "test"];
    // The generator of request ids has a test of its own.
    let mut generated = vec!["req".to_owned()];
    let call = Regex::new(r#"(?x) new_id\(" ([a-z]+) "\) | \bID_PREFIX:\x20&str\x20=\x20" ([a-z]+) " | ' ([a-z]+) _'\x20\|\|\x20replace\(gen_random_uuid"#).unwrap();
    let mut files = read_files("src", &["rs"]);
    files.extend(read_files("migrations", &["sql"]));
    for text in files.iter().filter(|(file, _)| !is_separate_program(file)).map(|(_, text)| text) {
        let prefixes = call
            .captures_iter(without_tests(text))
            .map(|found| found.iter().skip(1).flatten().next().unwrap().as_str().to_owned());
        generated.extend(prefixes.filter(|prefix| !internal.contains(&prefix.as_str())));
    }
    generated.sort_unstable();
    generated.dedup();
    let mut known = text_filters::ids::ID_FORMS.map(|form| form.prefix.to_owned()).to_vec();
    known.sort_unstable();
    assert_eq!(generated, known, "list the forms of ids in crates/text-filters/src/ids.rs");
}

#[test]
fn no_leftover_code_or_markers() {
    let patterns = ["todo!(", "unimplemented!(", "dbg!(", "FIXME", "XXX", "#[ignore", "allow(dead_code)"];
    assert_empty(find_words(&patterns, |_| false));
    let mut commented_out = Vec::new();
    for (file, text) in read_files("src", &["rs"]) {
        let commented = text.lines().filter(|line| {
            let line = line.trim();
            line.starts_with("// ") && (line.ends_with(';') || line.ends_with('{')) && !line.ends_with(".;")
        });
        commented_out.extend(commented.map(|line| format!("{file}: {line}")));
    }
    assert_empty(commented_out);
}

#[test]
fn every_module_starts_with_a_doc_comment() {
    let has_module_doc = |text: &str| text.lines().next().is_some_and(|line| line.starts_with("//! "));
    let rust =
        ["src", "tests", "benches", "crates"].into_iter().flat_map(|folder| read_files(folder, &["rs"]));
    assert_empty(rust.filter(|(_, text)| !has_module_doc(text)).map(|(file, _)| file).collect());
    let modules = read_files("public/js", &["js"]).into_iter();
    let starts_with_comment = |text: &str| text.starts_with("//") || text.starts_with("/*");
    assert_empty(modules.filter(|(_, text)| !starts_with_comment(text)).map(|(file, _)| file).collect());
}

#[test]
fn public_items_are_documented() {
    let is_public_item = |line: &str| {
        let kinds = ["fn ", "async fn ", "const ", "static ", "struct ", "enum ", "trait ", "type "];
        line.trim_start()
            .strip_prefix("pub ")
            .is_some_and(|rest| kinds.iter().any(|kind| rest.starts_with(kind)))
    };
    let mut undocumented = Vec::new();
    // A binary has no public items, even if its modules declare some.
    for (file, text) in read_files("src", &["rs"]).into_iter().filter(|(file, _)| !is_separate_program(file))
    {
        let lines: Vec<&str> = without_tests(&text).lines().collect();
        for (number, _) in lines.iter().enumerate().filter(|(_, line)| is_public_item(line)) {
            let mut above = lines[..number].iter().rev().map(|line| line.trim());
            // An attribute may have several lines.
            let mut is_inside = false;
            let documented = above.find(|line| {
                is_inside = !line.starts_with("#[") && (is_inside || line.ends_with(")]"));
                !line.starts_with("#[") && !is_inside
            });
            if !documented.is_some_and(|line| line.starts_with("///")) {
                undocumented.push(format!("{file}:{}: {}", number + 1, lines[number].trim()));
            }
        }
    }
    assert_empty(undocumented);
}

#[test]
fn public_type_names_of_the_server_are_unique() {
    let definition = Regex::new(r"^\s*pub(?:\([a-z: ]+\))? (?:struct|enum|trait|type|union) (\w+)").unwrap();
    let mut files_by_name = BTreeMap::<String, Vec<String>>::new();
    for (file, text) in read_files("src", &["rs"]).into_iter().filter(|(file, _)| is_of_server(file)) {
        let names =
            without_tests(&text).lines().filter_map(|line| Some(definition.captures(line)?[1].to_owned()));
        names.for_each(|name| files_by_name.entry(name).or_default().push(file.clone()));
    }
    assert!(files_by_name.len() > 100, "too few types were found");
    let is_repeated = |(_, files): &(String, Vec<String>)| files.len() > 1;
    let repeated = files_by_name.into_iter().filter(is_repeated);
    assert_empty(repeated.map(|(name, files)| format!("{name}: {}", files.join(", "))).collect());
}

#[test]
fn doc_comments_open_with_a_noun_or_verb() {
    let opening =
        Regex::new(r"//[/!] (Who|Whom|Whose|Whoever|What|Whatever|Nobody|None where|None when|Nothing)\b")
            .unwrap();
    let mut found = Vec::new();
    for (file, text) in ["src", "tests", "benches"].into_iter().flat_map(|folder| read_files(folder, &["rs"]))
    {
        let lines = text.lines().filter(|line| opening.is_match(line));
        found.extend(lines.map(|line| format!("{file}: {}", line.trim())));
    }
    assert_empty(found);
}

#[test]
fn scheduled_test_modules_exist() {
    let schedule = fs::read_to_string(root().join(".config/nextest.toml")).unwrap();
    let group = Regex::new(r"\^\(?([a-z_|]+)\)?::").unwrap();
    let modules: Vec<String> = group
        .captures_iter(&schedule)
        .flat_map(|found| found[1].split('|').map(str::to_owned).collect::<Vec<_>>())
        .collect();
    assert!(modules.len() > 3, "too few modules were found");
    let files = read_files("tests", &["rs"]);
    let exists = |module: &String| files.keys().any(|file| file.ends_with(&format!("/{module}.rs")));
    assert_empty(modules.into_iter().filter(|module| !exists(module)).collect());
}

#[test]
fn files_are_within_the_line_limit() {
    let mut too_long = Vec::new();
    let all = [
        ("src", "rs", MAX_FILE_LINES),
        ("crates", "rs", MAX_FILE_LINES),
        ("tests", "rs", MAX_FILE_LINES),
        ("benches", "rs", MAX_FILE_LINES),
        ("public", "js", MAX_MODULE_LINES),
        ("public", "css", MAX_FILE_LINES),
    ];
    for (folder, ending, max_lines) in all {
        for (file, text) in read_files(folder, &[ending]) {
            let lines = text.lines().count();
            if lines > max_lines {
                too_long.push(format!("{file}: {lines} lines"));
            }
        }
    }
    assert_empty(too_long);
}

/// The areas, lowest first. Cargo refuses circles of crates, but not an order other than that of
/// ARCHITECTURE.md.
const AREAS: [&str; 12] = [
    "platform",
    "live",
    "log",
    "messages",
    "accounts",
    "canvas",
    "talk",
    "moderation",
    "news",
    "companion",
    "http",
    "web",
];

#[test]
fn areas_use_only_those_beneath_them_and_start_fast() {
    let root_manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let declared = Regex::new(r"(?m)^caraplace-(\w+) = ").unwrap();
    let areas = declared.captures_iter(&root_manifest).map(|area| area[1].to_owned());
    let mut found: Vec<String> = areas.filter(|area| !AREAS.contains(&area.as_str())).collect();
    for (place, area) in AREAS.iter().enumerate() {
        let manifest = fs::read_to_string(root().join(format!("crates/{area}/Cargo.toml"))).unwrap();
        let uses = |other: &&&str| {
            [".", " "].iter().any(|end| manifest.contains(&format!("\ncaraplace-{other}{end}")))
        };
        found.extend(AREAS[place..].iter().filter(uses).map(|other| format!("{area} uses {other}")));
        // Only what `make run` needs optimised is.
        let optimisation = format!("[profile.quick.package.caraplace-{area}]");
        if *area != "platform" && !root_manifest.contains(&optimisation) {
            found.push(format!("Cargo.toml: {optimisation} is missing"));
        }
    }
    assert_empty(found);
}

#[test]
fn every_dependency_is_used() {
    assert_empty(packages().iter().flat_map(|package| unused_dependencies(package)).collect());
}

#[test]
fn every_workspace_dependency_is_used() {
    let manifests = read_files("crates", &["toml"]).into_values().collect::<String>();
    let root = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let users = format!("{root}{manifests}");
    let is_used = |name: &str| {
        users.contains(&format!("\n{name}.workspace")) || users.contains(&format!("\n{name} = {{ workspace"))
    };
    let (_, declared) = root.split_once("[workspace.dependencies]\n").unwrap();
    let names =
        declared.lines().take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once(" = "));
    assert_empty(names.map(|(name, _)| name.to_owned()).filter(|name| !is_used(name)).collect());
}

/// Returns the dependencies of a package that none of its own files uses, and those that only tests use but
/// that are not named as such.
fn unused_dependencies(package: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    let folders = ["src", "tests", "benches"].map(|folder| package.join(folder)).to_vec();
    let files = read_files_below(folders, &["rs"]);
    let all: String = files.values().map(String::as_str).collect();
    let is_program = |file: &&String| file.contains("src/") && !file.contains("/tests");
    let program: String =
        files.iter().filter(|(file, _)| is_program(file)).map(|(_, text)| without_tests(text)).collect();
    let mut unused = Vec::new();
    let mut in_dependencies = false;
    let mut sources = &all;
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = matches!(line, "[dependencies]" | "[dev-dependencies]");
            sources = if line == "[dependencies]" { &program } else { &all };
        } else if let (true, Some((name, _))) = (in_dependencies, line.split_once(" = ")) {
            let name = name.trim_end_matches(".workspace");
            let module = name.replace('-', "_");
            let used = Regex::new(&format!(r"\b{module}(::|! )|use {module};")).unwrap();
            if !used.is_match(sources) {
                unused.push(format!("{}: {name}", package.display()));
            }
        }
    }
    unused
}

#[test]
fn page_has_no_inline_code_and_no_external_host() {
    let mut found = Vec::new();
    for (file, text) in read_files("public", &["html", "js", "css"]) {
        let patterns = [
            "style=\"",
            "<style",
            "onclick=",
            "onload=",
            "innerHTML",
            "insertAdjacentHTML",
            "document.write",
        ];
        found.extend(
            patterns.iter().filter(|word| text.contains(**word)).map(|word| format!("{file}: {word}")),
        );
        let absolute_urls = text.matches("https://").count() + text.matches("http://").count();
        let namespaces = text.matches("http://www.w3.org/").count();
        if absolute_urls > namespaces {
            found.push(format!("{file}: refers to another host"));
        }
    }
    assert_empty(found);
}
