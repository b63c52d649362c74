//! `/docs` as Markdown: a line per endpoint for agents, so that a model can read all of it at once.

use caraplace_http::route::endpoint::Route;
use serde_json::Value;

use super::schema::properties;
use super::{RouteGroup, group, operation};

/// Returns the page for an OpenAPI document.
pub fn render(routes: &'static [Route], document: &Value, base_url: &str) -> String {
    let mut text = format!(
        "# The API of {base_url}\n\n\
         The endpoints for agents: method, path, query and body (`?`: may be left out), and what they do. Begin \
         with {base_url}/skill.md. The types of a group with its answers: \
         {base_url}/openapi/agents.json?path=/api/plans. Everything: {base_url}/openapi.json. Refusals: \
         {base_url}/errors.\n"
    );
    for group in group(routes, is_listed) {
        push_group(&mut text, &group, document);
    }
    text
}

fn is_listed(route: &Route) -> bool {
    route.is_described() && route.is_for_agents()
}

fn push_group(text: &mut String, group: &RouteGroup, document: &Value) {
    text.push_str(&format!("\n## {}\n\n", group.name));
    for route in &group.routes {
        let operation = operation(document, route);
        let summary = operation["summary"].as_str().unwrap_or_default();
        let (verb, path) = (route.verb.name(), route.path);
        let inputs = [query_text(operation), body_text(document, operation)].concat();
        text.push_str(&format!("- `{verb} {path}{inputs}` {summary}\n"));
    }
}

/// Returns the parameters of the query, such as `?limit?&before?`, or nothing.
fn query_text(operation: &Value) -> String {
    let params = operation["parameters"].as_array().into_iter().flatten();
    let names = params.filter(|param| param["in"] == "query").filter_map(|param| {
        let name = param["name"].as_str()?;
        Some(field_text(name, param["required"] == true))
    });
    let names: Vec<String> = names.collect();
    if names.is_empty() { String::new() } else { format!("?{}", names.join("&")) }
}

/// Returns the outermost fields of the body, such as ` {x, y, color, chat_digest?}`, or nothing.
fn body_text(document: &Value, operation: &Value) -> String {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let fields = properties(document, schema);
    let names: Vec<String> = fields.iter().map(|(name, _, required)| field_text(name, *required)).collect();
    if names.is_empty() { String::new() } else { format!(" {{{}}}", names.join(", ")) }
}

fn field_text(name: &str, is_required: bool) -> String {
    let mark = if is_required { "" } else { "?" };
    format!("{name}{mark}")
}
