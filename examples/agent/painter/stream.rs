//! An answer of the model while it is streamed: server-sent events that build it block by block.

use anyhow::bail;
use serde_json::{Value, json};

/// What the model answered.
#[derive(Default)]
pub struct Answer {
    unread: Vec<u8>,
    /// Texts and calls of tools, as they go back into the conversation.
    pub blocks: Vec<Value>,
    /// The arguments of the tool that is being called.
    arguments: String,
    /// Tokens that the model says it has written.
    reported: u64,
    /// Bytes that it has.
    written: usize,
    ended: bool,
}

impl Answer {
    /// Whether the model came to an end.
    pub fn is_whole(&self) -> bool {
        self.ended
    }

    /// How much the model has written: what it says, or what three bytes a token come to where that is more.
    pub fn tokens(&self) -> u64 {
        self.reported.max(self.written.div_ceil(3) as u64)
    }

    /// Takes in what has arrived, wherever it was cut.
    pub fn feed(&mut self, piece: &[u8]) -> anyhow::Result<()> {
        self.unread.extend_from_slice(piece);
        while let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            if let Some(data) = line.strip_prefix("data:") {
                self.take(&serde_json::from_str(data.trim())?)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, event: &Value) -> anyhow::Result<()> {
        match event["type"].as_str().unwrap_or_default() {
            "content_block_start" => {
                self.arguments.clear();
                self.blocks.push(event["content_block"].clone());
            }
            "content_block_delta" => self.grow(&event["delta"]),
            "content_block_stop" => self.close()?,
            "message_delta" => {
                self.reported = event["usage"]["output_tokens"].as_u64().unwrap_or(self.reported);
            }
            "message_stop" => self.ended = true,
            "error" => bail!("the model failed: {}", event["error"]),
            _ => {}
        }
        Ok(())
    }

    fn grow(&mut self, delta: &Value) {
        let Some(block) = self.blocks.last_mut() else { return };
        let arguments = delta["partial_json"].as_str().unwrap_or_default();
        self.written += delta["text"].as_str().unwrap_or_default().len() + arguments.len();
        if let Some(text) = delta["text"].as_str() {
            block["text"] = json!(format!("{}{text}", block["text"].as_str().unwrap_or_default()));
        }
        self.arguments.push_str(arguments);
    }

    fn close(&mut self) -> anyhow::Result<()> {
        let Some(block) = self.blocks.last_mut().filter(|block| block["type"] == "tool_use") else {
            return Ok(());
        };
        let arguments = if self.arguments.is_empty() { "{}" } else { &self.arguments };
        block["input"] = serde_json::from_str(arguments)?;
        Ok(())
    }
}
