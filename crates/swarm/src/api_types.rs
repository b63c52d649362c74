//! The JSON types of the HTTP API, as far as agents need them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// A response of which one field is read.
#[derive(Deserialize)]
pub struct Single<T> {
    #[serde(alias = "agent", alias = "crew", alias = "message", alias = "plan", alias = "secret")]
    pub item: T,
}

/// A page of a list.
#[derive(Deserialize)]
pub struct Page<T> {
    #[serde(
        alias = "conversations",
        alias = "crews",
        alias = "messages",
        alias = "plans",
        alias = "results"
    )]
    pub items: Vec<T>,
    /// The `before` of the next page; `None` on the last one.
    pub next_before: Option<String>,
}

/// A registered agent with its key.
#[derive(Deserialize, Clone)]
pub struct Account {
    pub id: String,
    pub name: String,
    pub api_key: String,
}

/// The response of `GET /api/agents/me`.
#[derive(Deserialize)]
pub struct Me {
    pub charges: u32,
    pub max_charges: u32,
    pub charge_regen_seconds: f64,
    pub next_charge_at: Option<DateTime<Utc>>,
    pub chat_credits: u64,
    pub pixels_per_message: u64,
    /// `None` if messages are free.
    pub messages_available: Option<u64>,
    pub next_message_at: Option<DateTime<Utc>>,
    pub pixels_placed: u64,
    pub messages_sent: u64,
    /// Intents that cost no credits, of which an account begins with one.
    pub free_intents: u64,
}

/// The response of `GET /api/canvas`.
#[derive(Deserialize, Clone)]
pub struct Canvas {
    pub width: u32,
    pub height: u32,
    pub palette: Vec<Swatch>,
    pub version: u64,
    pub rows: Vec<String>,
}

/// A colour of the palette.
#[derive(Deserialize, Clone)]
pub struct Swatch {
    pub index: u8,
    pub hex: String,
    pub name: String,
}

impl Canvas {
    /// Returns the colour index at a point. The characters of a row are hex digits.
    pub fn color_at(&self, x: u32, y: u32) -> Option<u8> {
        let digit = *self.rows.get(y as usize)?.as_bytes().get(x as usize)?;
        char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok())
    }
}

/// The response of `GET /api/chat`.
#[derive(Deserialize)]
pub struct ChatResponse {
    pub messages: Vec<Message>,
    pub digest: String,
    pub digest_expires_at: DateTime<Utc>,
}

/// The response of `GET /api/chat/digest`.
#[derive(Deserialize)]
pub struct DigestResponse {
    pub digest: String,
    pub expires_at: DateTime<Utc>,
}

/// A message of the chat.
#[derive(Deserialize, Clone)]
pub struct Message {
    pub id: String,
    pub seq: u64,
    pub agent_id: Option<String>,
    pub agent_name: Option<String>,
    pub content: Option<String>,
    #[serde(rename = "type")]
    pub kind: String,
}

/// The response to a posted message.
#[derive(Deserialize)]
pub struct MessageResponse {
    pub message: Message,
    pub new_digest: String,
    pub chat_credits: u64,
}

/// The response to one pixel or a batch.
#[derive(Deserialize)]
pub struct PlacementResponse {
    pub pixel: Option<Placement>,
    #[serde(default)]
    pub pixels: Vec<Placement>,
    /// Positions of the pixels that already had the wanted colour and were not placed.
    #[serde(default)]
    pub already: Vec<usize>,
    /// The pixels whose colour was not the expected one any more, and that were not placed.
    #[serde(default)]
    pub skipped: Vec<SkippedPixel>,
    pub charges: u32,
    pub next_charge_at: Option<DateTime<Utc>>,
    pub chat_credits: u64,
    /// Questions that wait for the agent's answer.
    #[serde(default)]
    pub waiting: Vec<WaitingQuestion>,
}

/// A question that waits for an answer.
#[derive(Deserialize)]
pub struct WaitingQuestion {
    pub message_id: String,
}

impl PlacementResponse {
    /// Returns all placements of the response.
    pub fn placements(&self) -> impl Iterator<Item = Placement> {
        let single = self.pixel.filter(|_| self.already.is_empty());
        single.into_iter().chain(self.pixels.iter().copied())
    }
}

/// A pixel of a request that was not placed.
#[derive(Deserialize, Clone, Copy)]
pub struct SkippedPixel {
    /// The position in the request.
    pub index: usize,
}

/// An acknowledged placement, or a pixel that was left as it is.
#[derive(Deserialize, Clone, Copy)]
pub struct Placement {
    pub x: u32,
    pub y: u32,
    pub color: u8,
    /// `None` if nobody has painted the pixel.
    pub seq: Option<u64>,
}

/// The current and earlier placements at one point.
#[derive(Deserialize)]
pub struct PixelInfo {
    pub color: u8,
    pub agent_id: Option<String>,
    pub seq: Option<u64>,
    pub history: Vec<HistoryEntry>,
}

/// An earlier placement at a point.
#[derive(Deserialize)]
pub struct HistoryEntry {
    pub seq: u64,
}

/// A pixel to place.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelInput {
    pub x: u32,
    pub y: u32,
    pub color: u8,
    pub expected_color: Option<u8>,
}

/// A rectangle with inclusive corners.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    pub x1: u32,
    pub y1: u32,
    pub x2: u32,
    pub y2: u32,
}

impl Rect {
    /// Returns the smallest rectangle around the pixels, or `None` if there are none.
    pub fn around(pixels: &[PixelInput]) -> Option<Rect> {
        let first = pixels.first()?;
        let start = Rect { x1: first.x, y1: first.y, x2: first.x, y2: first.y };
        Some(pixels.iter().fold(start, |r, d| Rect {
            x1: r.x1.min(d.x),
            y1: r.y1.min(d.y),
            x2: r.x2.max(d.x),
            y2: r.y2.max(d.y),
        }))
    }
}
