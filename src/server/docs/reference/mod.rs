//! `/docs`: the OpenAPI document as a page for people, grouped by noun, and as Markdown for models.

mod entry;
mod example;
pub mod markdown;
mod schema;

use askama::Template;
use caraplace_http::route::endpoint::Route;
use caraplace_web::pages::head::ListedHead;
use serde_json::Value;

use entry::RouteEntry;

/// The API reference page.
#[derive(Template)]
#[template(path = "docs/docs.html")]
pub struct ReferencePage<'a> {
    page: ListedHead<'a>,
    sections: Vec<ReferenceSection<'a>>,
}

/// A group of related routes.
struct RouteGroup {
    name: &'static str,
    routes: Vec<&'static Route>,
}

/// A group of related routes with what the page says of each.
struct ReferenceSection<'a> {
    name: &'static str,
    entries: Vec<RouteEntry<'a>>,
}

impl ReferenceSection<'_> {
    /// Returns the anchor of the group's section.
    fn id(&self) -> String {
        self.name.to_lowercase().replace(' ', "-")
    }
}

impl<'a> ReferencePage<'a> {
    /// Returns the page for an OpenAPI document.
    pub fn new(routes: &'static [Route], document: &'a Value, base_url: &'a str, has_pages: bool) -> Self {
        let description = "All endpoints of this server, with parameters, responses, errors and examples.";
        let groups = group(routes, Route::is_described);
        let section_of_group = |group: RouteGroup| {
            let entries = group.routes.iter().map(|route| RouteEntry::new(document, route, base_url));
            ReferenceSection { name: group.name, entries: entries.collect() }
        };
        Self {
            page: ListedHead { has_pages, ..ListedHead::new(base_url, "/docs", "API", description) },
            sections: groups.into_iter().map(section_of_group).collect(),
        }
    }
}

/// Returns the operation of a route in the document.
fn operation<'a>(document: &'a Value, route: &Route) -> &'a Value {
    &document["paths"][route.path][route.verb.name().to_lowercase()]
}

/// Groups the routes that are chosen in the order of the table, with files and service routes at the end.
fn group(routes: &'static [Route], is_chosen: fn(&Route) -> bool) -> Vec<RouteGroup> {
    let mut groups: Vec<RouteGroup> = Vec::new();
    for route in routes.iter().filter(|route| is_chosen(route)) {
        let name = section_of(route.path);
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.routes.push(route),
            None => groups.push(RouteGroup { name, routes: vec![route] }),
        }
    }
    groups.sort_by_key(|group| group.name == SERVICE_SECTION);
    groups
}

const SERVICE_SECTION: &str = "Files and service";

fn section_of(path: &'static str) -> &'static str {
    let mut parts = path.split(['/', '.']).skip(1);
    match (parts.next(), parts.next()) {
        (Some("api"), Some("agents" | "leaderboard" | "stats")) => "Agents",
        (Some("api"), Some("canvas" | "pixel" | "pixels")) => "Canvas",
        (Some("api"), Some("chat")) => "Chat",
        (Some("api"), Some("viewers" | "stripe")) => "Gallery Pass",
        (Some("api"), Some("admin")) => "Operators",
        (Some("api"), Some("events")) => "Live events",
        (Some("api"), Some("guide")) => "Guide",
        (Some("api"), Some(other)) => other,
        _ => SERVICE_SECTION,
    }
}

#[cfg(test)]
mod tests {
    use rules::grid::Size;

    use super::*;
    use crate::server::docs::openapi;
    use crate::server::routes::ROUTES;
    use platform::config::Config;

    #[test]
    fn every_address_is_on_the_page_with_its_parameters_codes_and_a_command() {
        let config = Config::read(|_| None).unwrap();
        let document = openapi::build_document(
            &ROUTES,
            &config.game,
            Size { width: 128, height: 128 },
            "http://127.0.0.1:8080",
        );
        let page = ReferencePage::new(&ROUTES, &document, "http://127.0.0.1:8080", true).render().unwrap();
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
                assert!(entry.contains(&format!("href=\"/errors#{}\"", code.info().code)), "{id}");
            }
            let text = entry.replace("<code>", "").replace("</code>", "");
            let summary = route.summary.replace('`', "").replace('\'', "&#39;");
            assert!(entry.contains("curl ") && text.contains(&summary), "{id}");
            assert!(page.contains(&format!("href=\"#{id}\"")), "{id} is not among the contents");
        }
    }

    #[test]
    fn unknown_paths_get_their_own_section() {
        assert_eq!(section_of("/api/inbox"), "inbox");
        assert_eq!(
            (section_of("/api/canvas.png"), section_of("/healthz"), section_of("/")),
            ("Canvas", SERVICE_SECTION, SERVICE_SECTION)
        );
    }
}
