//! The API's schemas as TypeScript declarations, against which the page's modules are checked.

use std::fmt::Write as _;
use std::path::Path;

use platform::config::Config;
use rules::grid::Size;
use serde_json::Value;

use super::openapi;
use crate::server::routes::ROUTES;

const FILE: &str = "types/api.d.ts";
const HEAD: &str = "\
// The schemas of /openapi.json. Written by `UPDATE_DOCUMENTS=1 cargo test --workspace --lib documents`; do
// not edit.
";

/// Returns one exported type for each schema of the document, and one that has the answers by method and
/// path.
fn declarations(document: &Value) -> String {
    let mut text = format!("{HEAD}\nexport type Responses = {{\n");
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let answers = operation["responses"].as_object().into_iter().flatten();
            let schemas = answers.filter(|(status, _)| status.starts_with('2'));
            let schemas = schemas.map(|(_, answer)| &answer["content"]["application/json"]["schema"]);
            let types: Vec<_> = schemas.filter(|schema| schema.is_object()).map(type_of).collect();
            if !types.is_empty() {
                let _ = writeln!(text, "  \"{} {path}\": {};", method.to_uppercase(), union(types));
            }
        }
    }
    text.push_str("};\n");
    for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
        let _ = writeln!(text, "\nexport type {name} = {};", type_of(schema));
    }
    text
}

/// Returns the type of what a schema allows; `unknown` if it allows anything.
fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    let parts =
        |name: &str| schema[name].as_array().map(|parts| parts.iter().map(type_of).collect::<Vec<_>>());
    if let Some(parts) = parts("oneOf").or_else(|| parts("anyOf")) {
        return union(parts);
    }
    if let Some(parts) = parts("allOf") {
        return parts.join(" & ");
    }
    if let Some(values) = schema["enum"].as_array() {
        return union(values.iter().map(Value::to_string).collect());
    }
    match &schema["type"] {
        Value::Array(kinds) => union(kinds.iter().map(|kind| type_of_kind(kind, schema)).collect()),
        kind => type_of_kind(kind, schema),
    }
}

fn type_of_kind(kind: &Value, schema: &Value) -> String {
    match kind.as_str() {
        Some("object") => object(schema),
        Some("array") => array(schema),
        Some("integer" | "number") => "number".to_owned(),
        Some(simple @ ("string" | "boolean" | "null")) => simple.to_owned(),
        _ => "unknown".to_owned(),
    }
}

fn object(schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object() else {
        return format!("Record<string, {}>", type_of(&schema["additionalProperties"]));
    };
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    let field = |(name, schema): (&String, &Value)| {
        let suffix = if is_required(name) { "" } else { "?" };
        format!("  {name}{suffix}: {};\n", type_of(schema).replace('\n', "\n  "))
    };
    format!("{{\n{}}}", properties.iter().map(field).collect::<String>())
}

fn array(schema: &Value) -> String {
    match schema["prefixItems"].as_array() {
        Some(items) => format!("[{}]", items.iter().map(type_of).collect::<Vec<_>>().join(", ")),
        None => match type_of(&schema["items"]) {
            items if items.contains([' ', '{']) => format!("({items})[]"),
            items => format!("{items}[]"),
        },
    }
}

fn union(mut parts: Vec<String>) -> String {
    parts.dedup();
    parts.join(" | ")
}

#[test]
fn documents_have_the_types_of_the_schemas() {
    let config = Config::read(|_| None).unwrap();
    let size = Size { width: 128, height: 128 };
    let expected =
        declarations(&openapi::build_document(&ROUTES, &config.game, size, "http://127.0.0.1:8080"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os("UPDATE_DOCUMENTS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == expected,
        "{FILE} is old: run UPDATE_DOCUMENTS=1 cargo test --workspace --lib documents"
    );
}
