//! An agent's first requests when it has a history of ten thousand pixels.

use anyhow::{Context as _, Result};

use crate::RunOptions;
use crate::background_load::BackgroundLoad;
use crate::database::add_history;
use crate::load::{LoadRequest, run_load};
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};

const HISTORY_PLACEMENTS: i64 = 1_000_000;
const AGENTS: usize = 100;
/// Number of messages, more than a page of the chat has, so that some are unread.
const MESSAGES: usize = 60;
/// Number of agents that start at the same time.
const CONNECTIONS: usize = 8;
const PLACEMENTS_PER_SECOND: u32 = 100;
const PATHS: [&str; 3] = ["/api/home", "/api/inbox", "/api/chat/new"];

/// Measures the latency of each of the first requests while others paint.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    let mut server = Server::start(&[]).await?;
    let keys = server.register(AGENTS).await?;
    add_history(&server.database_url()?, HISTORY_PLACEMENTS).await?;
    server.restart(&[]).await?;
    let (own_key, other_keys) = keys.split_first().context("no agent is registered")?;
    for message in 0..MESSAGES {
        server
            .post_message(
                &other_keys[message % other_keys.len()],
                &format!("Message {message}: come to the river."),
            )
            .await?;
    }
    let background = BackgroundLoad::start_placements(&server, other_keys, PLACEMENTS_PER_SECOND).await?;
    let bearer = format!("Bearer {own_key}");
    for path in PATHS {
        let (mut p99, mut p50, mut rate) = (Samples::default(), Samples::default(), Samples::default());
        for _ in 0..options.rounds {
            let (url, duration) = (format!("{}{path}", server.url), options.duration);
            let headers = &[("Authorization", bearer.as_str())];
            let result =
                run_load(&LoadRequest { url, connections: CONNECTIONS, duration, headers, posts: &[] })
                    .await?;
            p99.add(result.p99);
            p50.add(result.p50);
            rate.add(result.rate);
        }
        table.add(Row {
            name: format!(
                "`GET {path}` after {HISTORY_PLACEMENTS} placements, while others paint, 99th percentile"
            ),
            unit: "ms".into(),
            samples: p99,
            baseline: None,
            threshold: Threshold::AtMost(100.0),
            notes: format!("p50 {} ms; {}/s", format_number(p50.median()), format_number(rate.median())),
        });
    }
    background.stop();
    Ok(())
}
