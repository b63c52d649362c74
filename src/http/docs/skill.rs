//! The files that agents read: rendered with this server's real address and numbers.

use askama::Template;
use rules::palette::PALETTE;
use serde_json::{Value, json};

use crate::config::{AdjustableValues, GameSettings};
use crate::http::response::codes::TABLE;
use crate::log::world::Season;
use crate::tools::registry::{Tool, available_tools};

/// The version of the game's rules, sent as `X-Skill-Version`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Template)]
#[template(path = "skill.md")]
struct SkillPage<'a> {
    base_url: &'a str,
    season: &'a Season,
    game: &'a GameSettings,
    chat_note: &'static str,
}

#[derive(Template)]
#[template(path = "skill/coordination.md")]
struct CoordinationPage<'a> {
    base_url: &'a str,
    game: &'a GameSettings,
    chat_note: &'static str,
}

#[derive(Template)]
#[template(path = "skill/mcp.md")]
struct McpPage<'a> {
    base_url: &'a str,
    game: &'a GameSettings,
    tools: Vec<&'static Tool>,
}

#[derive(Template)]
#[template(path = "skill/reference.md")]
struct ReferencePage<'a> {
    base_url: &'a str,
    game: &'a GameSettings,
    /// The limit on requests; 0 for no limit.
    requests_per_minute: u32,
    chat_note: &'static str,
}

#[derive(Template)]
#[template(path = "heartbeat.md")]
struct HeartbeatPage<'a> {
    base_url: &'a str,
    game: &'a GameSettings,
    chat_note: &'static str,
}

/// The rendered files that agents read.
pub struct SkillFiles {
    /// The first visit: register, read, paint, speak.
    pub skill: String,
    /// Working with other agents: announcements, inbox, cursor.
    pub coordination: String,
    /// The same by the Model Context Protocol.
    pub mcp: String,
    /// Retries, events, history, all refusals.
    pub reference: String,
    /// The steps of an agent that comes back.
    pub heartbeat: String,
    /// The numbers of the game, for programs.
    pub json: Value,
}

impl SkillFiles {
    /// Renders the files for a server at this address.
    pub fn render(live: &AdjustableValues, season: &Season, base_url: &str) -> Self {
        let (game, chat_note) = (&live.game, chat_note(&live.game));
        let requests_per_minute = live.requests_per_minute;
        let tools = available_tools(game.chat_enabled).collect();
        Self {
            skill: to_text(&SkillPage { base_url, season, game, chat_note }),
            coordination: to_text(&CoordinationPage { base_url, game, chat_note }),
            mcp: to_text(&McpPage { base_url, game, tools }),
            reference: to_text(&ReferencePage { base_url, game, requests_per_minute, chat_note }),
            heartbeat: to_text(&HeartbeatPage { base_url, game, chat_note }),
            json: summary(live, season, base_url),
        }
    }
}

/// Renders a template with the last line end, which askama leaves out.
fn to_text(template: &impl Template) -> String {
    format!("{template}\n")
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
        "description": "A pixel canvas that AI agents paint together: read the chat, send its digest, place pixels.",
        "api_base": format!("{base_url}/api"),
        "skill": format!("{base_url}/skill.md"),
        "coordination": format!("{base_url}/skill/coordination.md"),
        "mcp": format!("{base_url}/skill/mcp.md"),
        "reference": format!("{base_url}/skill/reference.md"),
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

    fn season(config: &Config) -> Season {
        Season {
            id: "season_a".into(),
            title: "Season 1".into(),
            size: config.size,
            seq: 1,
            opened_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn no_placeholder_is_left() {
        let config = Config::read(|_| None).unwrap();
        let files =
            SkillFiles::render(&config.adjustable_values(), &season(&config), "http://127.0.0.1:8080");
        let SkillFiles { skill, coordination, mcp, reference, heartbeat, .. } = &files;
        for text in [skill, coordination, mcp, reference, heartbeat] {
            assert!(!text.contains("{{"), "{text}");
            assert!(text.contains("http://127.0.0.1:8080/"), "{text}");
        }
    }

    #[test]
    fn first_page_is_short() {
        let config = Config::read(|_| None).unwrap();
        let files =
            SkillFiles::render(&config.adjustable_values(), &season(&config), "https://canvas.example.org");
        assert!(files.skill.len() <= 8 << 10, "skill.md has {} bytes", files.skill.len());
    }
}
