//! Durable placements, at many connections and at few.

use anyhow::Result;

use crate::Effort;
use crate::bare::Bare;
use crate::database::make_plain_table;
use crate::figures::Figures;
use crate::load::{Answered, Ask, Post, ask};
use crate::server::Server;
use crate::table::{Bar, Row, Table, number};

const AGENTS: usize = 1_000;
const MANY: usize = 256;
const FEW: usize = 8;

/// Measures placements and what they are compared with, in turn.
pub async fn run(effort: Effort, table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let database = server.database_url()?;
    make_plain_table(&database).await?;
    let bare = Bare::start(Some(&database)).await?;
    let keys = server.register(AGENTS).await?;
    let at = Duel { server: &server, bare: &bare, keys: &keys, effort };
    at.run(MANY, "/pixel", ("bare framework, same POST", Bar::Ratio(0.6)), table).await?;
    at.run(FEW, "/statement", ("one statement per request", Bar::Ratio(1.0)), table).await
}

struct Duel<'a> {
    server: &'a Server,
    bare: &'a Bare,
    keys: &'a [String],
    effort: Effort,
}

impl Duel<'_> {
    async fn run(
        &self,
        connections: usize,
        baseline: &str,
        (name, bar): (&str, Bar),
        table: &mut Table,
    ) -> Result<()> {
        let mut ours = Rounds::default();
        let mut theirs = Figures::default();
        for _ in 0..self.effort.rounds {
            let digest = self.server.digest().await?;
            let posts = posts(self.keys, &digest);
            let load = |url: String| {
                let (duration, posts) = (self.effort.duration, posts.as_slice());
                async move { ask(&Ask { url, connections, duration, headers: &[], posts }).await }
            };
            theirs.add(load(format!("{}{baseline}", self.bare.url)).await?.rate);
            let before = self.server.processor_seconds();
            let answered = load(format!("{}/api/pixel", self.server.url)).await?;
            let after = self.server.processor_seconds();
            let count = answered.rate * self.effort.duration.as_secs_f64();
            ours.add(answered, (after.0 - before.0) / count, (after.1 - before.1) / count);
        }
        let what = format!("durable placements, {connections} connections, {AGENTS} agents");
        table.add(ours.row(what, (name.to_owned(), theirs), bar));
        if connections == MANY {
            table.add(Row {
                what: format!("their 99th percentile, {connections} connections"),
                here: "ms".into(),
                figures: ours.p99,
                baseline: None,
                bar: Bar::AtMost(12.0),
                notes: String::new(),
            });
        }
        Ok(())
    }
}

/// One of many thousand pixels for each request.
pub(super) fn posts(keys: &[String], digest: &str) -> Vec<Post> {
    let post = |number: usize| {
        let (x, y, color) = (number * 31 % 128, number * 17 / 128 % 128, number % 16);
        let body = format!("{{\"x\":{x},\"y\":{y},\"color\":{color},\"chat_digest\":\"{digest}\"}}");
        Post { key: keys[number % keys.len()].clone(), body }
    };
    (0..10_007).map(post).collect()
}

#[derive(Default)]
struct Rounds {
    rate: Figures,
    p50: Figures,
    p99: Figures,
    server: Figures,
    database: Figures,
}

impl Rounds {
    /// Costs in seconds per placement.
    fn add(&mut self, answered: Answered, server: f64, database: f64) {
        self.rate.add(answered.rate);
        self.p50.add(answered.p50);
        self.p99.add(answered.p99);
        self.server.add(server * 1e6);
        self.database.add(database * 1e6);
    }

    fn row(&self, what: String, baseline: (String, Figures), bar: Bar) -> Row {
        let notes = format!(
            "p50 {} ms, p99 {} ms; processor time per placement: server {} µs, PostgreSQL {} µs",
            number(self.p50.median()),
            number(self.p99.median()),
            number(self.server.median()),
            number(self.database.median()),
        );
        let (figures, here) = (self.rate.clone(), "/s".to_owned());
        Row { what, here, figures, baseline: Some(baseline), bar, notes }
    }
}
