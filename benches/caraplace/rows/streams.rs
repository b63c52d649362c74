//! A thousand watchers: each sees every number, soon, and costs little memory.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use caraplace::clock::moment;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
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

/// What one stream saw.
struct Seen {
    /// Where it began.
    head: i64,
    /// Numbers, and when they came.
    events: Vec<(i64, Instant)>,
}

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
    warming.stop();
    tokio::time::sleep(ECHO).await;
    let before = cost::resident(server.process());
    let address = server.url.trim_start_matches("http://").to_owned();
    let (stop, stopped) = watch::channel(false);
    let mut streams = JoinSet::new();
    for _ in 0..STREAMS {
        let stream = open(&address).await?;
        streams.spawn(follow(stream, stopped.clone()));
    }
    let crowd = Crowd::paint(&server, &keys, PLACEMENTS_PER_SECOND).await?;
    tokio::time::sleep(duration).await;
    let memory = cost::resident(server.process()).saturating_sub(before) as f64 / STREAMS as f64 / 1_000.0;
    crowd.stop_if_kept()?;
    tokio::time::sleep(ECHO).await;
    let (sent, end) = (crowd.sent(), server.head().await?);
    stop.send(true)?;
    let (mut late, mut events) = (Vec::new(), 0);
    while let Some(seen) = streams.join_next().await {
        let seen = seen??;
        seen.check(end)?;
        events += seen.events.len();
        let one = |(seq, at): &(i64, Instant)| Some((*at - *sent.get(seq)?).as_secs_f64() * 1_000.0);
        late.extend(seen.events.iter().filter_map(one));
    }
    Ok(Round { late: percentile(&mut late, 0.99), memory, events })
}

impl Seen {
    /// Every number from where it began to the end, once and in order.
    fn check(&self, end: i64) -> Result<()> {
        let expected = self.head + 1..=end;
        let whole = self.events.iter().map(|(seq, _)| *seq).eq(expected.clone());
        ensure!(whole, "a stream saw {} events, not exactly {expected:?}", self.events.len());
        Ok(())
    }
}

async fn open(address: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET /api/events HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n").await?;
    Ok(stream)
}

async fn follow(mut stream: TcpStream, mut stopped: watch::Receiver<bool>) -> Result<Seen> {
    let mut seen = Seen { head: 0, events: Vec::new() };
    let (mut text, mut buffer) = (Vec::new(), vec![0; 16_384]);
    loop {
        let read = tokio::select! {
            read = stream.read(&mut buffer) => read?,
            _ = stopped.changed() => return Ok(seen),
        };
        ensure!(read > 0, "a stream was cut");
        text.extend_from_slice(&buffer[..read]);
        let now = moment();
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            if let Some(hello) = line.strip_prefix("data: {\"head\":") {
                seen.head = hello.split(',').next().unwrap_or_default().parse()?;
            }
            seen.events.extend(numbers(&line).into_iter().map(|number| (number, now)));
        }
    }
}

/// The numbers in the data of a frame of pixels.
fn numbers(line: &str) -> Vec<i64> {
    let Some(data) = line.strip_prefix("data: [[") else { return Vec::new() };
    data.split("],[").filter_map(|pixel| pixel.split(',').next()?.parse().ok()).collect()
}
