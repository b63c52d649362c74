//! The route table as an OpenAPI 3.1 document.

pub mod agents;
mod compact;
mod headers;

use platform::config::GameSettings;
use platform::refusal::codes::{Code, TABLE};
use platform::schema::DescribeFn;
use platform::schema::bounds::FieldBounds;
use rules::grid::Size;
use rules::operators::OperatorScope;
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};

use self::compact::SharedParts;

pub use self::compact::compact;
use super::skill::VERSION;
use caraplace_http::response::attention;
use caraplace_http::route::endpoint::{
    Param, ParamKind, ParamLocation, Route, RouteAccess, RouteResponse, RouteScope, Verb,
};
use caraplace_http::route::operator_need::OperatorNeed;

/// The parts of the document that are the same on every server: title, headers, the schema of errors, and the
/// security schemes.
const BASE: &str = include_str!("openapi/base.json");

/// Returns the document for a server with these settings and this public URL.
pub fn build_document(routes: &[Route], game: &GameSettings, size: Size, base_url: &str) -> Value {
    let bounds = FieldBounds::new(game, size);
    let mut document: Value = serde_json::from_str(BASE).unwrap_or_default();
    let mut schemas = Map::new();
    let mut refusals = SharedParts::new("responses", "Refused");
    for route in routes.iter().filter(|route| route.is_described()) {
        let operation = operation(route, &bounds, &mut schemas, &mut refusals);
        document["paths"][route.path][route.verb.name().to_lowercase()] = operation;
    }
    bounds.narrow(&mut schemas);
    document["components"]["responses"] = refusals.into_components();
    for (name, schema) in schemas {
        document["components"]["schemas"][name] = schema;
    }
    let codes: Vec<&str> = TABLE.iter().map(|line| line.code).collect();
    document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] = json!(codes);
    document["info"]["version"] = json!(VERSION);
    document["servers"] = json!([{"url": base_url}]);
    document
}

fn operation(
    route: &Route,
    bounds: &FieldBounds,
    schemas: &mut Map<String, Value>,
    refusals: &mut SharedParts,
) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "parameters": route.params.iter().map(|param| parameter(param, bounds)).collect::<Vec<_>>(),
        "responses": responses(route, schemas, refusals),
    });
    operation["security"] = security(route);
    if let Some(takes) = route.body {
        let schema = schema_reference(takes, schemas);
        operation["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": schema}}});
        if let Some(media_type) = route.media_body {
            operation["requestBody"]["content"][media_type] = media(media_type);
        }
    }
    operation
}

/// Returns the keys that a route accepts, with the scope that an agent's extra key or an operator's key
/// needs.
fn security(route: &Route) -> Value {
    let scopes = match route.scope {
        RouteScope::Needs(scope) if route.is_for_agents() => vec![scope.name()],
        _ => Vec::new(),
    };
    match route.access {
        // Public routes need no key, but if one is sent, it must be valid.
        RouteAccess::Anyone => json!([{}, {"agent": scopes}]),
        RouteAccess::Agent => json!([{"agent": scopes}]),
        RouteAccess::Viewer => json!([{"viewer": []}]),
        RouteAccess::AgentOrViewer => json!([{"agent": scopes}, {"viewer": []}]),
        RouteAccess::Operator => json!([{"operator": operator_scopes(route)}]),
        RouteAccess::AnyAccount => {
            json!([{"agent": scopes}, {"viewer": []}, {"operator": operator_scopes(route)}])
        }
        RouteAccess::Visitor => {
            json!([{}, {"visitor": []}, {"viewer": []}, {"operator": operator_scopes(route)}])
        }
    }
}

/// Returns the scope that an operator's key needs. A session in place of a key needs none for the operator's
/// own account.
fn operator_scopes(route: &Route) -> [&'static str; 1] {
    let scope = match route.operator_need() {
        OperatorNeed::Scope(scope) => scope,
        OperatorNeed::OwnAccount => OperatorScope::Own,
    };
    [scope.name()]
}

