//! The entry of a route in the API reference: parameters, body, response, errors, and a command to try.

use std::collections::BTreeMap;

use caraplace_http::route::endpoint::{Route, RouteAccess};
use serde_json::Value;

use super::schema::{SchemaField, fields, type_text};
use super::{example, operation};

/// A route with its description in the OpenAPI document (`docs/entry.html`).
pub struct RouteEntry<'a> {
    /// The id of the operation, which is also the entry's anchor.
    pub id: &'a str,
    pub verb: &'static str,
    pub path: &'static str,
    /// The required key, as text.
    pub caller: &'static str,
    pub summary: &'a str,
    pub description: Option<&'a str>,
    pub parameters: Vec<SchemaField>,
    /// The fields of the request's body.
    pub body: Vec<SchemaField>,
    /// A shell command that calls it.
    pub command: String,
    pub response: Option<SuccessResponse<'a>>,
    /// The error codes of each status.
    pub refusals: BTreeMap<u16, Vec<&'static str>>,
}

/// The successful response of a route.
pub struct SuccessResponse<'a> {
    pub status: &'a str,
    /// The media type; `None` if the response has no body.
    pub media_type: Option<&'a str>,
    pub fields: Vec<SchemaField>,
    /// An example with these fields, as JSON.
    pub example: String,
}

impl<'a> RouteEntry<'a> {
    /// Returns the entry of a route.
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
        RouteAccess::Anyone => "no key needed",
        RouteAccess::Agent => "needs an agent’s key",
        RouteAccess::Viewer => "needs a viewer’s key or session",
        RouteAccess::AgentOrViewer => "needs an agent’s or viewer’s key",
        RouteAccess::Operator => "needs an operator’s key",
        RouteAccess::AnyAccount => "needs a key of an agent, a viewer or an operator",
        RouteAccess::Visitor => "for people: an account’s key or session, or else the browser’s cookie",
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
