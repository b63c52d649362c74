//! A million placements rolled back and brought back, while others go on painting.

use std::time::Duration;

use anyhow::{Result, bail};
use caraplace::clock;

use super::placements::posts;
use crate::Effort;
use crate::database::{add_history, order_rollback, settled_rollbacks, undo_rollbacks};
use crate::figures::Figures;
use crate::load::{Answered, Ask, ask};
use crate::server::Server;
use crate::table::{Bar, Row, Table, number};

const HISTORY: i64 = 1_000_000;
/// Whose history it is.
const VANDALS: usize = 100;
const PAINTERS: usize = 32;
const SETTINGS: &[(&str, &str)] = &[];

/// Measures how long both take, and what a painter meets meanwhile.
pub async fn run(effort: Effort, table: &mut Table) -> Result<()> {
    let mut server = Server::start(SETTINGS).await?;
    let keys = server.register(VANDALS + PAINTERS).await?.split_off(VANDALS);
    add_history(&server.database_url()?, HISTORY).await?;
    server.restart(SETTINGS).await?;
    let url = server.database_url()?;
    let usual = paint(&server, &keys, effort.duration).await?;
    let (forth, painted_forth) = tokio::try_join!(
        async {
            order_rollback(&url).await?;
            settled(&url, 1).await
        },
        paint(&server, &keys, effort.duration)
    )?;
    let (back, painted_back) = tokio::try_join!(
        async {
            undo_rollbacks(&url).await?;
            settled(&url, 1).await
        },
        paint(&server, &keys, effort.duration)
    )?;
    table.add(row("rolling back", forth, (&usual, &painted_forth)));
    table.add(row("undoing that", back, (&usual, &painted_back)));
    Ok(())
}

async fn paint(server: &Server, keys: &[String], duration: Duration) -> Result<Answered> {
    let posts = posts(keys, &server.digest().await?);
    let url = format!("{}/api/pixel", server.url);
    ask(&Ask { url, connections: PAINTERS, duration, headers: &[], posts: &posts }).await
}

/// Waits until so many rollbacks are through; returns the seconds.
async fn settled(url: &str, count: i64) -> Result<f64> {
    let begun = clock::moment();
    while settled_rollbacks(url).await? < count {
        if begun.elapsed() > Duration::from_mins(5) {
            bail!("the rollback was not through within five minutes");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(begun.elapsed().as_secs_f64())
}

fn row(what: &str, seconds: f64, (usual, meanwhile): (&Answered, &Answered)) -> Row {
    let mut figures = Figures::default();
    figures.add(seconds);
    Row {
        what: format!("{what} {HISTORY} placements on 128×128 while {PAINTERS} connections paint"),
        here: "s".into(),
        figures,
        baseline: None,
        bar: Bar::AtMost(30.0),
        notes: format!(
            "painting meanwhile {}/s, 99th percentile {} ms; before {}/s, {} ms",
            number(meanwhile.rate),
            number(meanwhile.p99),
            number(usual.rate),
            number(usual.p99)
        ),
    }
}
