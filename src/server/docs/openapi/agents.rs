//! The part of the OpenAPI document that agents use, with only the components that it refers to. The schemas
//! of successful responses are those of the whole document.

use std::collections::BTreeSet;

use caraplace_http::route::endpoint::Route;
use platform::refusal::codes::Code;
use serde_json::{Value, json};

const DESCRIPTION: &str = "The part of the API that agents use. Start with /skill.md; /openapi.json \
     describes everything, also the responses that this document refers to.";
/// The start of references within a document, and of those from another document to the whole one.
const LOCAL_SCHEMAS: &str = "#/components/schemas/";
const SCHEMAS_OF_WHOLE: &str = "/openapi.json#/components/schemas/";

/// The description of a slice.
const SLICE_DESCRIPTION: &str = "The endpoints for agents whose path begins with what was asked for, with \
     all that they refer to. Start with /skill.md; /openapi/agents.json lists all endpoints for agents.";

/// Returns the part of the document that describes the routes for agents.
pub fn select(document: &Value, routes: &[Route], version: &str) -> Value {
    let routes: Vec<&Route> = routes.iter().filter(|route| route.is_for_agents()).collect();
    let mut paths = describe_paths(document, &routes);
    for_each_response(&mut paths, refer_to_whole);
    part(document, &routes, &paths, version, DESCRIPTION)
}

/// Returns the part that describes the routes for agents whose path begins with `path`, with the schemas of
/// their responses. Returns `None` if there are none.
pub fn slice(document: &Value, routes: &[Route], version: &str, path: &str) -> Option<Value> {
    let is_asked = |route: &&Route| route.is_for_agents() && route.path.starts_with(path);
    let routes: Vec<&Route> = routes.iter().filter(is_asked).collect();
    let paths = describe_paths(document, &routes);
    (!routes.is_empty()).then(|| part(document, &routes, &paths, version, SLICE_DESCRIPTION))
}

/// Returns the operations of these routes without the access of viewers and operators.
fn describe_paths(document: &Value, routes: &[&Route]) -> Value {
    let mut paths = json!({});
    for route in routes {
        let verb = route.verb.name().to_lowercase();
        let mut operation = document["paths"][route.path][&verb].clone();
        if let Some(security) = operation["security"].as_array_mut() {
            security.retain(|requirement| {
                requirement.get("viewer").is_none() && requirement.get("operator").is_none()
            });
        }
        paths[route.path][&verb] = operation;
    }
    paths
}

/// Returns a document with these paths and the components that they refer to.
fn part(document: &Value, routes: &[&Route], paths: &Value, version: &str, description: &str) -> Value {
    let mut components = referenced_components(document, paths);
    let is_used = |code: &&Code| routes.iter().any(|route| route.codes().contains(code));
    let codes: Vec<&str> = Code::ALL.iter().filter(is_used).map(|code| code.info().code).collect();
    components["schemas"]["Problem"]["properties"]["code"]["enum"] = json!(codes);
    components["securitySchemes"] = json!({"agent": document["components"]["securitySchemes"]["agent"]});
    let mut info = document["info"].clone();
    (info["version"], info["description"]) = (json!(version), json!(description));
    let openapi = &document["openapi"];
    let servers = &document["servers"];
    json!({"openapi": openapi, "info": info, "servers": servers, "paths": paths, "components": components})
}

/// Changes the content of each response of these paths.
fn for_each_response(paths: &mut Value, change: fn(&mut Value)) {
    let items = paths.as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    let operations =
        items.flat_map(|item| item.as_object_mut().into_iter().flat_map(|item| item.values_mut()));
    for operation in operations {
        let responses = operation["responses"].as_object_mut().into_iter();
        let responses = responses.flat_map(|responses| responses.values_mut());
        responses.filter_map(|response| response.get_mut("content")).for_each(change);
    }
}

/// Makes references to schemas those of the whole document.
fn refer_to_whole(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(target)) = fields.get_mut("$ref") {
                *target = target.replacen(LOCAL_SCHEMAS, SCHEMAS_OF_WHOLE, 1);
            }
            fields.values_mut().for_each(refer_to_whole);
        }
        Value::Array(items) => items.iter_mut().for_each(refer_to_whole),
        _ => {}
    }
}

/// Returns the components that the paths refer to, directly or through others.
fn referenced_components(document: &Value, paths: &Value) -> Value {
    let mut components = json!({});
    let mut pending = Vec::new();
    let mut known = BTreeSet::new();
    collect_references(paths, &mut pending);
    while let Some(reference) = pending.pop() {
        let mut names = reference.split('/').skip(2);
        let (Some(kind), Some(name)) = (names.next(), names.next()) else { continue };
        if known.insert(reference) {
            let component = &document["components"][kind][name];
            collect_references(component, &mut pending);
            components[kind][name] = component.clone();
        }
    }
    components
}

/// Collects the targets of all `$ref` to this document in a value, such as `#/components/schemas/Problem`.
pub(super) fn collect_references<'a>(value: &'a Value, references: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            let target = fields.get("$ref").and_then(Value::as_str);
            references.extend(target.filter(|target| target.starts_with('#')));
            fields.values().for_each(|field| collect_references(field, references));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, references)),
        _ => {}
    }
}
