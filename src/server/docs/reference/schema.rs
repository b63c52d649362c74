//! Flattens schemas for people: one row per field, with the path of fields in inner objects.

use serde_json::Value;

/// The largest depth of inner objects.
const MAX_DEPTH: usize = 4;

/// A field with its path from the outermost object.
pub struct SchemaField {
    pub name: String,
    pub kind: String,
    pub required: bool,
    pub help: String,
}

/// Returns all fields of a schema; none if it is not an object.
pub fn fields(document: &Value, schema: &Value) -> Vec<SchemaField> {
    let mut found = Vec::new();
    collect_fields(document, schema, "", 0, &mut found);
    found
}

fn collect_fields(
    document: &Value,
    schema: &Value,
    prefix: &str,
    depth: usize,
    found: &mut Vec<SchemaField>,
) {
    if depth > MAX_DEPTH {
        return;
    }
    for (name, property, required) in properties(document, schema) {
        let path = format!("{prefix}{name}");
        let inner = resolve(document, property);
        let help = help(document, property).to_owned();
        found.push(SchemaField { name: path.clone(), kind: type_text(document, property), required, help });
        if inner["type"] == "array" || inner["items"].is_object() {
            collect_fields(document, &inner["items"], &format!("{path}[]."), depth + 1, found);
        } else {
            collect_fields(document, inner, &format!("{path}."), depth + 1, found);
        }
    }
}

/// Returns the description of a field, or else that of its type.
fn help<'a>(document: &'a Value, schema: &'a Value) -> &'a str {
    let choice_help = choices(schema).into_iter().find_map(|choice| choice["description"].as_str());
    let own_help = schema["description"].as_str().or(choice_help);
    own_help.or(resolve(document, schema)["description"].as_str()).unwrap_or_default()
}

/// Returns an object's fields as name, schema and whether they are required, the required ones first.
/// References and `allOf` are resolved.
pub fn properties<'a>(document: &'a Value, schema: &'a Value) -> Vec<(&'a str, &'a Value, bool)> {
    let schema = resolve(document, schema);
    let mut found = Vec::new();
    for part in schema["allOf"].as_array().into_iter().flatten() {
        found.extend(properties(document, part));
    }
    let variants = choices(schema);
    for (name, property, required) in variants.iter().flat_map(|choice| properties(document, choice)) {
        let is_known = found.iter().any(|(known, ..)| *known == name);
        let has_field =
            |choice: &&Value| properties(document, choice).iter().any(|(other, ..)| *other == name);
        if !is_known {
            found.push((name, property, required && variants.iter().all(has_field)));
        }
    }
    let required =
        |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let own_properties = schema["properties"].as_object().into_iter().flatten();
    found.extend(own_properties.map(|(name, property)| (name.as_str(), property, required(name))));
    found.sort_by_key(|(_, _, required)| !required);
    found
}

/// Resolves a reference, or an optional type (a type or null), to the schema itself.
pub fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(pointer) = schema["$ref"].as_str().and_then(|name| name.strip_prefix('#')) {
        return document.pointer(pointer).map_or(schema, |found| resolve(document, found));
    }
    match only_choice(schema) {
        Some(only) => resolve(document, only),
        None => schema,
    }
}

/// Returns the only alternative that is not null; `None` if there are several.
fn only_choice(schema: &Value) -> Option<&Value> {
    match choices(schema).as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

/// Returns the alternatives of a schema that are not null.
pub fn choices(schema: &Value) -> Vec<&Value> {
    alternatives(schema).filter(|choice| choice["type"] != "null").collect()
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    schema["oneOf"].as_array().or(schema["anyOf"].as_array()).into_iter().flatten()
}

/// Returns the type of a value, in words.
pub fn type_text(document: &Value, schema: &Value) -> String {
    let nullable = alternatives(schema).any(|choice| choice["type"] == "null");
    let schema = resolve(document, schema);
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        Value::String(only) => vec![only],
        _ => Vec::new(),
    };
    let type_name = types.iter().find(|name| **name != "null").copied().unwrap_or("object");
    let mut text = match (type_name, schema["enum"].as_array()) {
        (_, Some(words)) => {
            words.iter().map(|word| word.as_str().unwrap_or("null")).collect::<Vec<_>>().join(" | ")
        }
        ("array", _) => format!("list of {}", type_text(document, &schema["items"])),
        ("string", _) if schema["format"] == "date-time" => "time".to_owned(),
        ("string", _) => "text".to_owned(),
        ("integer", _) => integer_text(schema),
        ("boolean", _) => "true | false".to_owned(),
        (other, _) => other.to_owned(),
    };
    if nullable || types.contains(&"null") {
        text.push_str(" | null");
    }
    text
}

fn integer_text(schema: &Value) -> String {
    match (schema["minimum"].as_f64(), schema["maximum"].as_f64()) {
        // A bound beyond the exact integers of JSON numbers is no useful information.
        (Some(min), Some(max)) if max < 9e15 => format!("number {min}–{max}"),
        _ => "number".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn inner_fields_are_listed_by_path() {
        let document = json!({"components": {"schemas": {
            "Dot": {
                "type": "object",
                "required": ["x"],
                "properties": {"x": {"type": "integer", "minimum": 0, "maximum": 9}},
            },
            "All": {"allOf": [{"$ref": "#/components/schemas/Dot"}, {"properties": {
                "dots": {"type": "array", "items": {"$ref": "#/components/schemas/Dot"}},
                "dot": {
                    "oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Dot"}],
                    "description": "where",
                },
                "at": {"type": ["string", "null"], "format": "date-time"},
            }}]},
        }}});
        let found = fields(&document, &json!({"$ref": "#/components/schemas/All"}));
        let found: Vec<_> = found.iter().map(|field| format!("{}: {}", field.name, field.kind)).collect();
        let expected = [
            "x: number 0–9",
            "at: time | null",
            "dot: object | null",
            "dot.x: number 0–9",
            "dots: list of object",
            "dots[].x: number 0–9",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn fields_of_alternatives_are_merged_and_required_only_if_all_require_them() {
        let choice = |own: &str| json!({"required": [own, "success"], "properties": {own: {"type": "string"}, "success": {}}});
        let found = fields(&Value::Null, &json!({"anyOf": [choice("message"), choice("reply_to")]}));
        let found: Vec<_> = found.iter().map(|field| (field.name.as_str(), field.required)).collect();
        assert_eq!(found, [("success", true), ("message", false), ("reply_to", false)]);
    }

    #[test]
    fn description_at_the_field_takes_precedence() {
        let document = json!({"components": {"schemas": {"Dot": {"description": "a dot"}}}});
        let dot = json!({"$ref": "#/components/schemas/Dot"});
        assert_eq!(help(&document, &dot), "a dot");
        let own = json!({
            "oneOf": [{"$ref": "#/components/schemas/Dot", "description": "where"}, {"type": "null"}],
        });
        assert_eq!(help(&document, &own), "where");
    }
}
