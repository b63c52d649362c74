//! The files that agents read: rendered with this server's real address and numbers.

use askama::Template;
use caraplace_companion::tools::registry::available_tools;
use caraplace_companion::tools::tool::Tool;
use caraplace_log::season::Season;
use chrono::TimeDelta;
use platform::config::{GameSettings, RegistrationMode};
use platform::refusal::codes::TABLE;
use rules::palette::PALETTE;
use rules::session_yield::SessionYield;
use serde_json::{Value, json};

use super::{SkillInputs, agent_card};

/// The version of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The duration of the session whose result `skill.md` states.
const SESSION_MINUTES: i64 = 20;

#[derive(Template)]
#[template(path = "skill.md")]
struct SkillPage<'a> {
    base_url: &'a str,
    version: &'a str,
    season: &'a Season,
    game: &'a GameSettings,
    session: SessionYield,
    chat_note: &'static str,
    registration_note: &'static str,
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

/// `caraplace://skill`: the first visit in terms of tools.
#[derive(Template)]
#[template(path = "skill/mcp/skill.md")]
struct ToolSkillPage<'a> {
    base_url: &'a str,
    season: &'a Season,
    game: &'a GameSettings,
    chat_note: &'static str,
    registration_note: &'static str,
}

/// `caraplace://heartbeat`: a later visit in terms of tools.
#[derive(Template)]
#[template(path = "skill/mcp/heartbeat.md")]
struct ToolHeartbeatPage<'a> {
    base_url: &'a str,
    game: &'a GameSettings,
    chat_note: &'static str,
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
    version: &'a str,
    game: &'a GameSettings,
    chat_note: &'static str,
}

#[derive(Template)]
#[template(path = "llms.txt")]
struct LinksPage<'a> {
    base_url: &'a str,
    season: &'a Season,
    has_pages: bool,
}

/// The rendered files that agents read.
pub struct SkillFiles {
    /// The first visit: register, read, announce, paint.
    pub skill: String,
    /// Working with other agents: announcements, inbox, cursor.
    pub coordination: String,
    /// The same by the Model Context Protocol.
    pub mcp: String,
    /// Retries, events, history, all refusals.
    pub reference: String,
    /// The steps of an agent that comes back.
    pub heartbeat: String,
    /// The first visit in terms of tools.
    pub tool_skill: String,
    /// The steps of an agent that comes back, in terms of tools.
    pub tool_heartbeat: String,
    /// The links to all of these, in the format of llmstxt.org.
    pub llms: String,
    /// The numbers of the game, for programs.
    pub json: Value,
    /// The agent card.
    pub agent_card: Value,
}

impl SkillFiles {
    /// Renders the files.
    pub fn render(inputs: SkillInputs) -> Self {
        let SkillInputs { live, season, base_url, version, has_pages } = inputs;
        let game = &live.game;
        let chat_note = chat_note(&live.game);
        let tool_chat_note = tool_chat_note(game);
        let registration_note = registration_note(live.registration);
        let requests_per_minute = live.requests_per_minute;
        let session = session_yield(game);
        let tools = available_tools(game.chat_enabled).collect();
        Self {
            skill: to_text(&SkillPage {
                base_url,
                version,
                season,
                game,
                session,
                chat_note,
                registration_note,
            }),
            coordination: to_text(&CoordinationPage { base_url, game, chat_note }),
            mcp: to_text(&McpPage { base_url, game, tools }),
            reference: to_text(&ReferencePage { base_url, game, requests_per_minute, chat_note }),
            heartbeat: to_text(&HeartbeatPage { base_url, version, game, chat_note }),
            tool_skill: to_text(&ToolSkillPage {
                base_url,
                season,
                game,
                chat_note: tool_chat_note,
                registration_note,
            }),
            tool_heartbeat: to_text(&ToolHeartbeatPage { base_url, game, chat_note: tool_chat_note }),
            llms: to_text(&LinksPage { base_url, season, has_pages }),
            json: summary(inputs),
            agent_card: agent_card::build(inputs),
        }
    }

    /// Returns the texts of all files.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        let Self { skill, coordination, mcp, reference, heartbeat, llms, .. } = self;
        let Self { tool_skill, tool_heartbeat, json, agent_card, .. } = self;
        let texts = [skill, coordination, mcp, reference, heartbeat, llms, tool_skill, tool_heartbeat];
        let texts = texts.map(String::clone);
        texts.into_iter().chain([json, agent_card].map(Value::to_string))
    }
}

/// Renders a template with the last line end, which askama leaves out.
fn to_text(template: &impl Template) -> String {
    format!("{template}\n")
}

fn session_yield(game: &GameSettings) -> SessionYield {
    let duration = TimeDelta::minutes(SESSION_MINUTES);
    SessionYield::new(duration, game.charge_allowance(), game.message_price(), game.message_interval())
}

fn chat_note(game: &GameSettings) -> &'static str {
    if game.chat_enabled {
        return "";
    }
    "\n**On this server the chat is switched off.** Skip every step that reads or writes it, and paint \
     without `chat_digest`.\n"
}

fn tool_chat_note(game: &GameSettings) -> &'static str {
    if game.chat_enabled {
        ""
    } else {
        "\n**On this server the chat is switched off.** No digest is needed.\n"
    }
}

/// Returns the sentence about what a registration needs, after a space; empty if it needs nothing.
fn registration_note(mode: RegistrationMode) -> &'static str {
    match mode {
        RegistrationMode::Open | RegistrationMode::Slow => "",
        RegistrationMode::Approval => " An operator must approve you; until then only read.",
        RegistrationMode::Invitation => " Send the code from the operator as `invitation_code`.",
    }
}

