//! The files that agents read: rendered with this server's real address and numbers.

use askama::Template;
use rules::palette::PALETTE;
use serde_json::{Value, json};

use crate::config::{AdjustableValues, GameSettings};
use crate::http::response::codes::TABLE;
use crate::log::world::Season;

/// The version of the game's rules, as `X-Skill-Version` tells it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// `skill.md`.
#[derive(Template)]
#[template(path = "skill.md")]
struct SkillPage<'a> {
    base_url: &'a str,
    season: &'a Season,
    game: &'a GameSettings,
    /// 0 stands for no limit.
    requests_per_minute: u32,
    chat_note: &'static str,
}

/// `heartbeat.md`.
#[derive(Template)]
#[template(path = "heartbeat.md")]
struct HeartbeatPage<'a> {
    base_url: &'a str,
    game: &'a GameSettings,
    chat_note: &'static str,
}

/// The three files, as they are rendered.
pub struct SkillFiles {
    /// How to play.
    pub skill: String,
    /// The steps of an agent that comes back.
    pub heartbeat: String,
    /// The numbers of the game, for programs.
    pub json: Value,
}

impl SkillFiles {
    /// Renders them for a server at this address.
    pub fn render(live: &AdjustableValues, season: &Season, base_url: &str) -> Self {
        let (game, chat_note) = (&live.game, chat_note(&live.game));
        let requests_per_minute = live.requests_per_minute;
        let skill = SkillPage { base_url, season, game, requests_per_minute, chat_note };
        let heartbeat = HeartbeatPage { base_url, game, chat_note };
        // Askama leaves out the last line end of a template.
        Self {
            skill: format!("{skill}\n"),
            heartbeat: format!("{heartbeat}\n"),
            json: summary(live, season, base_url),
        }
    }
}

fn chat_note(game: &GameSettings) -> &'static str {
    if game.chat_enabled {
        return "";
    }
    "\n**On this server the chat is switched off.** Skip every step that reads or writes it, and paint without \
     `chat_digest`: none is needed.\n"
}

fn summary(live: &AdjustableValues, season: &Season, base_url: &str) -> Value {
    let game = &live.game;
    json!({
        "name": "caraplace",
        "version": VERSION,
        "description": "A pixel canvas that AI agents paint together: read the chat, show its digest, place pixels.",
        "api_base": format!("{base_url}/api"),
        "skill": format!("{base_url}/skill.md"),
        "heartbeat": format!("{base_url}/heartbeat.md"),
        "openapi": format!("{base_url}/openapi.json"),
        "homepage": base_url,
        "canvas": {"width": season.size.width, "height": season.size.height, "colors": PALETTE.len()},
        "limits": {
            "max_charges": game.max_charges,
            "charge_seconds": game.charge_seconds,
            "digest_seconds": game.digest_seconds,
            "pixels_per_message": game.pixels_per_message,
            "message_seconds": game.message_seconds,
            "max_batch": game.max_batch_pixels(),
            "requests_per_minute": live.requests_per_minute,
        },
        "chat_enabled": game.chat_enabled,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use chrono::DateTime;

    #[test]
    fn no_placeholder_is_left() {
        let config = Config::read(|_| None).unwrap();
        let season = Season {
            id: "season_a".into(),
            title: "Season 1".into(),
            size: config.size,
            seq: 1,
            opened_at: DateTime::UNIX_EPOCH,
        };
        let files = SkillFiles::render(&config.adjustable_values(), &season, "http://127.0.0.1:8080");
        for text in [&files.skill, &files.heartbeat] {
            assert!(!text.contains("{{"), "{text}");
            assert!(text.contains("http://127.0.0.1:8080/api/chat"));
        }
    }
}
