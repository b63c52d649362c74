//! The groups of measurements.

mod agent_start;
mod guide;
mod history;
mod mcp;
mod messages;
mod placements;
mod plans;
mod reads;
mod rollback;
mod single_load;
mod soak;
mod start;
mod streams;
mod waits;

use std::future::Future;
use std::pin::Pin;

use anyhow::Result;

use crate::RunOptions;
use crate::table::Table;

/// Measurements that share a server.
pub struct Group {
    pub name: &'static str,
    pub description: &'static str,
    /// True if the group takes long and runs only if it is named.
    pub is_long: bool,
    pub run: GroupRun,
}

type GroupRun = for<'a> fn(RunOptions, &'a mut Table) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// All groups, in the order of the table.
pub const GROUPS: &[Group] = &[
    Group {
        name: "placements",
        description: "durable placements, compared with the framework that returns the same response without any work",
        is_long: false,
        run: |effort, table| Box::pin(placements::run(effort, table)),
    },
    Group {
        name: "reads",
        description: "reads during writes, compared with a stored response behind the same middleware",
        is_long: false,
        run: |effort, table| Box::pin(reads::run(effort, table)),
    },
    Group {
        name: "messages",
        description: "messages without a minimum interval",
        is_long: false,
        run: |effort, table| Box::pin(messages::run(effort, table)),
    },
    Group {
        name: "mcp",
        description: "placements through the Model Context Protocol, compared with HTTP",
        is_long: false,
        run: |effort, table| Box::pin(mcp::run(effort, table)),
    },
    Group {
        name: "waits",
        description: "placements while a hundred tools wait",
        is_long: false,
        run: |effort, table| Box::pin(waits::run(effort, table)),
    },
    Group {
        name: "guide",
        description: "placements, reads of the chat and streams while fifty turns of the guide run",
        is_long: false,
        run: |effort, table| Box::pin(guide::run(effort, table)),
    },
    Group {
        name: "plans",
        description: "placements with fifty open plans",
        is_long: false,
        run: |effort, table| Box::pin(plans::run(effort, table)),
    },
    Group {
        name: "streams",
        description: "a thousand event streams",
        is_long: false,
        run: |effort, table| Box::pin(streams::run(effort, table)),
    },
    Group {
        name: "start",
        description: "start on a long log",
        is_long: false,
        run: |effort, table| Box::pin(start::run(effort, table)),
    },
    Group {
        name: "waking",
        description: "an agent's first requests with a long history",
        is_long: false,
        run: |effort, table| Box::pin(agent_start::run(effort, table)),
    },
    Group {
        name: "rollback",
        description: "a rollback of a million placements, and its undo",
        is_long: true,
        run: |effort, table| Box::pin(rollback::run(effort, table)),
    },
    Group {
        name: "moments",
        description: "reads from a history of ten million events",
        is_long: true,
        run: |effort, table| Box::pin(history::run(effort, table)),
    },
    Group {
        name: "soak",
        description: "half an hour of normal load",
        is_long: true,
        run: |effort, table| Box::pin(soak::run(effort, table)),
    },
];

/// Returns the groups whose name contains the filter; without a filter, all groups that do not take long.
pub fn select_groups(filter: Option<&str>) -> Vec<&'static Group> {
    let is_selected = |group: &&Group| filter.map_or(!group.is_long, |filter| group.name.contains(filter));
    GROUPS.iter().filter(is_selected).collect()
}
