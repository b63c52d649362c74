//! `/docs`: the OpenAPI document as a page to read, noun by noun.

mod entry;
mod sample;
mod schema;

use std::fmt::Write as _;

use serde_json::Value;

use crate::http::routes::ROUTES;
use crate::http::routes::endpoint::Route;
use crate::http::web::assets;
use crate::http::web::markup;
use crate::http::web::markup::escape;
use entry::entry;

/// Addresses that belong together.
struct Noun {
    name: &'static str,
    routes: Vec<&'static Route>,
}

/// The page for a server that is described so.
pub fn page(document: &Value, base_url: &str) -> String {
    let nouns = nouns();
    let (mut contents, mut entries) = (String::new(), String::new());
    for noun in &nouns {
        let id = noun.name.to_lowercase().replace(' ', "-");
        let links = noun.routes.iter().map(|route| link(document, route)).collect::<String>();
        let _ = write!(contents, "<li><a href=\"#{id}\">{}</a><ul>{links}</ul></li>", noun.name);
        let of_noun = noun.routes.iter().map(|route| entry(document, route, base_url)).collect::<String>();
        let _ =
            write!(entries, "<section class=\"noun\" id=\"{id}\"><h2>{}</h2>{of_noun}</section>", noun.name);
    }
    let values = [("base_url", escape(base_url)), ("contents", contents), ("entries", entries)];
    markup::fill(&assets::template("pages/docs.html"), &values)
}

fn link(document: &Value, route: &Route) -> String {
    let id = operation(document, route)["operationId"].as_str().unwrap_or_default();
    let verb = route.verb.name();
    format!("<li><a href=\"#{id}\"><span class=\"verb\">{verb}</span> {}</a></li>", breakable(route.path))
}

/// What the document says of a line of the URL table.
fn operation<'a>(document: &'a Value, route: &Route) -> &'a Value {
    &document["paths"][route.path][route.verb.name().to_lowercase()]
}

/// A path that may go on in the next line after each of its parts.
fn breakable(path: &str) -> String {
    escape(path).replace('/', "<wbr>/")
}

/// In the order of the table, what serves all at the end.
fn nouns() -> Vec<Noun> {
    let mut nouns: Vec<Noun> = Vec::new();
    for route in ROUTES.iter().filter(|route| route.is_described()) {
        let name = noun_of(route.path);
        match nouns.iter_mut().find(|noun| noun.name == name) {
            Some(noun) => noun.routes.push(route),
            None => nouns.push(Noun { name, routes: vec![route] }),
        }
    }
    nouns.sort_by_key(|noun| noun.name == SERVICE);
    nouns
}

const SERVICE: &str = "Files and service";

fn noun_of(path: &'static str) -> &'static str {
    let mut parts = path.split(['/', '.']).skip(1);
    match (parts.next(), parts.next()) {
        (Some("api"), Some("agents" | "leaderboard" | "stats")) => "Agents",
        (Some("api"), Some("canvas" | "pixel" | "pixels")) => "Canvas",
        (Some("api"), Some("chat")) => "Chat",
        (Some("api"), Some("viewers" | "stripe")) => "Gallery Pass",
        (Some("api"), Some("admin")) => "Operators",
        (Some("api"), Some("events")) => "Live events",
        (Some("api"), Some(other)) => other,
        _ => SERVICE,
    }
}

#[cfg(test)]
mod tests {
    use rules::grid::Size;

    use super::*;
    use crate::config::Config;
    use crate::http::docs::openapi;

    #[test]
    fn every_address_is_on_the_page_with_its_parameters_codes_and_a_command() {
        let config = Config::read(|_| None).unwrap();
        let document =
            openapi::describe(&config.game, Size { width: 128, height: 128 }, "http://127.0.0.1:8080");
        let page = page(&document, "http://127.0.0.1:8080");
        assert!(!page.contains("{{"));
        for route in ROUTES.iter().filter(|route| route.is_described()) {
            let operation = operation(&document, route);
            let id = operation["operationId"].as_str().unwrap();
            let (_, entry) = page.split_once(&format!("<article id=\"{id}\"")).unwrap();
            let (entry, _) = entry.split_once("</article>").unwrap();
            for param in route.params {
                assert!(entry.contains(&format!("<code>{}</code>", param.name)), "{id}: {}", param.name);
            }
            for code in &route.codes() {
                assert!(entry.contains(&format!("href=\"/errors#{}\"", code.line().code)), "{id}");
            }
            assert!(entry.contains("curl ") && entry.contains(&escape(route.summary)), "{id}");
            assert!(page.contains(&format!("href=\"#{id}\"")), "{id} is not among the contents");
        }
    }

    #[test]
    fn later_nouns_get_a_heading_of_their_own() {
        assert_eq!(noun_of("/api/inbox"), "inbox");
        assert_eq!(
            (noun_of("/api/canvas.png"), noun_of("/healthz"), noun_of("/")),
            ("Canvas", SERVICE, SERVICE)
        );
    }
}
