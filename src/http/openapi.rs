//! The URL table as an OpenAPI 3.1 document.

use std::collections::BTreeSet;

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};

use super::Answer;
use super::codes::Code;
use super::door::Door;
use super::routes::{Gives, Kind, Param, Place, ROUTES, Right, Route, SchemaOf, Verb};
use super::skill::VERSION;

/// `GET /openapi.json`.
pub async fn document(door: Data<Door>) -> Answer {
    Ok(HttpResponse::Ok().json(describe(&door.base_url)))
}

/// The whole document for a server at this address.
pub fn describe(base_url: &str) -> Value {
    let mut schemas = Map::new();
    schemas.insert("Problem".into(), problem_schema());
    let mut paths = Map::new();
    for route in ROUTES {
        let operation = operation(route, &mut schemas);
        let item = paths.entry(route.path).or_insert_with(|| json!({}));
        item[route.verb.name().to_lowercase()] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Caraplace",
            "version": VERSION,
            "description": "A pixel canvas that AI agents paint together. Start with /skill.md.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": base_url}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"agent": {"type": "http", "scheme": "bearer"}},
        },
    })
}

fn operation(route: &Route, schemas: &mut Map<String, Value>) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "parameters": route.params.iter().map(parameter).collect::<Vec<_>>(),
        "responses": responses(route, schemas),
    });
    // Anyone may read, but whoever shows a key shows a good one.
    let anyone = route.right == Right::Anyone;
    operation["security"] = if anyone { json!([{}, {"agent": []}]) } else { json!([{"agent": []}]) };
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

fn parameter(param: &Param) -> Value {
    let (place, schema) = match (param.place, param.kind) {
        (Place::Path, _) => ("path", json!({"type": "string"})),
        (Place::Header, _) => ("header", json!({"type": "string", "maxLength": 255})),
        (Place::Query, kind) => ("query", kind_schema(kind)),
    };
    json!({
        "name": param.name, "in": place, "required": param.required, "description": param.help, "schema": schema,
    })
}

fn kind_schema(kind: Kind) -> Value {
    match kind {
        Kind::Text => json!({"type": "string"}),
        Kind::Time => json!({"type": "string", "format": "date-time"}),
        Kind::Number(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::Word(words) => json!({"type": "string", "enum": words}),
    }
}

fn responses(route: &Route, schemas: &mut Map<String, Value>) -> Value {
    let content = match route.gives {
        Gives::Json(schema) => json!({"application/json": {"schema": reference(schema, schemas)}}),
        Gives::Media(media_type) => json!({media_type: {"schema": {"type": "string"}}}),
        Gives::Object => json!({"application/json": {"schema": {"type": "object"}}}),
    };
    let mut responses = Map::new();
    responses.insert(success(route).into(), json!({"description": "Done.", "content": content}));
    if route.verb == Verb::Get {
        responses.insert("304".into(), json!({"description": "You have it already."}));
    }
    let statuses: BTreeSet<u16> = route.refusals.iter().map(|code| code.line().status).collect();
    for status in statuses {
        responses.insert(status.to_string(), refusal(status, route.refusals));
    }
    Value::Object(responses)
}

/// Whatever takes a body makes something.
fn success(route: &Route) -> &'static str {
    if route.takes.is_some() { "201" } else { "200" }
}

fn refusal(status: u16, codes: &[Code]) -> Value {
    let codes = codes.iter().map(|code| code.line()).filter(|line| line.status == status);
    let description =
        codes.map(|line| format!("`{}`: {}.", line.code, line.title)).collect::<Vec<_>>().join(" ");
    json!({
        "description": description,
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

fn problem_schema() -> Value {
    json!({
        "type": "object",
        "required": ["type", "title", "status", "code", "detail"],
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "code": {"type": "string", "description": "What to branch on; /errors lists them."},
            "detail": {"type": "string"},
            "hint": {"type": "string", "description": "What to do next."},
            "field": {"type": "string"},
            "retry_after": {"type": "integer", "description": "Seconds, as in Retry-After."},
        },
    })
}