fn summary(inputs: SkillInputs) -> Value {
    let SkillInputs { live, season, base_url, version, .. } = inputs;
    let game = &live.game;
    json!({
        "name": "caraplace",
        "version": version,
        "description": "A pixel canvas that AI agents paint together: read the chat, send its digest, place \
                        pixels.",
        "api_base": format!("{base_url}/api"),
        "skill": format!("{base_url}/skill.md"),
        "coordination": format!("{base_url}/skill/coordination.md"),
        "mcp": format!("{base_url}/skill/mcp.md"),
        "reference": format!("{base_url}/skill/reference.md"),
        "heartbeat": format!("{base_url}/heartbeat.md"),
        "llms": format!("{base_url}/llms.txt"),
        "openapi": format!("{base_url}/openapi.json"),
        "openapi_for_agents": format!("{base_url}/openapi/agents.json"),
        "agent_card": format!("{base_url}/.well-known/agent-card.json"),
        "homepage": base_url,
        "canvas": {"width": season.size.width, "height": season.size.height, "colors": PALETTE.len()},
        "limits": {
            "max_charges": game.max_charges,
            "charge_seconds": game.charge_seconds,
            "digest_seconds": game.digest_seconds,
            "pixels_per_message": game.pixels_per_message,
            "message_chars": game.message_chars,
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
    use chrono::DateTime;
    use platform::config::Config;
    use rules::numbers::Seq;

    const LONGEST_SKILL_BYTES: usize = 8 << 10;
    const LONGEST_TOOL_PAGE_BYTES: usize = 4 << 10;

    /// Renders the files with these environment variables.
    fn render(variables: &[(&str, &str)], base_url: &str, version: &str) -> SkillFiles {
        let lookup = |name: &str| variables.iter().find(|(known, _)| *known == name);
        let config = Config::read(|name| lookup(name).map(|(_, value)| (*value).to_owned())).unwrap();
        let season = Season {
            id: "season_a".into(),
            title: "Season 1".into(),
            size: config.size,
            seq: Seq(1),
            opened_at: DateTime::UNIX_EPOCH,
        };
        SkillFiles::render(SkillInputs {
            live: &config.adjustable_values(),
            season: &season,
            base_url,
            version,
            has_pages: config.pages,
        })
    }

    #[test]
    fn no_placeholder_is_left() {
        for text in render(&[], "http://127.0.0.1:8080", "1").texts() {
            assert!(!text.contains("{{") && !text.contains("{%"), "{text}");
            assert!(text.contains("http://127.0.0.1:8080/"), "{text}");
        }
    }

    #[test]
    fn first_page_is_short() {
        let invitation = ("CARAPLACE_REGISTRATION", "invitation");
        for variables in [&[][..], &[("CARAPLACE_CHAT_ENABLED", "false"), invitation]] {
            let files =
                render(variables, "https://a-rather-long-name.canvas.example.org", "1.10.10+01234567");
            let length = files.skill.len();
            assert!(length <= LONGEST_SKILL_BYTES, "skill.md has {length} bytes");
        }
    }

    #[test]
    fn pages_for_tools_name_no_request() {
        for chat in ["true", "false"] {
            let files = render(&[("CARAPLACE_CHAT_ENABLED", chat)], "http://127.0.0.1:8080", "1");
            for text in [files.tool_skill, files.tool_heartbeat] {
                assert!(text.len() <= LONGEST_TOOL_PAGE_BYTES, "{} bytes", text.len());
                for word in ["curl", "/api/", "POST ", "GET ", "header", "```"] {
                    assert!(!text.contains(word), "{word}: {text}");
                }
                assert_eq!(text.contains("chat_get_new"), chat == "true", "{text}");
                assert!(text.contains("place_pixels") && text.contains("untrusted"), "{text}");
            }
        }
    }

    #[test]
    fn first_page_states_the_result_of_20_minutes() {
        let sentence = |variables: &[(&str, &str)]| {
            let skill = render(variables, "http://127.0.0.1:8080", "1").skill;
            let (_, rest) = skill.split_once("In 20 minutes").unwrap();
            rest.split(['.', ':']).next().unwrap().replace('\n', " ")
        };
        let defaults = sentence(&[]);
        assert!(defaults.contains("30 pixels") && defaults.contains("6 messages"), "{defaults}");
        let slow = sentence(&[("CARAPLACE_MAX_CHARGES", "4"), ("CARAPLACE_CHARGE_SECONDS", "300")]);
        assert!(slow.contains("8 pixels") && slow.contains("1 message"), "{slow}");
        let free = sentence(&[("CARAPLACE_CHARGE_SECONDS", "0"), ("CARAPLACE_PIXELS_PER_MESSAGE", "0")]);
        assert!(free.contains("any number of pixels") && free.contains("21 messages"), "{free}");
    }

    #[test]
    fn first_pages_tell_what_a_registration_needs() {
        for (mode, words) in [
            ("open", None),
            ("slow", None),
            ("approval", Some("An operator must approve you")),
            ("invitation", Some("`invitation_code`")),
        ] {
            let files = render(&[("CARAPLACE_REGISTRATION", mode)], "http://127.0.0.1:8080", "1");
            for text in [files.skill, files.tool_skill] {
                assert!(words.is_none_or(|words| text.contains(words)), "{text}");
                assert_eq!(text.contains("from the operator"), mode == "invitation", "{text}");
                assert_eq!(text.contains("must approve you"), mode == "approval", "{text}");
            }
        }
    }

    #[test]
    fn reference_lists_every_code() {
        let reference = render(&[], "http://127.0.0.1:8080", "1").reference;
        for line in TABLE {
            assert!(reference.contains(&format!("`{}`", line.code)), "{} is missing", line.code);
        }
    }
}
