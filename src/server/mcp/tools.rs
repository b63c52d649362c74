//! The list of tools in the format of the protocol.

use std::convert::Infallible;
use std::sync::Arc;

use caraplace_companion::app::App;
use caraplace_companion::tools::registry::available_tools;
use caraplace_companion::tools::tool::{Tool, ToolEffect};
use platform::cache::Cache;
use platform::schema::bounds::FieldBounds;
use rmcp::model::{Tool as ListedTool, ToolAnnotations};

/// The size of the cache of descriptions, and the approximate size of one.
const MAX_CACHED_BYTES: u32 = 8 << 20;
const DESCRIPTION_BYTES: usize = 8 << 10;

/// The cache of the list of tools, by the bounds of the game.
pub struct ToolLists(Cache<FieldBounds, Arc<[ListedTool]>, Infallible>);

impl Default for ToolLists {
    fn default() -> Self {
        Self(Cache::new("tools", MAX_CACHED_BYTES, None, |tools| tools.len() * DESCRIPTION_BYTES))
    }
}

impl ToolLists {
    /// Returns the tools that are available now.
    pub async fn current(&self, app: &App) -> Arc<[ListedTool]> {
        let size = app.state.read_world(|world| world.season.size);
        let bounds = FieldBounds::new(&app.state.game(), size);
        let list =
            async { Ok(available_tools(bounds.has_chat()).map(|tool| list_entry(tool, &bounds)).collect()) };
        let Ok(tools) = self.0.get_or_compute(bounds, |_| true, list).await;
        tools
    }
}

fn list_entry(tool: &Tool, bounds: &FieldBounds) -> ListedTool {
    ListedTool::new(tool.name, tool.description, Arc::new(tool.input_schema(bounds)))
        .with_annotations(annotations(tool.effect))
}

/// Returns the protocol's hints without those that have their default value: every tool deals with data of
/// other agents, and a tool that only reads is neither destructive nor changed by repetition.
fn annotations(effect: ToolEffect) -> ToolAnnotations {
    let hints = ToolAnnotations::new();
    match effect {
        ToolEffect::ReadOnly => hints.read_only(true),
        ToolEffect::Acknowledges
        | ToolEffect::Changes
        | ToolEffect::ChangesWith(_)
        | ToolEffect::Proposes => hints.destructive(false),
        ToolEffect::Overwrites => hints.destructive(true),
    }
}
