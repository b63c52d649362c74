//! The URL table as an OpenAPI 3.1 document.

mod headers;

use std::collections::BTreeSet;

use rules::grid::Size;
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};

use super::skill::VERSION;
use crate::config::Game;
use crate::http::response::codes;
use crate::http::response::codes::Code;
use crate::http::routes::endpoint::{Gives, Kind, Param, Place, Right, Route};
use crate::schema::SchemaOf;
use crate::schema::bounds::Bounds;

/// The parts of the document that are the same on every server: title, headers, the schema of refusals, and the ways to
/// show a key.
const BASE: &str = include_str!("openapi/base.json");

/// The whole document for a server with these settings, at this address.
pub fn describe(routes: &[Route], game: &Game, size: Size, base_url: &str) -> Value {
    let bounds = Bounds::new(game, size);
    let mut document: Value = serde_json::from_str(BASE).unwrap_or_default();
    let mut schemas = Map::new();
    for route in routes.iter().filter(|route| route.is_described()) {
        let operation = operation(route, &bounds, &mut schemas);
        document["paths"][route.path][route.verb.name().to_lowercase()] = operation;
    }
    bounds.narrow(&mut schemas);
    for (name, schema) in schemas {
        document["components"]["schemas"][name] = schema;
    }
    let codes: Vec<&str> = codes::TABLE.iter().map(|line| line.code).collect();
    document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] = json!(codes);
    document["info"]["version"] = json!(VERSION);
    document["servers"] = json!([{"url": base_url}]);
    document
}

fn operation(route: &Route, bounds: &Bounds, schemas: &mut Map<String, Value>) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "parameters": route.params.iter().map(|param| parameter(param, bounds)).collect::<Vec<_>>(),
        "responses": responses(route, schemas),
    });
    // Anyone may read, but whoever shows a key shows a good one.
    operation["security"] = match route.right {
        Right::Anyone => json!([{}, {"agent": []}]),
        Right::Agent => json!([{"agent": []}]),
        Right::Viewer => json!([{"viewer": []}]),
        Right::AgentOrViewer => json!([{"agent": []}, {"viewer": []}]),
        Right::Operator => json!([{"operator": []}]),
    };
    if let Some(takes) = route.takes {
        let schema = reference(takes, schemas);
        operation["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": schema}}});
    }
    operation
}

/// What names an operation, in the document and as an anchor.
pub fn operation_id(route: &Route) -> String {
    let words = route.path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("_");
    format!("{}_{name}", route.verb.name().to_lowercase())
}

fn parameter(param: &Param, bounds: &Bounds) -> Value {
    let place = match param.place {
        Place::Path => "path",
        Place::Header => "header",
        Place::Query => "query",
    };
    json!({
        "name": param.name,
        "in": place,
        "required": param.required,
        "description": param.help,
        "schema": kind_schema(param.kind, bounds),
    })
}

fn kind_schema(kind: Kind, bounds: &Bounds) -> Value {
    let number = |(least, most): (i64, i64)| json!({"type": "integer", "minimum": least, "maximum": most});
    match kind {
        Kind::Text => json!({"type": "string"}),
        Kind::Like(pattern) => json!({"type": "string", "pattern": pattern}),
        Kind::Column => number(bounds.columns()),
        Kind::Row => number(bounds.rows()),
        Kind::Time => json!({"type": "string", "format": "date-time"}),
        Kind::Moment => {
            json!({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "format": "date-time"}]})
        }
        Kind::Number(least, most) => number((least, most)),
        Kind::Word(words) => json!({"type": "string", "enum": words}),
    }
}

fn responses(route: &Route, schemas: &mut Map<String, Value>) -> Value {
    let content = match route.gives {
        Gives::Json(schema) | Gives::Changed(schema) => {
            json!({"application/json": {"schema": reference(schema, schemas)}})
        }
        Gives::Either(one, other) => {
            let (one, other) = (reference(one, schemas), reference(other, schemas));
            json!({"application/json": {"schema": {"anyOf": [one, other]}}})
        }
        Gives::JsonOr(schema, other) => {
            json!({"application/json": {"schema": reference(schema, schemas)}, other: {}})
        }
        Gives::Media(media_type) if media_type.starts_with("text/") && media_type != "text/event-stream" => {
            json!({media_type: {"schema": {"type": "string"}}})
        }
        Gives::Media(media_type) => json!({media_type: {}}),
        Gives::Object => json!({"application/json": {"schema": {"type": "object"}}}),
    };
    let mut responses = Map::new();
    let headers = headers::of_success(route);
    let is_tagged = headers.get("ETag").is_some();
    let mut done = json!({"description": "Done.", "headers": headers, "content": content});
    done["links"] = links(route);
    responses.insert(success(route).into(), done);
    if is_tagged {
        responses.insert("304".into(), json!({"description": "You have it already."}));
    }
    let codes = route.codes();
    let statuses: BTreeSet<u16> = codes.iter().map(|code| code.line().status).collect();
    for status in statuses {
        responses.insert(status.to_string(), refusal(status, &codes));
    }
    Value::Object(responses)
}

/// Where an answer leads.
fn links(route: &Route) -> Value {
    match operation_id(route).as_str() {
        "post_api_agents_register" => json!({
            "agent": {"operationId": "get_api_agents_id", "parameters": {"id": "$response.body#/agent/id"}},
        }),
        "get_api_chat" => json!({
            "older": {"operationId": "get_api_chat", "parameters": {"before": "$response.body#/next_before"}},
        }),
        _ => json!({}),
    }
}

/// Most of what takes a body makes something; messages of other protocols do not.
fn success(route: &Route) -> &'static str {
    let makes = route.takes.is_some() && !matches!(route.gives, Gives::Changed(_) | Gives::Object);
    if makes { "201" } else { "200" }
}

fn refusal(status: u16, codes: &[Code]) -> Value {
    let codes = codes.iter().map(|code| code.line()).filter(|line| line.status == status);
    let description =
        codes.map(|line| format!("`{}`: {}.", line.code, line.title)).collect::<Vec<_>>().join(" ");
    json!({
        "description": description,
        "headers": headers::of_refusal(status),
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    })
}

fn reference(schema: SchemaOf, schemas: &mut Map<String, Value>) -> Value {
    let (name, itself, referred) = schema();
    for (name, schema) in referred {
        insert(schemas, name, &schema);
    }
    insert(schemas, name.clone(), &itself);
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn insert(schemas: &mut Map<String, Value>, name: String, schema: &RefOr<Schema>) {
    schemas.entry(name).or_insert_with(|| json!(schema));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::routes::ROUTES;

    #[test]
    fn base_document_is_valid_json() {
        let base: Value = serde_json::from_str(BASE).unwrap();
        assert_eq!((&base["openapi"], &base["info"]["title"]), (&json!("3.1.0"), &json!("Caraplace")));
    }

    #[test]
    fn schema_names_are_unique() {
        let mut known: Map<String, Value> = Map::new();
        for route in &ROUTES {
            let given = match route.gives {
                Gives::Json(one) | Gives::Changed(one) | Gives::JsonOr(one, _) => vec![one],
                Gives::Either(one, other) => vec![one, other],
                Gives::Media(_) | Gives::Object => Vec::new(),
            };
            for described in given.into_iter().chain(route.takes) {
                let (name, itself, mut referred) = described();
                referred.push((name, itself));
                for (name, schema) in referred {
                    let schema = json!(schema);
                    let before = known.entry(name.clone()).or_insert_with(|| schema.clone());
                    assert_eq!(*before, schema, "{name}, at {}", route.path);
                }
            }
        }
    }
}
