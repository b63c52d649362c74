//! JSON Schemas that stand by themselves, from the types that HTTP describes too.

use serde_json::{Map, Value, json};

use crate::schema::DescribeFn;
use crate::schema::bounds::FieldBounds;

const OPENAPI_PREFIX: &str = "#/components/schemas/";
const DEFS_PREFIX: &str = "#/$defs/";
const REFUSAL: &str = "Refusal";

/// Returns the schema of what a tool takes.
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

/// Returns the schema of what a tool gives: its result, or a refusal.
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

/// A type's name, and it with all that it refers to.
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
        "description": "Why nothing was done; nothing was spent.",
        "required": ["code", "detail", "hint"],
        "properties": {
            "code": {"type": "string", "description": "What to branch on."},
            "detail": {"type": "string"},
            "hint": {"type": "string", "description": "What to do next."},
            "retry_after": {"type": "integer", "description": "Seconds to wait."},
        },
    })
}
