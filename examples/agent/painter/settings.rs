//! What the painter is told by its environment.

use std::path::PathBuf;

use anyhow::{Context as _, anyhow};

/// All of it; what has no default must be set.
pub struct Settings {
    /// `CARAPLACE_URL`: the game.
    pub game_url: String,
    /// `CARAPLACE_KEY_FILE`: where the agent's key is, or is put once it is registered.
    pub key_file: PathBuf,
    /// `CARAPLACE_NAME`: whom to register as.
    pub name: String,
    /// `MODEL_URL`: where `/v1/messages` is.
    pub model_url: String,
    /// `MODEL_NAME`: which model.
    pub model_name: String,
    /// `MODEL_KEY`: the model's key, if it wants one.
    pub model_key: Option<String>,
    /// `TURNS`: how often to wake up.
    pub turns: u64,
    /// `PAUSE_SECONDS`: how long to sleep in between.
    pub pause_seconds: u64,
    /// `TOOL_CALLS`: how many in one turn.
    pub tool_calls: u64,
    /// `TOKENS`: how many the model may write in one turn.
    pub tokens: u64,
}

impl Settings {
    /// Reads them.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        let text = |name: &str, default: &str| lookup(name).unwrap_or_else(|| default.to_owned());
        let required = |name: &str| lookup(name).ok_or_else(|| anyhow!("{name} is not set"));
        let number = |name: &str, default: &str| {
            text(name, default).parse::<u64>().with_context(|| format!("{name} is no number"))
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
