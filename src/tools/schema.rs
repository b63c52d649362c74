//! Self-contained JSON Schemas of tools, from the same types as the HTTP API's schemas.

use serde_json::{Map, Value, json};

use crate::schema::DescribeFn;
use crate::schema::bounds::FieldBounds;

const OPENAPI_PREFIX: &str = "#/components/schemas/";
const DEFS_PREFIX: &str = "#/$defs/";
const REFUSAL: &str = "Refusal";

/// Returns the schema of a tool's arguments.
pub(super) fn input_schema(schema_of: DescribeFn, bounds: &FieldBounds) -> Map<String, Value> {
    let (name, mut schemas) = self_contained_schemas(schema_of, bounds);
    let mut root = schemas.remove(&name).and_then(|root| root.as_object().cloned()).unwrap_or_default();
    root.insert("type".into(), json!("object"));
    root.remove("description");
    if !schemas.is_empty() {
        root.insert("$defs".into(), Value::Object(schemas));
    }
    root
}

/// Returns the schema of a tool's response: its result, or a refusal.
pub(super) fn output_schema(schema_of: DescribeFn, bounds: &FieldBounds) -> Map<String, Value> {
    let (name, mut schemas) = self_contained_schemas(schema_of, bounds);
    schemas.insert(REFUSAL.into(), refusal_schema());
    let mut root = Map::new();
    let alternatives = [name.as_str(), REFUSAL].map(|name| json!({"$ref": format!("{DEFS_PREFIX}{name}")}));
    root.insert("type".into(), json!("object"));
    root.insert("anyOf".into(), json!(alternatives));
    root.insert("$defs".into(), Value::Object(schemas));
    root
}

/// Returns a type's name, and its schema with all schemas that it refers to.
fn self_contained_schemas(schema_of: DescribeFn, bounds: &FieldBounds) -> (String, Map<String, Value>) {
    let (name, schema, referenced) = schema_of();
    let mut schemas: Map<_, _> = referenced.into_iter().map(|(name, schema)| (name, json!(schema))).collect();
    schemas.insert(name.clone(), json!(schema));
    bounds.narrow(&mut schemas);
    schemas.values_mut().for_each(rewrite_references);
    (name, schemas)
}

fn rewrite_references(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get_mut("$ref") {
                *reference = reference.replace(OPENAPI_PREFIX, DEFS_PREFIX);
            }
            fields.values_mut().for_each(rewrite_references);
        }
        Value::Array(items) => items.iter_mut().for_each(rewrite_references),
        _ => {}
    }
}

fn refusal_schema() -> Value {
    json!({
        "type": "object",
        "description": "A refusal. Nothing was changed or spent.",
        "required": ["code", "detail", "hint"],
        "properties": {
            "code": {"type": "string", "description": "A stable code for programs to compare."},
            "detail": {"type": "string"},
            "hint": {"type": "string", "description": "Advice on what to do next."},
            "retry_after": {"type": "integer", "description": "Seconds to wait before the next attempt."},
        },
    })
}
