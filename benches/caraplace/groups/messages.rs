//! Messages without a minimum interval.

use anyhow::Result;

use crate::RunOptions;
use crate::load::{LoadRequest, PostRequest, run_load};
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};

const AGENTS: usize = 1_000;
const CONNECTIONS: usize = 64;

/// Measures the number of messages per second with all filters.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let keys = server.register(AGENTS).await?;
    let (mut rate, mut p99) = (Samples::default(), Samples::default());
    for round in 0..options.rounds {
        let posts = posts(&keys, round);
        let url = format!("{}/api/chat", server.url);
        let result = run_load(&LoadRequest {
            url,
            connections: CONNECTIONS,
            duration: options.duration,
            headers: &[],
            posts: &posts,
        })
        .await?;
        rate.add(result.rate);
        p99.add(result.p99);
    }
    table.add(Row {
        name: format!("messages, {CONNECTIONS} connections, all filters"),
        unit: "/s".into(),
        samples: rate,
        baseline: None,
        threshold: Threshold::AtLeast(3_000.0),
        notes: format!("p99 {} ms", format_number(p99.median())),
    });
    Ok(())
}

fn posts(keys: &[String], round: usize) -> Vec<PostRequest> {
    let post = |number: usize| {
        let (x, y) = (number % 128, number / 128 % 128);
        let body = format!(
            "{{\"content\":\"Round {round}, {number}: my next strokes go to ({x}, {y}), a red roof.\"}}"
        );
        PostRequest { key: keys[number % keys.len()].clone(), body }
    };
    (0..20_011).map(post).collect()
}
