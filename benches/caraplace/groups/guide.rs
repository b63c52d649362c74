//! Placements, reads of the chat and event streams while fifty turns of the guide run, compared with the same
//! while none does.

mod slow_model;
mod turns;

use std::net::TcpListener;

use anyhow::Result;

use super::reads::{self, MESSAGES_PER_SECOND};
use super::single_load::{CONNECTIONS, SingleLoad};
use super::streams::{OpenStreams, PLACEMENTS_PER_SECOND, STREAMS};
use crate::RunOptions;
use crate::background_load::BackgroundLoad;
use crate::load::{LoadRequest, run_load};
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};
use turns::{EndedTurns, RunningTurns};

const PAINTERS: usize = 100;
const TURNS: usize = 50;
const BASELINE: &str = "without turns";
const THRESHOLD: Threshold = Threshold::Ratio(0.9);
/// Limits that are never reached. A question is asked as soon as the one before is answered, while its turn
/// may still hold its slot.
const SETTINGS: [(&str, &str); 9] = [
    ("CARAPLACE_SYSTEM_MESSAGES", "false"),
    ("GUIDE_MODEL", "slow-model"),
    ("CARAPLACE_GUIDE_TURNS_PER_DAY", "1000000"),
    ("CARAPLACE_GUIDE_TURNS_PER_IP_PER_DAY", "1000000"),
    ("CARAPLACE_GUIDE_CENTS_PER_DAY", "1000000"),
    ("CARAPLACE_GUIDE_INPUT_PRICE", "0"),
    ("CARAPLACE_GUIDE_OUTPUT_PRICE", "0"),
    ("CARAPLACE_GUIDE_MAX_TURNS", "60"),
    ("CARAPLACE_GUIDE_MAX_TURNS_PER_IP", "60"),
];

/// The samples of one condition.
#[derive(Default)]
struct GuideSamples {
    placements: SingleLoad,
    reads: Samples,
    reads_p99: Samples,
    stream_p99: Samples,
}

/// Measures both in turn, on the same server.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let model_url = format!("http://{}", listener.local_addr()?);
    let model = tokio::spawn(slow_model::serve(listener)?);
    let settings = SETTINGS.into_iter().chain([("GUIDE_API_BASE", model_url.as_str())]);
    let server = Server::start(&settings.collect::<Vec<_>>()).await?;
    let keys = server.register(PAINTERS).await?;
    reads::fill_chat(&server, &keys).await?;
    let (mut with, mut without) = (GuideSamples::default(), GuideSamples::default());
    let mut ended = EndedTurns::default();
    for round in 0..options.rounds {
        // The order alternates, because the log grows.
        if round.is_multiple_of(2) {
            without.measure(&server, &keys, options).await?;
        }
        let turns = RunningTurns::start(&server, TURNS).await;
        with.measure(&server, &keys, options).await?;
        ended = ended + turns.stop().await?;
        if !round.is_multiple_of(2) {
            without.measure(&server, &keys, options).await?;
        }
    }
    model.abort();
    with.rows(without, ended).into_iter().for_each(|row| table.add(row));
    Ok(())
}

impl GuideSamples {
    /// Adds a measurement of each kind. Messages come last, because streams are checked for placements.
    async fn measure(&mut self, server: &Server, keys: &[String], options: RunOptions) -> Result<()> {
        self.placements.measure(server, keys, options).await?;
        let streams = OpenStreams::open(server).await?;
        let load = BackgroundLoad::start_placements(server, keys, PLACEMENTS_PER_SECOND).await?;
        tokio::time::sleep(options.duration).await;
        load.stop_at_planned_rate()?;
        self.stream_p99.add(streams.finish(server, &load).await?.latency_p99_ms);
        let messages = BackgroundLoad::start_messages(server, keys, MESSAGES_PER_SECOND);
        let (url, duration) = (format!("{}/api/chat", server.url), options.duration);
        let load = LoadRequest { url, connections: CONNECTIONS, duration, headers: &[], posts: &[] };
        let result = run_load(&load).await?;
        messages.stop();
        self.reads.add(result.rate);
        self.reads_p99.add(result.p99);
        Ok(())
    }

    /// Returns the rows that compare this condition with the one without turns.
    fn rows(self, without: Self, ended: EndedTurns) -> [Row; 3] {
        let name = format!("placements while {TURNS} guide turns run, {CONNECTIONS} connections");
        let mut placements = self.placements.row(name, (BASELINE, without.placements), THRESHOLD);
        placements.notes.push_str(&format!("; {ended}"));
        let reads = Row {
            name: format!("`GET /api/chat` while messages arrive and {TURNS} guide turns run"),
            unit: "/s".into(),
            samples: self.reads,
            baseline: Some((BASELINE.to_owned(), without.reads)),
            threshold: THRESHOLD,
            notes: format!(
                "99th percentile {} ms, without {} ms",
                format_number(self.reads_p99.median()),
                format_number(without.reads_p99.median()),
            ),
        };
        let streams = Row {
            name: format!(
                "{STREAMS} streams at {PLACEMENTS_PER_SECOND} placements/s while {TURNS} guide turns run: \
                 from request to event, 99th percentile"
            ),
            unit: "ms".into(),
            samples: self.stream_p99,
            baseline: Some((BASELINE.to_owned(), without.stream_p99)),
            threshold: Threshold::AtMost(150.0),
            notes: String::new(),
        };
        [placements, reads, streams]
    }
}
