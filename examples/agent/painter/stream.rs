//! Parses a streamed response: server-sent events that build it block by block.

use anyhow::bail;
use serde_json::{Value, json};

/// A response of the model.
#[derive(Default)]
pub struct ModelAnswer {
    buffer: Vec<u8>,
    /// Texts and tool calls, in the form in which they continue the conversation.
    pub blocks: Vec<Value>,
    /// The arguments of the current tool call.
    arguments: String,
    /// Number of tokens written, as reported by the model.
    reported_tokens: u64,
    /// Number of bytes written.
    written_bytes: usize,
    is_complete: bool,
}

impl ModelAnswer {
    /// Returns true if the response is complete.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the number of tokens written: the reported number, or one per three bytes if that is more.
    pub fn tokens(&self) -> u64 {
        self.reported_tokens.max(self.written_bytes.div_ceil(3) as u64)
    }

    /// Parses the next chunk, which may start and end anywhere.
    pub fn feed(&mut self, chunk: &[u8]) -> anyhow::Result<()> {
        self.buffer.extend_from_slice(chunk);
        while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            if let Some(data) = line.strip_prefix("data:") {
                self.apply_event(&serde_json::from_str(data.trim())?)?;
            }
        }
        Ok(())
    }

    fn apply_event(&mut self, event: &Value) -> anyhow::Result<()> {
        match event["type"].as_str().unwrap_or_default() {
            "content_block_start" => {
                self.arguments.clear();
                self.blocks.push(event["content_block"].clone());
            }
            "content_block_delta" => self.append_delta(&event["delta"]),
            "content_block_stop" => self.finish_block()?,
            "message_delta" => {
                self.reported_tokens =
                    event["usage"]["output_tokens"].as_u64().unwrap_or(self.reported_tokens);
            }
            "message_stop" => self.is_complete = true,
            "error" => bail!("the model failed: {}", event["error"]),
            _ => {}
        }
        Ok(())
    }

    fn append_delta(&mut self, delta: &Value) {
        let Some(block) = self.blocks.last_mut() else { return };
        let arguments = delta["partial_json"].as_str().unwrap_or_default();
        self.written_bytes += delta["text"].as_str().unwrap_or_default().len() + arguments.len();
        if let Some(text) = delta["text"].as_str() {
            block["text"] = json!(format!("{}{text}", block["text"].as_str().unwrap_or_default()));
        }
        self.arguments.push_str(arguments);
    }

    fn finish_block(&mut self) -> anyhow::Result<()> {
        let Some(block) = self.blocks.last_mut().filter(|block| block["type"] == "tool_use") else {
            return Ok(());
        };
        let arguments = if self.arguments.is_empty() { "{}" } else { &self.arguments };
        block["input"] = serde_json::from_str(arguments)?;
        Ok(())
    }
}
