//! The conversation with the model, and the order of what it consists of.

use serde_json::{Value, json};

use super::prompt::PromptSection;

/// A conversation. Of each section it remembers the name and the size, in the order of the prompt.
pub struct Conversation {
    system: String,
    messages: Vec<Value>,
    sections: Vec<(&'static str, usize)>,
}

impl Conversation {
    /// Returns a conversation without messages.
    pub fn new(system: PromptSection) -> Self {
        let sections = vec![(system.name, system.text.len())];
        Self { system: system.text, messages: Vec::new(), sections }
    }

    /// Adds a message of the user with these sections.
    pub fn begin_message(&mut self, sections: impl IntoIterator<Item = PromptSection>) {
        self.messages.push(json!({"role": "user", "content": []}));
        sections.into_iter().for_each(|section| self.append(&section));
    }

    /// Adds a section to the last message, because two messages of the same role may not follow each other.
    pub fn append(&mut self, section: &PromptSection) {
        self.sections.push((section.name, section.text.len()));
        if let Some(content) = self.messages.last_mut().and_then(|message| message["content"].as_array_mut())
        {
            content.push(json!({"type": "text", "text": section.text}));
        }
    }

    /// Adds an answer of the model, and the results of its tool calls.
    pub fn add_results(&mut self, answer: Vec<Value>, results: Vec<Value>) {
        for (name, role, content) in [("answer", "assistant", answer), ("results", "user", results)] {
            let content = Value::from(content);
            self.sections.push((name, content.to_string().len()));
            self.messages.push(json!({"role": role, "content": content}));
        }
    }

    /// Returns the prompt with these tools.
    pub fn to_prompt(&self, tools: &Value) -> Value {
        json!({"system": self.system, "messages": self.messages, "tools": tools})
    }

    /// Returns a line for the log: the sections of the prompt in their order, with their sizes in bytes.
    pub fn describe(&self) -> String {
        let sections = self.sections.iter().map(|(name, bytes)| format!("{name} {bytes}"));
        format!("prompt in bytes: {}", sections.collect::<Vec<_>>().join(", "))
    }
}
