//! Starting on a long log.

use anyhow::Result;

use crate::Effort;
use crate::database::add_history;
use crate::figures::Figures;
use crate::server::Server;
use crate::table::{Bar, Row, Table};

const HISTORY: i64 = 1_000_000;
const AGENTS: usize = 100;

/// Measures from starting the process, its PostgreSQL included, until it is ready.
pub async fn run(effort: Effort, table: &mut Table) -> Result<()> {
    let mut server = Server::start(&[]).await?;
    server.register(AGENTS).await?;
    add_history(&server.database_url()?, HISTORY).await?;
    let mut seconds = Figures::default();
    for _ in 0..effort.rounds {
        seconds.add(server.restart(&[]).await?);
    }
    table.add(Row {
        what: format!("start with {HISTORY} placements, none of them folded before"),
        here: "s".into(),
        figures: seconds,
        baseline: None,
        bar: Bar::AtMost(3.0),
        notes: "until ready, PostgreSQL's own start included".into(),
    });
    Ok(())
}
