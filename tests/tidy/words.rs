//! The texts of the canvas page and the catalogue of their translations agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use platform::refusal::codes::TABLE;
use regex::Regex;

use super::{assert_empty, read_files, root};

const CATALOGUE: &str = "public/words/de.json";
/// The sources that pass texts to templates, with the number of these texts.
const SOURCES: [(&str, usize); 2] =
    [("crates/web/src/pages/canvas.rs", 2), ("crates/web/src/pages/not_found.rs", 8)];
/// The module with the titles of the refusals that people meet.
const REFUSALS: &str = "public/js/shared/refusals.js";
/// The computed texts that modules translate: names of the palette's colours.
const COLOR_NAMES: [&str; 2] = ["name", "color.name"];

fn read_catalogue() -> BTreeMap<String, String> {
    serde_json::from_str(&fs::read_to_string(root().join(CATALOGUE)).unwrap()).unwrap()
}

/// Returns the first argument of a call, from the text behind its parenthesis.
fn first_argument(text: &str) -> &str {
    let (mut depth, mut is_quoted, mut is_escaped) = (0, false, false);
    let end = text.find(|letter: char| {
        if is_escaped {
            is_escaped = false;
            return false;
        }
        match letter {
            '\\' => is_escaped = true,
            '\'' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ',' if depth == 0 => return true,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        false
    });
    &text[..end.unwrap()]
}

/// Returns the texts that the modules of the page translate, and adds to `problems` what is neither a literal
/// nor the name of a colour.
fn texts_of_modules(problems: &mut Vec<String>) -> BTreeSet<String> {
    // Methods and functions of CSS have the same name; three dots spread what the function returns.
    let call = Regex::new(r"(?:\.\.\.|[^.\w`])translate(?:Nodes)?\(").unwrap();
    // One literal, or the two of a condition.
    let literal = Regex::new(r"(?:^|[?:])\s*'((?:[^'\\]|\\.)*)'").unwrap();
    let mut texts = BTreeSet::new();
    for (file, text) in read_files("public/js", &["js"]) {
        if file.ends_with("shared/translate.js") {
            continue;
        }
        for found in call.find_iter(&text) {
            let argument = first_argument(&text[found.end()..]);
            let literals: Vec<_> = literal.captures_iter(argument).map(|found| unescape(&found[1])).collect();
            if literals.is_empty() && !COLOR_NAMES.contains(&argument) {
                problems.push(format!("{file}: {argument} is no literal"));
            }
            texts.extend(literals);
        }
    }
    texts
}

/// Returns the text of a literal in JavaScript or in a template.
fn unescape(literal: &str) -> String {
    literal.replace("\\n", "\n").replace("\\'", "'").replace("\\\"", "\"").replace("\\\\", "\\")
}

/// Returns the texts that templates translate.
fn texts_of_templates() -> BTreeSet<String> {
    let call = Regex::new(r#"language\.translate(?:_with)?\("((?:[^"\\]|\\.)*)""#).unwrap();
    let templates = read_files("templates", &["html"]);
    templates
        .values()
        .flat_map(|text| call.captures_iter(text).map(|found| unescape(&found[1])).collect::<Vec<_>>())
        .collect()
}

/// Returns the texts that a source of the server passes to its template.
fn texts_of_source(path: &str) -> BTreeSet<String> {
    let source = fs::read_to_string(root().join(path)).unwrap();
    let passed = Regex::new(r"language\.translate\(([A-Z]+)\)").unwrap();
    let line_end = Regex::new(r"\\\n\s*").unwrap();
    let value = |name: &str| {
        let (_, rest) = source.split_once(&format!("const {name}: &str = \"")).unwrap();
        line_end.replace_all(rest.split_once("\";").unwrap().0, "").into_owned()
    };
    passed.captures_iter(&source).map(|found| value(&found[1])).collect()
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    let name = Regex::new(r"\{\w+\}").unwrap();
    name.find_iter(text).map(|found| found.as_str()).collect()
}

#[test]
fn catalogue_has_exactly_the_texts_of_the_page() {
    let mut problems = Vec::new();
    let mut used = texts_of_modules(&mut problems);
    used.extend(texts_of_templates());
    assert!(used.len() > 300, "too few texts were found");
    for (source, count) in SOURCES {
        let texts = texts_of_source(source);
        assert_eq!(texts.len(), count, "{source}");
        used.extend(texts);
    }
    used.extend(rules::palette::PALETTE.iter().map(|color| color.name.to_owned()));
    let catalogue = read_catalogue();
    let missing = used.iter().filter(|text| !catalogue.contains_key(*text));
    problems.extend(missing.map(|text| format!("{CATALOGUE} lacks {text:?}")));
    let unused = catalogue.keys().filter(|text| !used.contains(*text));
    problems.extend(unused.map(|text| format!("{CATALOGUE} has {text:?}, which no page shows")));
    assert_empty(problems);
}

#[test]
fn translations_have_the_placeholders_of_their_texts() {
    let differs = |(text, translation): &(&String, &String)| {
        translation.is_empty() || placeholders(text) != placeholders(translation)
    };
    let catalogue = read_catalogue();
    let found = catalogue.iter().filter(differs);
    assert_empty(found.map(|(text, translation)| format!("{text:?}: {translation:?}")).collect());
}

#[test]
fn refusals_of_the_page_have_the_titles_of_their_codes() {
    let module = fs::read_to_string(root().join(REFUSALS)).unwrap();
    let pattern = Regex::new(r"(?m)^  (\w+): translate\('([^']+)'\),$").unwrap();
    let known: BTreeMap<&str, &str> = TABLE.iter().map(|info| (info.code, info.title)).collect();
    let listed: Vec<_> = pattern.captures_iter(&module).collect();
    assert!(listed.len() > 20, "too few titles were found");
    let wrong = listed.iter().filter(|entry| known.get(&entry[1]) != Some(&&entry[2]));
    assert_empty(wrong.map(|entry| format!("{REFUSALS}: {} is not {:?}", &entry[1], &entry[2])).collect());
}

#[test]
fn catalogue_is_sorted() {
    let sorted = serde_json::to_string_pretty(&read_catalogue()).unwrap() + "\n";
    assert!(
        fs::read_to_string(root().join(CATALOGUE)).unwrap() == sorted,
        "sort {CATALOGUE} by its English texts, with an indent of two spaces"
    );
}
