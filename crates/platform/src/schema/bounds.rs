//! The bounds of fields on this server, which the types alone do not tell.

use rules::grid::Size;
use rules::palette::PALETTE;
use serde_json::{Map, Value, json};

use crate::config::GameSettings;

/// The number of numbers of a run of pixels: x, y, length, color.
const RUN_NUMBERS: usize = 4;

/// The bounds of a canvas and of its game settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldBounds {
    size: Size,
    max_batch_pixels: usize,
    message_chars: u32,
    has_chat: bool,
}

impl FieldBounds {
    /// Returns the bounds that follow from the settings.
    pub fn new(game: &GameSettings, size: Size) -> Self {
        let max_batch_pixels = game.max_batch_pixels();
        Self { size, max_batch_pixels, message_chars: game.message_chars, has_chat: game.chat_enabled }
    }

    /// Returns true if the chat is switched on.
    pub fn has_chat(&self) -> bool {
        self.has_chat
    }

    /// Returns the description of the text of a message for tools.
    pub fn describe_content(&self) -> String {
        format!("Up to {} characters.", self.message_chars)
    }

    /// Returns the first and the last column.
    pub fn columns(&self) -> (i64, i64) {
        (0, i64::from(self.size.width) - 1)
    }

    /// Returns the first and the last row.
    pub fn rows(&self) -> (i64, i64) {
        (0, i64::from(self.size.height) - 1)
    }

    /// Adds this server's bounds to schemas.
    pub fn narrow(&self, schemas: &mut Map<String, Value>) {
        schemas.values_mut().for_each(|schema| self.narrow_one(schema));
        for name in ["PlacePixelBody", "PlacePixelsBody"].iter().filter(|_| self.has_chat) {
            let Some(schema) = schemas.get_mut(*name) else { continue };
            schema["properties"]["chat_digest"]["type"] = json!("string");
            let mut required = schema["required"].as_array().cloned().unwrap_or_default();
            required.push(json!("chat_digest"));
            schema["required"] = json!(required);
        }
    }

    fn narrow_one(&self, schema: &mut Value) {
        let parts = schema.get_mut("allOf").and_then(Value::as_array_mut);
        parts.into_iter().flatten().for_each(|part| self.narrow_one(part));
        let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
        fields.into_iter().flatten().for_each(|(name, field)| self.narrow_field(name, field));
    }

    fn narrow_field(&self, name: &str, field: &mut Value) {
        let last_color = PALETTE.len() as i64 - 1;
        match name {
            "x" | "x1" | "x2" => {
                let (first, last) = self.columns();
                set_range(field, first, last);
            }
            "y" | "y1" | "y2" => {
                let (first, last) = self.rows();
                set_range(field, first, last);
            }
            "color" | "expected_color" => set_range(field, 0, last_color),
            "color_palette" => {
                field["maxItems"] = json!(PALETTE.len());
                set_range(&mut field["items"], 0, last_color);
            }
            // The types name the default; a bound would count code points.
            "content" => {
                let described = field["description"].as_str().unwrap_or_default();
                let narrowed =
                    described.replace("280 characters", &format!("{} characters", self.message_chars));
                if narrowed != described {
                    field["description"] = json!(narrowed);
                }
            }
            "chat_digest" => field["pattern"] = json!("^[0-9a-f]{12}$"),
            "pixels" if field["items"]["$ref"] == "#/components/schemas/BatchPixel" => {
                field["minItems"] = json!(1);
                field["maxItems"] = json!(self.max_batch_pixels);
            }
            "runs" if field["items"]["items"]["type"] == "integer" => {
                field["minItems"] = json!(1);
                field["maxItems"] = json!(self.max_batch_pixels);
                field["items"]["minItems"] = json!(RUN_NUMBERS);
                field["items"]["maxItems"] = json!(RUN_NUMBERS);
                field["items"]["items"]["minimum"] = json!(0);
            }
            _ => {}
        }
    }
}

/// Sets the range of a field if it is an integer. An agent's painted `pixels` are a count, not a coordinate.
fn set_range(field: &mut Value, min: i64, max: i64) {
    let kind = &field["type"];
    let is_integer =
        kind == "integer" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("integer")));
    if is_integer {
        field["minimum"] = json!(min);
        field["maximum"] = json!(max);
    }
}
