//! JSON Schemas that stand by themselves, from the types that HTTP describes too.

use serde_json::{Map, Value, json};

use crate::schema::SchemaOf;
use crate::schema::bounds::Bounds;

const THERE: &str = "#/components/schemas/";
const HERE: &str = "#/$defs/";
const REFUSAL: &str = "Refusal";

/// Returns the schema of what a tool takes.
pub(super) fn taken(of: SchemaOf, bounds: &Bounds) -> Map<String, Value> {
    let (name, mut all) = described(of, bounds);
    let mut root = all.remove(&name).and_then(|root| root.as_object().cloned()).unwrap_or_default();
    root.insert("type".into(), json!("object"));
    root.remove("description");
    if !all.is_empty() {
        root.insert("$defs".into(), Value::Object(all));
    }
    root
}

/// Returns the schema of what a tool gives: its result, or a refusal.
pub(super) fn given(of: SchemaOf, bounds: &Bounds) -> Map<String, Value> {
    let (name, mut all) = described(of, bounds);
    all.insert(REFUSAL.into(), refusal());
    let mut root = Map::new();
    let either = [name.as_str(), REFUSAL].map(|name| json!({"$ref": format!("{HERE}{name}")}));
    root.insert("type".into(), json!("object"));
    root.insert("anyOf".into(), json!(either));
    root.insert("$defs".into(), Value::Object(all));
    root
}

/// A type's name, and it with all that it refers to.
fn described(of: SchemaOf, bounds: &Bounds) -> (String, Map<String, Value>) {
    let (name, itself, referred) = of();
    let mut all: Map<_, _> = referred.into_iter().map(|(name, schema)| (name, json!(schema))).collect();
    all.insert(name.clone(), json!(itself));
    bounds.narrow(&mut all);
    all.values_mut().for_each(bring_here);
    (name, all)
}

fn bring_here(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get_mut("$ref") {
                *reference = reference.replace(THERE, HERE);
            }
            fields.values_mut().for_each(bring_here);
        }
        Value::Array(items) => items.iter_mut().for_each(bring_here),
        _ => {}
    }
}

fn refusal() -> Value {
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