/// Returns the id of an operation, which is also its anchor in the API reference.
pub fn operation_id(route: &Route) -> String {
    let words = route.path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("_");
    format!("{}_{name}", route.verb.name().to_lowercase())
}

fn parameter(param: &Param, bounds: &FieldBounds) -> Value {
    let location = match param.location {
        ParamLocation::Path => "path",
        ParamLocation::Header => "header",
        ParamLocation::Query => "query",
    };
    json!({
        "name": param.name,
        "in": location,
        "required": param.required,
        "description": param.description(),
        "schema": param_schema(param.kind, bounds),
    })
}

fn param_schema(kind: ParamKind, bounds: &FieldBounds) -> Value {
    let number = |(min, max): (i64, i64)| json!({"type": "integer", "minimum": min, "maximum": max});
    match kind {
        ParamKind::Text => json!({"type": "string"}),
        ParamKind::Pattern(pattern) => json!({"type": "string", "pattern": pattern}),
        ParamKind::Column => number(bounds.columns()),
        ParamKind::Row => number(bounds.rows()),
        ParamKind::PointInTime => {
            json!({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "format": "date-time"}]})
        }
        ParamKind::Time => json!({"type": "string", "format": "date-time"}),
        ParamKind::Number(min, max) => number((min, max)),
        ParamKind::OneOf(words) => json!({"type": "string", "enum": words}),
    }
}

/// Returns the description of a body that is not JSON. Generators of clients leave out what has no schema.
fn media(media_type: &str) -> Value {
    let schema = match media_type {
        // The schema of such a body would be that of each event.
        "text/event-stream" => json!({}),
        text if text.starts_with("text/") => json!({"type": "string"}),
        json if json.ends_with("json") => json!({"type": "object"}),
        _ => json!({"type": "string", "format": "binary"}),
    };
    json!({"schema": schema})
}

fn responses(route: &Route, schemas: &mut Map<String, Value>, refusals: &mut SharedParts) -> Value {
    let content = match route.response {
        RouteResponse::Json(schema)
        | RouteResponse::JsonUpdated(schema)
        | RouteResponse::JsonAccepted(schema)
        | RouteResponse::JsonMaybeCreated(schema, _) => {
            json!({"application/json": {"schema": schema_reference(schema, schemas)}})
        }
        RouteResponse::Either(first, second) => {
            let first = schema_reference(first, schemas);
            let second = schema_reference(second, schemas);
            json!({"application/json": {"schema": {"anyOf": [first, second]}}})
        }
        RouteResponse::JsonOrMedia(schema, media_type) => {
            let schema = schema_reference(schema, schemas);
            json!({"application/json": {"schema": schema}, media_type: media(media_type)})
        }
        RouteResponse::Media(media_type) => json!({media_type: media(media_type)}),
        RouteResponse::Object => json!({"application/json": {"schema": {"type": "object"}}}),
    };
    let content = with_attention(route, content, schemas);
    let mut responses = Map::new();
    let headers = headers::for_success(route);
    let is_tagged = headers.get("ETag").is_some();
    let mut success = json!({"description": "OK.", "content": content});
    let parts = [("headers", headers), ("links", links(route))];
    for (name, part) in
        parts.into_iter().filter(|(_, part)| part.as_object().is_some_and(|part| !part.is_empty()))
    {
        success[name] = part;
    }
    if let RouteResponse::JsonMaybeCreated(first, dry_run) = route.response {
        let mut unchanged = success.clone();
        unchanged["description"] = json!("OK: there was nothing to create, or it was a dry run.");
        let first = schema_reference(first, schemas);
        let dry_run = schema_reference(dry_run, schemas);
        let content = json!({"application/json": {"schema": {"anyOf": [first, dry_run]}}});
        unchanged["content"] = with_attention(route, content, schemas);
        responses.insert("200".into(), unchanged);
    }
    responses.insert(success_status(route).into(), success);
    if is_tagged {
        responses.insert("304".into(), json!({"description": "Not modified."}));
    }
    responses.insert("default".into(), refusals.reference(&refusal(route)));
    Value::Object(responses)
}

