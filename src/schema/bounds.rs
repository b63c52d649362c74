//! What fields can hold on this very server, which the types alone do not tell.

use rules::grid::Size;
use rules::palette::PALETTE;
use serde_json::{Map, Value, json};

use crate::config::Game;

/// The bounds of a canvas and of its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    size: Size,
    batch: usize,
    chat: bool,
}

impl Bounds {
    /// As the operator set them.
    pub fn new(game: &Game, size: Size) -> Self {
        Self { size, batch: game.max_batch(), chat: game.chat_enabled }
    }

    /// Whether there is a chat.
    pub fn has_chat(&self) -> bool {
        self.chat
    }

    /// The first and the last column.
    pub fn columns(&self) -> (i64, i64) {
        (0, i64::from(self.size.width) - 1)
    }

    /// The first and the last row.
    pub fn rows(&self) -> (i64, i64) {
        (0, i64::from(self.size.height) - 1)
    }

    /// Narrows schemas to what is true here.
    pub fn narrow(&self, schemas: &mut Map<String, Value>) {
        schemas.values_mut().for_each(|schema| self.narrow_one(schema));
        for name in ["NewPixel", "NewPixels", "PlacePixels"].iter().filter(|_| self.chat) {
            let Some(form) = schemas.get_mut(*name) else { continue };
            form["properties"]["chat_digest"]["type"] = json!("string");
            form["required"]
                .as_array_mut()
                .into_iter()
                .for_each(|required| required.push(json!("chat_digest")));
        }
    }

    fn narrow_one(&self, schema: &mut Value) {
        let parts = schema.get_mut("allOf").and_then(Value::as_array_mut);
        parts.into_iter().flatten().for_each(|part| self.narrow_one(part));
        let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
        fields.into_iter().flatten().for_each(|(name, field)| self.narrow_field(name, field));
    }

    fn narrow_field(&self, name: &str, field: &mut Value) {
        let colors = (0, PALETTE.len() as i64 - 1);
        match name {
            "x" | "x1" | "x2" => within(field, self.columns()),
            "y" | "y1" | "y2" => within(field, self.rows()),
            "color" | "expected_color" => within(field, colors),
            "color_palette" => {
                field["maxItems"] = json!(PALETTE.len());
                within(&mut field["items"], colors);
            }
            "chat_digest" => field["pattern"] = json!("^[0-9a-f]{12}$"),
            "pixels" if field["items"]["$ref"] == "#/components/schemas/OneOfMany" => {
                field["minItems"] = json!(1);
                field["maxItems"] = json!(self.batch);
            }
            _ => {}
        }
    }
}

/// Only integers have such bounds; an agent's painted `pixels` are counted, not bounded.
fn within(field: &mut Value, (least, most): (i64, i64)) {
    let kind = &field["type"];
    let integer = kind == "integer" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("integer")));
    if integer {
        field["minimum"] = json!(least);
        field["maximum"] = json!(most);
    }
}
