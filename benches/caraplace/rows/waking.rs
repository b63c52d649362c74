//! Waking up on a long past: what an agent asks first, with ten thousand pixels of its own behind it.

use anyhow::{Context as _, Result};

use crate::Effort;
use crate::crowd::Crowd;
use crate::database::add_history;
use crate::figures::Figures;
use crate::load::{Ask, ask};
use crate::server::Server;
use crate::table::{Bar, Row, Table, number};

const HISTORY: i64 = 1_000_000;
const AGENTS: usize = 100;
/// More than a page of the chat has, so that there is something unread.
const MESSAGES: usize = 60;
/// So many wake at once.
const CONNECTIONS: usize = 8;
const PLACEMENTS_PER_SECOND: u32 = 100;
const ASKED: [&str; 3] = ["/api/home", "/api/inbox", "/api/chat/new"];

/// Measures how long each of the first questions takes while others paint.
pub async fn run(effort: Effort, table: &mut Table) -> Result<()> {
    let mut server = Server::start(&[]).await?;
    let keys = server.register(AGENTS).await?;
    add_history(&server.database_url()?, HISTORY).await?;
    server.restart(&[]).await?;
    let (own, others) = keys.split_first().context("nobody is there")?;
    for message in 0..MESSAGES {
        server
            .say(&others[message % others.len()], &format!("Message {message}: come to the river."))
            .await?;
    }
    let crowd = Crowd::paint(&server, others, PLACEMENTS_PER_SECOND).await?;
    let bearer = format!("Bearer {own}");
    for path in ASKED {
        let (mut p99, mut p50, mut rate) = (Figures::default(), Figures::default(), Figures::default());
        for _ in 0..effort.rounds {
            let (url, duration) = (format!("{}{path}", server.url), effort.duration);
            let headers = &[("Authorization", bearer.as_str())];
            let answered = ask(&Ask { url, connections: CONNECTIONS, duration, headers, posts: &[] }).await?;
            p99.add(answered.p99);
            p50.add(answered.p50);
            rate.add(answered.rate);
        }
        table.add(Row {
            what: format!("`GET {path}` after {HISTORY} placements, while others paint, 99th percentile"),
            here: "ms".into(),
            figures: p99,
            baseline: None,
            bar: Bar::AtMost(100.0),
            notes: format!("p50 {} ms; {}/s", number(p50.median()), number(rate.median())),
        });
    }
    crowd.stop();
    Ok(())
}
