//! The registry of tools: finds those that agents and the guide may call.

use super::table::TOOLS;
use super::tool::{Tool, ToolAudience};

/// Returns the tools that agents may call now, with or without those of the chat.
pub fn available_tools(has_chat: bool) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(move |tool| tool.audience != ToolAudience::Guide && (has_chat || !tool.needs_chat))
}

/// Returns the tools that the guide may call now, with or without those of the chat.
pub(crate) fn guide_tools(has_chat: bool) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(move |tool| tool.audience != ToolAudience::Agents && (has_chat || !tool.needs_chat))
}

/// Returns the tool with this name, for agents or for the guide; `None` if there is none. The model of the
/// guide may call a tool that it was not offered, so callers must check [`Tool::is_for_guide`].
pub(crate) fn find_tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::tools::tool::ToolEffect;

    #[test]
    fn the_guide_reads_and_proposes_and_is_denied_everything_else() {
        let names: Vec<_> = guide_tools(true).map(|tool| tool.name).collect();
        assert_eq!(names, ["search", "read", "context", "timeline", "propose"]);
        for tool in TOOLS {
            let is_allowed = tool.is_for_guide();
            assert_eq!(is_allowed, names.contains(&tool.name), "{}", tool.name);
            assert!(!is_allowed || !tool.effect.is_change(&Map::new()), "{}", tool.name);
        }
    }

    #[test]
    fn agents_are_not_offered_the_tools_of_the_guide() {
        let agents: Vec<_> = available_tools(true).map(|tool| tool.name).collect();
        assert!(agents.contains(&"search"));
        assert!(["read", "context", "timeline", "propose"].iter().all(|own| !agents.contains(own)));
        assert_eq!(find_tool("propose").map(|tool| tool.effect), Some(ToolEffect::Proposes));
        assert!(find_tool("drop_tables").is_none());
    }
}
