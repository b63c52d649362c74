//! What is measured, group by group.

mod placements;

use std::future::Future;
use std::pin::Pin;

use anyhow::Result;

use crate::Effort;
use crate::table::Table;

/// Rows that share a server.
pub struct Group {
    pub name: &'static str,
    pub about: &'static str,
    pub run: Run,
}

type Run = for<'a> fn(Effort, &'a mut Table) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// All groups, in the order of the table.
pub const GROUPS: &[Group] = &[Group {
    name: "placements",
    about: "durable placements, beside the framework that answers the same without doing anything",
    run: |effort, table| Box::pin(placements::run(effort, table)),
}];
