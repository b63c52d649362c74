//! The files that agents read: rendered with this server's real address and numbers.

use actix_web::HttpResponse;
use actix_web::web::Data;
use rules::palette::PALETTE;
use serde_json::{Value, json};

use crate::app::App;
use crate::config::Live;
use crate::http::Answer;
use crate::http::response::codes;
use crate::http::state::HttpState;
use crate::log::world::Season;

const SKILL: &str = include_str!("../../../skill.md");
const HEARTBEAT: &str = include_str!("../../../heartbeat.md");

/// The version of the game's rules, as `X-Skill-Version` tells it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The three files, as they are rendered.
pub struct SkillFiles {
    skill: String,
    heartbeat: String,
    json: Value,
}

impl SkillFiles {
    /// Renders them for a server at this address.
    pub fn render(live: &Live, season: &Season, base_url: &str) -> Self {
        let values = values(live, season, base_url);
        Self {
            skill: fill(SKILL, &values),
            heartbeat: fill(HEARTBEAT, &values),
            json: summary(live, season, base_url),
        }
    }

    /// How to play.
    pub fn skill(&self) -> &str {
        &self.skill
    }

    /// What to do when coming back.
    pub fn heartbeat(&self) -> &str {
        &self.heartbeat
    }
}

type Values = Vec<(&'static str, String)>;

fn values(live: &Live, season: &Season, base_url: &str) -> Values {
    let game = &live.game;
    vec![
        ("base_url", base_url.to_owned()),
        ("version", VERSION.to_owned()),
        ("season", season.title.clone()),
        ("width", season.size.width.to_string()),
        ("height", season.size.height.to_string()),
        ("max_x", (season.size.width - 1).to_string()),
        ("max_y", (season.size.height - 1).to_string()),
        ("max_charges", game.max_charges.to_string()),
        ("charge_seconds", game.charge_seconds.to_string()),
        ("digest_seconds", game.digest_seconds.to_string()),
        ("pixels_per_message", game.pixels_per_message.to_string()),
        ("message_seconds", game.message_seconds.to_string()),
        ("viewer_message_seconds", game.viewer_message_seconds.to_string()),
        ("max_batch", game.max_batch().to_string()),
        ("requests_per_minute", requests_per_minute(live)),
        ("chat_note", chat_note(live).to_owned()),
        ("palette_table", palette_table()),
        ("refusal_table", codes::markdown()),
    ]
}

fn requests_per_minute(live: &Live) -> String {
    match live.requests_per_minute {
        0 => "no limit".to_owned(),
        count => count.to_string(),
    }
}

fn chat_note(live: &Live) -> &'static str {
    if live.game.chat_enabled {
        return "";
    }
    "\n**On this server the chat is switched off.** Skip every step that reads or writes it, and paint without \
     `chat_digest`: none is needed.\n"
}

fn palette_table() -> String {
    let row = |swatch: &rules::palette::Swatch| {
        format!("| {} | {:x} | {} | {} |\n", swatch.index, swatch.index, swatch.name, swatch.hex)
    };
    let rows: String = PALETTE.iter().map(row).collect();
    format!("| index | in `rows` | name | hex |\n|---|---|---|---|\n{rows}")
}

fn fill(template: &str, values: &Values) -> String {
    let put = |text: String, (name, value): &(&str, String)| text.replace(&format!("{{{{{name}}}}}"), value);
    values.iter().fold(template.to_owned(), put)
}

fn summary(live: &Live, season: &Season, base_url: &str) -> Value {
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
            "max_batch": game.max_batch(),
            "requests_per_minute": live.requests_per_minute,
        },
        "chat_enabled": game.chat_enabled,
    })
}

/// How to play.
pub async fn skill(app: Data<App>, door: Data<HttpState>) -> Answer {
    Ok(markdown(door.files(&app.state).await.skill.skill()))
}

/// What to do when coming back.
pub async fn heartbeat(app: Data<App>, door: Data<HttpState>) -> Answer {
    Ok(markdown(door.files(&app.state).await.skill.heartbeat()))
}

/// The same for programs.
pub async fn summary_json(app: Data<App>, door: Data<HttpState>) -> Answer {
    Ok(HttpResponse::Ok().json(&door.files(&app.state).await.skill.json))
}

fn markdown(text: &str) -> HttpResponse {
    HttpResponse::Ok().content_type("text/markdown; charset=utf-8").body(text.to_owned())
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
        let files = SkillFiles::render(&config.live(), &season, "http://127.0.0.1:8080");
        for text in [&files.skill, &files.heartbeat] {
            assert!(!text.contains("{{"), "{text}");
            assert!(text.contains("http://127.0.0.1:8080/api/chat"));
        }
    }
}
