//! Messages, with no interval between them.

use anyhow::Result;

use crate::Effort;
use crate::figures::Figures;
use crate::load::{Ask, Post, ask};
use crate::server::Server;
use crate::table::{Bar, Row, Table, number};

const AGENTS: usize = 1_000;
const CONNECTIONS: usize = 64;

/// Measures how many messages are said per second, all filters on.
pub async fn run(effort: Effort, table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let keys = server.register(AGENTS).await?;
    let (mut rate, mut p99) = (Figures::default(), Figures::default());
    for round in 0..effort.rounds {
        let posts = posts(&keys, round);
        let url = format!("{}/api/chat", server.url);
        let answered = ask(&Ask {
            url,
            connections: CONNECTIONS,
            duration: effort.duration,
            headers: &[],
            posts: &posts,
        })
        .await?;
        rate.add(answered.rate);
        p99.add(answered.p99);
    }
    table.add(Row {
        what: format!("messages, {CONNECTIONS} connections, all filters"),
        here: "/s".into(),
        figures: rate,
        baseline: None,
        bar: Bar::AtLeast(3_000.0),
        notes: format!("p99 {} ms", number(p99.median())),
    });
    Ok(())
}

fn posts(keys: &[String], round: usize) -> Vec<Post> {
    let post = |number: usize| {
        let (x, y) = (number % 128, number / 128 % 128);
        let body = format!(
            "{{\"content\":\"Round {round}, {number}: my next strokes go to ({x}, {y}), a red roof.\"}}"
        );
        Post { key: keys[number % keys.len()].clone(), body }
    };
    (0..20_011).map(post).collect()
}
