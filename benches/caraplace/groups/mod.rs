//! What is measured, group by group.

mod agent_start;
mod history;
mod mcp;
mod messages;
mod placements;
mod reads;
mod rollback;
mod soak;
mod start;
mod streams;

use std::future::Future;
use std::pin::Pin;

use anyhow::Result;

use crate::RunOptions;
use crate::table::Table;

/// Rows that share a server.
pub struct Group {
    pub name: &'static str,
    pub description: &'static str,
    /// Too long to be part of every run: only where it is named.
    pub is_long: bool,
    pub run: GroupRun,
}

type GroupRun = for<'a> fn(RunOptions, &'a mut Table) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// All groups, in the order of the table.
pub const GROUPS: &[Group] = &[
    Group {
        name: "placements",
        description: "durable placements, beside the framework that answers the same without doing anything",
        is_long: false,
        run: |effort, table| Box::pin(placements::run(effort, table)),
    },
    Group {
        name: "reads",
        description: "reading while the world changes, beside a shelf behind the same layers",
        is_long: false,
        run: |effort, table| Box::pin(reads::run(effort, table)),
    },
    Group {
        name: "messages",
        description: "messages with no interval between them",
        is_long: false,
        run: |effort, table| Box::pin(messages::run(effort, table)),
    },
    Group {
        name: "mcp",
        description: "placements through the Model Context Protocol, beside plain ones",
        is_long: false,
        run: |effort, table| Box::pin(mcp::run(effort, table)),
    },
    Group {
        name: "streams",
        description: "a thousand watchers",
        is_long: false,
        run: |effort, table| Box::pin(streams::run(effort, table)),
    },
    Group {
        name: "start",
        description: "starting on a long log",
        is_long: false,
        run: |effort, table| Box::pin(start::run(effort, table)),
    },
    Group {
        name: "waking",
        description: "what an agent asks first, on a long past",
        is_long: false,
        run: |effort, table| Box::pin(agent_start::run(effort, table)),
    },
    Group {
        name: "rollback",
        description: "a million placements rolled back and brought back",
        is_long: true,
        run: |effort, table| Box::pin(rollback::run(effort, table)),
    },
    Group {
        name: "moments",
        description: "looking back over ten million events",
        is_long: true,
        run: |effort, table| Box::pin(history::run(effort, table)),
    },
    Group {
        name: "soak",
        description: "half an hour of ordinary life",
        is_long: true,
        run: |effort, table| Box::pin(soak::run(effort, table)),
    },
];

/// The groups whose name holds this; without it, all that are not long.
pub fn select_groups(filter: Option<&str>) -> Vec<&'static Group> {
    let is_selected = |group: &&Group| filter.map_or(!group.is_long, |filter| group.name.contains(filter));
    GROUPS.iter().filter(is_selected).collect()
}
