//! What is measured, group by group.

mod mcp;
mod messages;
mod moments;
mod placements;
mod reads;
mod rollback;
mod soak;
mod start;
mod streams;
mod waking;

use std::future::Future;
use std::pin::Pin;

use anyhow::Result;

use crate::Effort;
use crate::table::Table;

/// Rows that share a server.
pub struct Group {
    pub name: &'static str,
    pub about: &'static str,
    /// Too long to be part of every run: only where it is named.
    pub long: bool,
    pub run: Run,
}

type Run = for<'a> fn(Effort, &'a mut Table) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// All groups, in the order of the table.
pub const GROUPS: &[Group] = &[
    Group {
        name: "placements",
        about: "durable placements, beside the framework that answers the same without doing anything",
        long: false,
        run: |effort, table| Box::pin(placements::run(effort, table)),
    },
    Group {
        name: "reads",
        about: "reading while the world changes, beside a shelf behind the same layers",
        long: false,
        run: |effort, table| Box::pin(reads::run(effort, table)),
    },
    Group {
        name: "messages",
        about: "messages with no interval between them",
        long: false,
        run: |effort, table| Box::pin(messages::run(effort, table)),
    },
    Group {
        name: "mcp",
        about: "placements through the Model Context Protocol, beside plain ones",
        long: false,
        run: |effort, table| Box::pin(mcp::run(effort, table)),
    },
    Group {
        name: "streams",
        about: "a thousand watchers",
        long: false,
        run: |effort, table| Box::pin(streams::run(effort, table)),
    },
    Group {
        name: "start",
        about: "starting on a long log",
        long: false,
        run: |effort, table| Box::pin(start::run(effort, table)),
    },
    Group {
        name: "waking",
        about: "what an agent asks first, on a long past",
        long: false,
        run: |effort, table| Box::pin(waking::run(effort, table)),
    },
    Group {
        name: "rollback",
        about: "a million placements rolled back and brought back",
        long: true,
        run: |effort, table| Box::pin(rollback::run(effort, table)),
    },
    Group {
        name: "moments",
        about: "looking back over ten million events",
        long: true,
        run: |effort, table| Box::pin(moments::run(effort, table)),
    },
    Group {
        name: "soak",
        about: "half an hour of ordinary life",
        long: true,
        run: |effort, table| Box::pin(soak::run(effort, table)),
    },
];

/// The groups whose name holds this; without it, all that are not long.
pub fn named(filter: Option<&str>) -> Vec<&'static Group> {
    let wanted = |group: &&Group| filter.map_or(!group.long, |filter| group.name.contains(filter));
    GROUPS.iter().filter(wanted).collect()
}
