//! The start on a long log.

use anyhow::Result;

use crate::RunOptions;
use crate::database::add_history;
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold};

const HISTORY_PLACEMENTS: i64 = 1_000_000;
const AGENTS: usize = 100;

/// Measures the time from starting the process, including its PostgreSQL, until it is ready.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    let mut server = Server::start(&[]).await?;
    server.register(AGENTS).await?;
    add_history(&server.database_url()?, HISTORY_PLACEMENTS).await?;
    let mut seconds = Samples::default();
    for _ in 0..options.rounds {
        seconds.add(server.restart(&[]).await?);
    }
    table.add(Row {
        name: format!("start with {HISTORY_PLACEMENTS} placements and no snapshot"),
        unit: "s".into(),
        samples: seconds,
        baseline: None,
        threshold: Threshold::AtMost(3.0),
        notes: "until ready, including PostgreSQL's start".into(),
    });
    Ok(())
}
