//! Small JSON Schemas of the arguments of tools, from the same types as the HTTP API's schemas.

use platform::schema::DescribeFn;
use platform::schema::bounds::FieldBounds;
use rules::palette::PALETTE;
use serde_json::{Map, Value, json};

use super::call::IDEMPOTENCY_KEY;

/// The parts of the schema of a list's items that are left out. The server refuses unknown fields of items,
/// too, and its hint names the nearest known one.
const OMITTED_ITEM_PARTS: [&str; 2] = ["description", "additionalProperties"];

const REFERENCE_PREFIX: &str = "#/components/schemas/";

/// Returns the schema of a tool's arguments. It has no references, because some clients do not follow them.
pub(super) fn input_schema(
    arguments: DescribeFn,
    takes_idempotency_key: bool,
    bounds: &FieldBounds,
) -> Map<String, Value> {
    let (name, schema, referenced) = arguments();
    let mut types: Map<_, _> = referenced.into_iter().map(|(name, schema)| (name, json!(schema))).collect();
    types.insert(name.clone(), json!(schema));
    bounds.narrow(&mut types);
    let mut root = types.remove(&name).unwrap_or_default();
    simplify(&mut root, &types);
    root["type"] = json!("object");
    if let Some(content) = root.get_mut("properties").and_then(|fields| fields.get_mut("content")) {
        content["description"] = json!(bounds.describe_content());
    }
    if !bounds.has_chat() {
        // It is ignored while the chat is switched off.
        root["properties"].as_object_mut().map(|fields| fields.remove("chat_digest"));
    }
    if takes_idempotency_key {
        root["properties"][IDEMPOTENCY_KEY] = idempotency_key_schema();
    }
    let mut root = root.as_object().cloned().unwrap_or_default();
    root.remove("description");
    for name in ["x", "y", "x1", "y1", "x2", "y2"] {
        // Every list of pixels tells the size of the canvas, and so does each refusal.
        let field = root.get_mut("properties").and_then(|fields| fields.get_mut(name));
        field.and_then(Value::as_object_mut).map(|field| field.remove("maximum"));
    }
    root
}

/// Inlines the types that a schema refers to, and removes what a model does not need: null for optional
/// fields, formats of numbers, lower bounds of 0 and 1, and descriptions of types.
fn simplify(schema: &mut Value, types: &Map<String, Value>) {
    inline_type(schema, types);
    let Value::Object(parts) = schema else { return };
    parts.remove("format");
    for bound in ["minimum", "minItems", "minLength"] {
        if parts.get(bound).and_then(Value::as_i64).is_some_and(|least| least <= 1) {
            parts.remove(bound);
        }
    }
    if let Some(items) = parts.get_mut("items") {
        simplify(items, types);
        items.as_object_mut().map(|items| OMITTED_ITEM_PARTS.map(|part| items.remove(part)));
    }
    let fields = parts.get_mut("properties").and_then(Value::as_object_mut);
    for (name, field) in fields.into_iter().flatten() {
        simplify(field, types);
        field.as_object_mut().map(|field| field.remove("additionalProperties"));
        describe_for_tools(name, field);
    }
}

/// Replaces an optional or referenced type by the type itself. The description of the field stays.
fn inline_type(schema: &mut Value, types: &Map<String, Value>) {
    let is_not_null = |alternative: &&Value| !is_null_type(alternative);
    if let Some(Value::Array(names)) = schema.get("type") {
        let name = names.iter().find(|name| **name != "null").cloned();
        schema["type"] = name.unwrap_or_default();
    }
    if let Some(Value::Array(alternatives)) = schema.get("oneOf")
        && alternatives.iter().any(is_null_type)
        && let Some(only) = alternatives.iter().find(is_not_null)
    {
        *schema = only.clone();
    }
    let referenced = schema.get("$ref").and_then(Value::as_str);
    let name = referenced.and_then(|reference| reference.strip_prefix(REFERENCE_PREFIX));
    if let Some(inlined) = name.and_then(|name| types.get(name)) {
        let mut inlined = inlined.clone();
        inlined["description"] = schema["description"].clone();
        if inlined["description"].is_null() {
            inlined.as_object_mut().map(|parts| parts.remove("description"));
        }
        *schema = inlined;
    }
}

