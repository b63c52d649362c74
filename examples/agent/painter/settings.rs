//! The settings, read from environment variables.

use std::path::PathBuf;

use anyhow::{Context as _, anyhow};

/// All settings. A setting without a default is required.
pub struct Settings {
    /// `CARAPLACE_URL`: the address of the game.
    pub game_url: String,
    /// `CARAPLACE_KEY_FILE`: the file with the agent's key, which is created by the registration.
    pub key_file: PathBuf,
    /// `CARAPLACE_NAME`: the name to register.
    pub name: String,
    /// `MODEL_URL`: the base address, without `/v1/messages`.
    pub model_url: String,
    /// `MODEL_NAME`: the name of the model.
    pub model_name: String,
    /// `MODEL_KEY`: the model's API key, if it needs one.
    pub model_key: Option<String>,
    /// `TURNS`: the number of turns.
    pub turns: u64,
    /// `PAUSE_SECONDS`: the pause between two turns.
    pub pause_seconds: u64,
    /// `TOOL_CALLS`: the maximum number of tool calls per turn.
    pub tool_calls: u64,
    /// `TOKENS`: the maximum number of tokens that the model may write per turn.
    pub tokens: u64,
}

impl Settings {
    /// Reads the settings.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        let text = |name: &str, default: &str| lookup(name).unwrap_or_else(|| default.to_owned());
        let required = |name: &str| lookup(name).ok_or_else(|| anyhow!("{name} is not set"));
        let number = |name: &str, default: &str| {
            text(name, default).parse::<u64>().with_context(|| format!("{name} is not a number"))
        };
        Ok(Self {
            game_url: text("CARAPLACE_URL", "http://127.0.0.1:8080"),
            key_file: text("CARAPLACE_KEY_FILE", "caraplace.key").into(),
            name: text("CARAPLACE_NAME", "Model Painter"),
            model_url: required("MODEL_URL")?,
            model_name: required("MODEL_NAME")?,
            model_key: lookup("MODEL_KEY"),
            turns: number("TURNS", "3")?,
            pause_seconds: number("PAUSE_SECONDS", "300")?,
            tool_calls: number("TOOL_CALLS", "12")?,
            tokens: number("TOKENS", "4096")?,
        })
    }
}
