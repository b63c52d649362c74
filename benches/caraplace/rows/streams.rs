//! A thousand watchers: each sees every number, soon, and costs little memory.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use caraplace::clock::moment;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::Effort;
use crate::cost;
use crate::crowd::Crowd;
use crate::figures::{Figures, percentile};
use crate::server::Server;
use crate::table::{Bar, Row, Table, number};

const STREAMS: usize = 1_000;
const PAINTERS: usize = 100;
const PLACEMENTS_PER_SECOND: u32 = 500;
/// Time for the last frames to arrive.
const ECHO: Duration = Duration::from_secs(2);

/// Numbers and when they came.
type Seen = Vec<(i64, Instant)>;

/// Measures how late events are, and what a stream costs.
pub async fn run(effort: Effort, table: &mut Table) -> Result<()> {
    let (mut late, mut memory) = (Figures::default(), Figures::default());
    let mut events = 0;
    for _ in 0..effort.rounds {
        let round = round(effort.duration).await?;
        late.add(round.late);
        memory.add(round.memory);
        events += round.events;
    }
    let what = format!("{STREAMS} streams at {PLACEMENTS_PER_SECOND} placements/s");
    table.add(Row {
        what: format!("{what}: from asking to seeing, 99th percentile"),
        here: "ms".into(),
        figures: late,
        baseline: None,
        bar: Bar::AtMost(150.0),
        notes: format!("{} numbers seen, none missing or twice", number(events as f64)),
    });
    table.add(Row {
        what: format!("{what}: resident memory for each"),
        here: "kB".into(),
        figures: memory,
        baseline: None,
        bar: Bar::AtMost(30.0),
        notes: String::new(),
    });
    Ok(())
}

struct Round {
    late: f64,
    memory: f64,
    events: usize,
}

/// A server of its own for each round, so that no stream of the one before is still there. What it needs for painting
/// alone is not counted.
async fn round(duration: Duration) -> Result<Round> {
    let server = Server::start(&[]).await?;
    let keys = server.register(PAINTERS).await?;
    let warming = Crowd::paint(&server, &keys, PLACEMENTS_PER_SECOND).await?;
    tokio::time::sleep(ECHO).await;
    drop(warming);
    let before = cost::resident(server.process());
    let address = server.url.trim_start_matches("http://").to_owned();
    let until = moment() + duration + ECHO;
    let mut streams = JoinSet::new();
    for _ in 0..STREAMS {
        let stream = open(&address).await?;
        streams.spawn(watch(stream, until));
    }
    let crowd = Crowd::paint(&server, &keys, PLACEMENTS_PER_SECOND).await?;
    tokio::time::sleep(duration).await;
    let memory = cost::resident(server.process()).saturating_sub(before) as f64 / STREAMS as f64 / 1_000.0;
    let sent = crowd.sent();
    drop(crowd);
    let (mut late, mut events) = (Vec::new(), 0);
    while let Some(seen) = streams.join_next().await {
        let seen = seen??;
        events += seen.len();
        late.extend(lateness(&seen, &sent)?);
    }
    Ok(Round { late: percentile(&mut late, 0.99), memory, events })
}

async fn open(address: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET /api/events HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n").await?;
    Ok(stream)
}

async fn watch(mut stream: TcpStream, until: Instant) -> Result<Seen> {
    let (mut seen, mut text) = (Seen::new(), Vec::new());
    let mut buffer = vec![0; 16_384];
    while let Ok(read) = tokio::time::timeout_at(until.into(), stream.read(&mut buffer)).await {
        let read = read?;
        ensure!(read > 0, "a stream was cut");
        text.extend_from_slice(&buffer[..read]);
        let now = moment();
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            seen.extend(numbers(&line).into_iter().map(|number| (number, now)));
        }
    }
    Ok(seen)
}

/// The numbers in the data of a frame of pixels.
fn numbers(line: &[u8]) -> Vec<i64> {
    let line = String::from_utf8_lossy(line);
    let Some(data) = line.strip_prefix("data: [[") else { return Vec::new() };
    data.split("],[").filter_map(|pixel| pixel.split(',').next()?.parse().ok()).collect()
}

/// How late each event was, in milliseconds; that none is missing is checked on the way.
fn lateness(seen: &Seen, sent: &HashMap<i64, Instant>) -> Result<Vec<f64>> {
    let (first, last) =
        (seen.first().context("a stream saw nothing")?.0, seen.last().map_or(0, |(seq, _)| *seq));
    ensure!(seen.len() as i64 == last - first + 1, "a stream has a hole between {first} and {last}");
    let late = |(seq, at): &(i64, Instant)| Some((*at - *sent.get(seq)?).as_secs_f64() * 1_000.0);
    Ok(seen.iter().filter_map(late).collect())
}
