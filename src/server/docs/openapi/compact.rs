//! The OpenAPI document as it is sent: what several operations have in common is described once, and
//! descriptions are cut, because programs and models read all of it. `/docs` shows the whole texts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::agents::collect_references;

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
    pub fn reference(&mut self, part: &Value) -> Value {
        let next = format!("{}{}", self.prefix, self.names.len() + 1);
        let name = self.names.entry(part.to_string()).or_insert_with(|| {
            self.components.insert(next.clone(), part.clone());
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
    for operation in operations(&mut document) {
        let ends = if is_for_operators(operation) { FIRST_CLAUSE } else { FIRST_SENTENCE };
        operation.get_mut("summary").into_iter().for_each(|text| cut(text, ends));
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            parameter.get_mut("description").into_iter().for_each(|text| cut(text, FIRST_CLAUSE));
        }
    }
    share_parameters(&mut document);
    share_security(&mut document);
    let sent = sent_schemas(&document);
    for (name, schema) in document["components"]["schemas"].as_object_mut().into_iter().flatten() {
        if let Some(fields) = schema.as_object_mut() {
            fields.remove("description");
        }
        // Clients must know what they send, and why they are refused; fields of other answers say by their
        // name what they are.
        shorten(schema, sent.contains(name) || name == "Problem");
    }
    document
}

/// The ends of the first sentence of a text.
const FIRST_SENTENCE: &[&str] = &[". "];
/// The ends of the first clause of a text.
const FIRST_CLAUSE: &[&str] = &[". ", ", ", "; ", ": ", " ("];

/// Cuts a text at the first of these ends.
fn cut(value: &mut Value, ends: &[&str]) {
    if let Value::String(text) = value {
        let end = ends.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
        text.truncate(end);
    }
}

/// Returns the names of the schemas of which bodies of requests consist.
fn sent_schemas(document: &Value) -> BTreeSet<String> {
    let items = document["paths"].as_object().into_iter().flat_map(Map::values);
    let operations = items.flat_map(|item| item.as_object().into_iter().flat_map(Map::values));
    let mut pending = Vec::new();
    let mut names = BTreeSet::new();
    operations.for_each(|operation| collect_references(&operation["requestBody"], &mut pending));
    while let Some(target) = pending.pop() {
        let Some(name) = target.strip_prefix("#/components/schemas/") else { continue };
        if names.insert(name.to_owned()) {
            collect_references(&document["components"]["schemas"][name], &mut pending);
        }
    }
    names
}

/// Returns true if only operators can use an operation.
fn is_for_operators(operation: &Value) -> bool {
    let ways = operation["security"].as_array();
    ways.is_some_and(|ways| !ways.is_empty() && ways.iter().all(|way| way.get("operator").is_some()))
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
                *parameter = shared.reference(parameter);
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

/// Keeps the first sentence of each description in a schema, or none of them, and removes the width of
/// numbers, which bounds say better.
fn shorten(schema: &mut Value, is_described: bool) {
    match schema {
        Value::Object(fields) => {
            if is_described {
                fields.get_mut("description").into_iter().for_each(|text| cut(text, FIRST_SENTENCE));
            } else {
                fields.remove("description");
            }
            if fields.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("int")) {
                fields.remove("format");
            }
            fields
                .iter_mut()
                .filter(|(name, _)| *name != "properties")
                .for_each(|(_, value)| shorten(value, is_described));
            // Here a name such as `description` is that of a field.
            let properties = fields.get_mut("properties").and_then(Value::as_object_mut);
            properties.into_iter().flat_map(Map::values_mut).for_each(|schema| shorten(schema, is_described));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, is_described)),
        _ => {}
    }
}