fn is_null_type(schema: &Value) -> bool {
    schema["type"] == "null"
}

/// Describes a field in terms of tools, if the type describes it in terms of the HTTP API or at length.
fn describe_for_tools(name: &str, field: &mut Value) {
    let text = match name {
        "by" => "RFC 3339.".into(),
        "chat_digest" => "From chat_get_new or next_steps.".into(),
        "color" => palette(),
        "claim" => "Others are not given them for 3 minutes.".into(),
        "dry_run" => "Only tells what would happen.".into(),
        "expires_in" => "In seconds.".into(),
        "expected_color" => "Its present colour: another one conflicts.".into(),
        "max_tokens" => "3 bytes each; 1024 by default.".into(),
        "name" => "Letters, digits, spaces, _ - .".into(),
        "on_conflict" => "For pixels without their expected_color.".into(),
        "region" => "For intents: the area to paint, inclusive.".into(),
        "regions" => {
            // They have the fields of region.
            field["items"] = json!({"type": "object"});
            "Or up to four.".into()
        }
        "rows" => "A hex digit per pixel; . leaves it as it is.".into(),
        "runs" => "[x, y, length, color] each, in place of pixels.".into(),
        "type" => {
            // The tool react adds reactions.
            field["enum"]
                .as_array_mut()
                .into_iter()
                .for_each(|kinds| kinds.retain(|kind| kind != "reaction"));
            "message by default.".into()
        }
        "ask" | "before" | "color_palette" | "crew_id" | "importance" | "limit" | "model" | "pixels"
        | "plan_id" | "reply_to" | "thread" | "title" | "to" | "x" | "y" => {
            // The names and the descriptions of the tools say enough.
            field.as_object_mut().map(|field| field.remove("description"));
            String::new()
        }
        _ => field["description"].as_str().unwrap_or_default().replace('\n', " "),
    };
    if !text.is_empty() {
        field["description"] = json!(text);
    }
}

/// Returns the palette as `0 white, 1 light grey, …`.
pub(super) fn palette() -> String {
    let colors: Vec<_> = PALETTE.iter().map(|swatch| format!("{} {}", swatch.index, swatch.name)).collect();
    format!("{}.", colors.join(", "))
}

fn idempotency_key_schema() -> Value {
    json!({
        "type": "string",
        "maxLength": 255,
        "description": "The same again is done once.",
    })
}

#[cfg(test)]
mod tests {
    use rules::grid::Size;
    use utoipa::ToSchema;

    use super::*;
    use platform::config::Config;
    use platform::schema::describe;

    /// A type with everything that is simplified.
    #[derive(ToSchema)]
    #[expect(dead_code, reason = "only the schema is read")]
    struct Arguments {
        /// How many.
        count: Option<i64>,
        /// Where.
        place: Option<Place>,
        places: Vec<Place>,
    }

    /// A place.
    #[derive(ToSchema)]
    #[expect(dead_code, reason = "only the schema is read")]
    struct Place {
        x: i64,
        color: i64,
    }

    #[test]
    fn a_schema_has_no_references_formats_or_nulls() {
        let bounds = FieldBounds::new(
            &Config::read(|_| None).unwrap().adjustable_values().game,
            Size { width: 16, height: 8 },
        );
        let schema = input_schema(describe::<Arguments>, true, &bounds);
        let text = json!(schema).to_string();
        assert!(!["$ref", "null", "format", "A place"].iter().any(|word| text.contains(word)), "{text}");
        let fields = &schema["properties"];
        assert_eq!(fields["count"], json!({"type": "integer", "description": "How many."}));
        assert_eq!(fields["place"]["description"], "Where.");
        assert_eq!(fields["place"]["properties"]["x"]["maximum"], 15);
        let color = &fields["places"]["items"]["properties"]["color"];
        assert!(color["description"].as_str().unwrap().contains("3 black"), "{color}");
        assert_eq!(fields["idempotency_key"]["maxLength"], 255);
    }
}
