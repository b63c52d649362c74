//! The OpenAPI document as it is sent: what several operations have in common is described once, and descriptions are
//! cut to their first sentence, because programs and models read all of it. `/docs` shows the whole texts.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Parts of the document that several operations have in common, in the order of their first use.
pub struct SharedParts {
    /// The name of their kind in `components`.
    kind: &'static str,
    prefix: &'static str,
    names: BTreeMap<String, String>,
    components: Map<String, Value>,
}

impl SharedParts {
    /// Returns an empty collection for parts of this kind, whose names begin with the prefix.
    pub fn new(kind: &'static str, prefix: &'static str) -> Self {
        Self { kind, prefix, names: BTreeMap::new(), components: Map::new() }
    }

    /// Returns a reference to a part, which is described at its first use.
    pub fn reference(&mut self, part: Value) -> Value {
        let next = format!("{}{}", self.prefix, self.names.len() + 1);
        let name = self.names.entry(part.to_string()).or_insert_with(|| {
            self.components.insert(next.clone(), part);
            next
        });
        json!({"$ref": format!("#/components/{}/{name}", self.kind)})
    }

    /// Returns all of them by name.
    pub fn into_components(self) -> Value {
        Value::Object(self.components)
    }
}

/// Returns the document with everything that says the same in fewer bytes.
pub fn compact(document: &Value) -> Value {
    let mut document = document.clone();
    share_parameters(&mut document);
    share_security(&mut document);
    for schema in document["components"]["schemas"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Some(fields) = schema.as_object_mut() {
            fields.remove("description");
        }
        shorten(schema);
    }
    document
}

fn operations(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let items = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    items.flat_map(|item| item.as_object_mut().into_iter().flat_map(Map::values_mut))
}

/// Describes each parameter that several operations have once.
fn share_parameters(document: &mut Value) {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for operation in operations(document) {
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            if let Some(fields) = parameter.as_object_mut()
                && fields.get("required") == Some(&json!(false))
            {
                fields.remove("required");
            }
            *uses.entry(parameter.to_string()).or_default() += 1;
        }
    }
    let mut shared = SharedParts::new("parameters", "Param");
    for operation in operations(document) {
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            if uses.get(&parameter.to_string()).is_some_and(|count| *count > 1) {
                *parameter = shared.reference(parameter.take());
            }
        }
        if operation["parameters"].as_array().is_some_and(Vec::is_empty)
            && let Some(fields) = operation.as_object_mut()
        {
            fields.remove("parameters");
        }
    }
    document["components"]["parameters"] = shared.into_components();
}

/// Names the keys that most operations accept once, for the whole document.
fn share_security(document: &mut Value) {
    let mut uses: BTreeMap<String, (usize, Value)> = BTreeMap::new();
    for operation in operations(document) {
        let security = operation["security"].clone();
        uses.entry(security.to_string()).or_insert((0, security)).0 += 1;
    }
    let Some((_, most)) = uses.into_values().max_by_key(|(count, _)| *count) else { return };
    for operation in operations(document).filter(|operation| operation["security"] == most) {
        if let Some(fields) = operation.as_object_mut() {
            fields.remove("security");
        }
    }
    document["security"] = most;
}

/// Cuts the descriptions in a schema to their first sentence, and removes the width of numbers, which bounds say better.
fn shorten(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(text)) = fields.get_mut("description") {
                let end = text.find(". ").unwrap_or(text.len());
                text.truncate(end);
            }
            if fields.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("int")) {
                fields.remove("format");
            }
            fields.iter_mut().filter(|(name, _)| *name != "properties").for_each(|(_, value)| shorten(value));
            // Here a name such as `description` is that of a field.
            let properties = fields.get_mut("properties").and_then(Value::as_object_mut);
            properties.into_iter().flat_map(Map::values_mut).for_each(shorten);
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}