/// Adds the fields that say what waits for the agent to the JSON of a route that tells them.
fn with_attention(route: &Route, mut content: Value, schemas: &mut Map<String, Value>) -> Value {
    if route.tells_attention() && content["application/json"]["schema"].is_object() {
        let added = schema_reference(attention::added_type(route.path), schemas);
        let own = content["application/json"]["schema"].take();
        content["application/json"]["schema"] = json!({"allOf": [own, added]});
    }
    content
}

/// Returns the links from a response to other operations.
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

/// Returns the status of a success: 201 for routes that take a body and create something, 202 for those that
/// accept something to be done later, else 200.
fn success_status(route: &Route) -> &'static str {
    if matches!(route.response, RouteResponse::JsonAccepted(_)) {
        return "202";
    }
    let creates = route.body.is_some()
        && route.verb == Verb::Post
        && !matches!(route.response, RouteResponse::JsonUpdated(_) | RouteResponse::Object);
    if creates { "201" } else { "200" }
}

/// The codes that almost every operation may answer with. The document names them once.
const COMMON_CODES: [Code; 7] = [
    Code::UnknownParameter,
    Code::KeyInvalid,
    Code::ScopeMissing,
    Code::TooManyRequests,
    Code::InternalError,
    Code::DatabaseUnavailable,
    Code::Overloaded,
];

/// The codes that almost every operation with a body may answer with. The document names them once, too.
const BODY_CODES: [Code; 6] = [
    Code::MalformedJson,
    Code::UnknownField,
    Code::MissingField,
    Code::InvalidField,
    Code::TooLarge,
    Code::UnsupportedMediaType,
];

/// Returns the description of every other response: a refusal with one of the route's codes or a common one,
/// each of which has one status.
fn refusal(route: &Route) -> Value {
    let is_common =
        |code: &Code| COMMON_CODES.contains(code) || (route.body.is_some() && BODY_CODES.contains(code));
    let codes = route.codes();
    let own = codes.iter().filter(|code| !is_common(code));
    let names: Vec<String> = own.map(|code| format!("`{}`", code.info().code)).collect();
    let description =
        if names.is_empty() { "Refused.".to_owned() } else { format!("Refused: {}.", names.join(", ")) };
    json!({
        "description": description,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    })
}

fn schema_reference(schema: DescribeFn, schemas: &mut Map<String, Value>) -> Value {
    let (name, own_schema, referenced) = schema();
    for (name, schema) in referenced {
        insert_schema(schemas, name, &schema);
    }
    insert_schema(schemas, name.clone(), &own_schema);
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn insert_schema(schemas: &mut Map<String, Value>, name: String, schema: &RefOr<Schema>) {
    schemas.entry(name).or_insert_with(|| json!(schema));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::routes::ROUTES;

    #[test]
    fn base_document_is_valid_json() {
        let base: Value = serde_json::from_str(BASE).unwrap();
        assert_eq!((&base["openapi"], &base["info"]["title"]), (&json!("3.1.0"), &json!("Caraplace")));
    }

    #[test]
    fn schema_names_are_unique() {
        let mut known: Map<String, Value> = Map::new();
        for route in ROUTES.iter() {
            let schemas = match route.response {
                RouteResponse::Json(one)
                | RouteResponse::JsonUpdated(one)
                | RouteResponse::JsonAccepted(one)
                | RouteResponse::JsonOrMedia(one, _) => vec![one],
                RouteResponse::Either(one, other) | RouteResponse::JsonMaybeCreated(one, other) => {
                    vec![one, other]
                }
                RouteResponse::Media(_) | RouteResponse::Object => Vec::new(),
            };
            for schema_of in schemas.into_iter().chain(route.body) {
                let (name, own_schema, mut referenced) = schema_of();
                referenced.push((name, own_schema));
                for (name, schema) in referenced {
                    let schema = json!(schema);
                    let first = known.entry(name.clone()).or_insert_with(|| schema.clone());
                    assert_eq!(*first, schema, "{name}, at {}", route.path);
                }
            }
        }
    }
}
