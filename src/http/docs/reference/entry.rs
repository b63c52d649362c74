//! One address on the page: what it takes, what it gives, how it refuses, and a command to try.

use std::collections::BTreeMap;

use serde_json::Value;

use super::schema::{SchemaField, fields, type_text};
use super::{example, operation};
use crate::http::routes::endpoint::{Route, RouteAccess};

/// A line of the URL table with what the OpenAPI document says of it (`docs/entry.html`).
pub struct RouteEntry<'a> {
    /// The id of its operation, which is its anchor too.
    pub id: &'a str,
    pub verb: &'static str,
    pub path: &'static str,
    /// Who may call it.
    pub caller: &'static str,
    pub summary: &'a str,
    pub description: Option<&'a str>,
    pub parameters: Vec<SchemaField>,
    /// The fields of the request's body.
    pub body: Vec<SchemaField>,
    /// A shell command that calls it.
    pub command: String,
    pub response: Option<SuccessResponse<'a>>,
    /// The codes of each status that it refuses with.
    pub refusals: BTreeMap<u16, Vec<&'static str>>,
}

/// What an address answers when it does not refuse.
pub struct SuccessResponse<'a> {
    pub status: &'a str,
    /// `None` if the answer has no body.
    pub media_type: Option<&'a str>,
    pub fields: Vec<SchemaField>,
    /// JSON with these fields.
    pub example: String,
}

impl<'a> RouteEntry<'a> {
    /// Returns the entry of a line of the URL table.
    pub fn new(document: &'a Value, route: &'static Route, base_url: &str) -> Self {
        let operation = operation(document, route);
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        let mut refusals: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
        for code in &route.codes() {
            refusals.entry(code.info().status).or_default().push(code.info().code);
        }
        Self {
            id: operation["operationId"].as_str().unwrap_or_default(),
            verb: route.verb.name(),
            path: route.path,
            caller: caller(route.access),
            summary: operation["summary"].as_str().unwrap_or_default(),
            description: operation["description"].as_str(),
            parameters: parameters(operation),
            body: fields(document, body),
            command: example::command(document, route, base_url),
            response: success(document, operation),
            refusals,
        }
    }
}

fn caller(right: RouteAccess) -> &'static str {
    match right {
        RouteAccess::Anyone => "for anyone",
        RouteAccess::Agent => "with an agent’s key",
        RouteAccess::Viewer => "with a viewer’s key, or signed in",
        RouteAccess::AgentOrViewer => "with an agent’s key, or a viewer’s",
        RouteAccess::Operator => "with an operator’s key",
    }
}

fn parameters(operation: &Value) -> Vec<SchemaField> {
    let location = |param: &Value| match param["in"].as_str() {
        Some("header") => "header, ",
        Some("path") => "in the path, ",
        _ => "",
    };
    let field = |param: &Value| SchemaField {
        name: param["name"].as_str().unwrap_or_default().to_owned(),
        kind: format!("{}{}", location(param), type_text(&Value::Null, &param["schema"])),
        required: param["required"] == true,
        help: param["description"].as_str().unwrap_or_default().to_owned(),
    };
    operation["parameters"].as_array().into_iter().flatten().map(field).collect()
}

fn success<'a>(document: &'a Value, operation: &'a Value) -> Option<SuccessResponse<'a>> {
    let responses = operation["responses"].as_object()?;
    let (status, response) = responses.iter().find(|(status, _)| status.starts_with('2'))?;
    let content = response["content"].as_object().and_then(|content| content.iter().next());
    let schema = content.map_or(&Value::Null, |(_, content)| &content["schema"]);
    let example = example::from_schema(document, schema, "");
    Some(SuccessResponse {
        status,
        media_type: content.map(|(media_type, _)| media_type.as_str()),
        fields: fields(document, schema),
        example: serde_json::to_string_pretty(&example).unwrap_or_default(),
    })
}
