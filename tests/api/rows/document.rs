//! `docs/SECURITY.md` names every request that changes something, with the rows that it adds.

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{RouteAccess, Verb};

/// The section with the table, and the list of routes that add no row.
const HEADING: &str = "## Rows that free requests add";

fn read_section() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/SECURITY.md");
    let document = std::fs::read_to_string(path).unwrap();
    let (_, section) = document.split_once(HEADING).expect("the section exists");
    section.split("\n## ").next().unwrap().to_owned()
}

/// Returns true if a text names a route, as `METHOD /path` in backticks.
fn names(text: &str, verb: Verb, path: &str) -> bool {
    text.contains(&format!("`{} {path}`", verb.name()))
}

#[test]
fn every_route_that_changes_something_is_in_the_table_or_adds_no_row() {
    let section = read_section();
    let rows: String = section.lines().filter(|line| line.starts_with('|')).collect();
    let others: String = section.lines().filter(|line| !line.starts_with('|')).collect();
    let missing: Vec<String> = ROUTES
        .iter()
        .filter(|route| route.verb != Verb::Get && route.access != RouteAccess::Operator)
        .filter(|route| !names(&rows, route.verb, route.path) && !names(&others, route.verb, route.path))
        .map(|route| format!("{} {}", route.verb.name(), route.path))
        .collect();
    assert!(missing.is_empty(), "neither in the table nor in the list of {HEADING:?}: {missing:#?}");
}

#[test]
fn every_row_says_how_many_and_when_they_are_deleted() {
    let section = read_section();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    assert!(rows.len() > 20, "{}", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert!(cells.len() == 4 && cells.iter().all(|cell| !cell.is_empty()), "{row}");
    }
}

#[test]
fn the_table_names_no_route_that_does_not_exist() {
    for line in read_section().lines() {
        for name in line.split('`').skip(1).step_by(2) {
            let Some((verb, path)) = name.split_once(' ').filter(|(_, path)| path.starts_with('/')) else {
                continue;
            };
            assert!(ROUTES.iter().any(|route| route.verb.name() == verb && route.path == path), "{name}");
        }
    }
}
