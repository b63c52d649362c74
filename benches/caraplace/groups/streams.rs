//! A thousand streams: each receives every event, with little delay and little memory.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use platform::clock::monotonic_now;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::RunOptions;
use crate::background_load::BackgroundLoad;
use crate::process_usage;
use crate::samples::{Samples, percentile};
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};

pub(super) const STREAMS: usize = 1_000;
const PAINTERS: usize = 100;
pub(super) const PLACEMENTS_PER_SECOND: u32 = 500;
/// Time for the last frames to arrive.
const SETTLE_TIME: Duration = Duration::from_secs(2);

/// Streams that are read until the load has ended.
pub(super) struct OpenStreams {
    stop: watch::Sender<bool>,
    records: JoinSet<Result<StreamRecord>>,
}

/// The events that all streams received.
pub(super) struct ReceivedEvents {
    /// The 99th percentile of the time from request to event.
    pub(super) latency_p99_ms: f64,
    count: usize,
}

/// The events that one stream received.
struct StreamRecord {
    /// The number at its start.
    head: i64,
    /// The numbers with their times of arrival.
    events: Vec<(i64, Instant)>,
}

/// Measures the delay of events and the memory of a stream.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    let (mut latencies, mut memory) = (Samples::default(), Samples::default());
    let mut events = 0;
    for _ in 0..options.rounds {
        let round = measure_round(options.duration).await?;
        latencies.add(round.received.latency_p99_ms);
        memory.add(round.memory_kb);
        events += round.received.count;
    }
    let name = format!("{STREAMS} streams at {PLACEMENTS_PER_SECOND} placements/s");
    table.add(Row {
        name: format!("{name}: from request to event, 99th percentile"),
        unit: "ms".into(),
        samples: latencies,
        baseline: None,
        threshold: Threshold::AtMost(150.0),
        notes: format!("{} numbers received, none missing or repeated", format_number(events as f64)),
    });
    table.add(Row {
        name: format!("{name}: resident memory per stream"),
        unit: "kB".into(),
        samples: memory,
        baseline: None,
        threshold: Threshold::AtMost(30.0),
        notes: String::new(),
    });
    Ok(())
}

struct RoundResult {
    received: ReceivedEvents,
    memory_kb: f64,
}

/// Runs a round on a server of its own, so that no stream of an earlier round is left. The memory that
/// painting alone needs is subtracted.
async fn measure_round(duration: Duration) -> Result<RoundResult> {
    let server = Server::start(&[]).await?;
    let keys = server.register(PAINTERS).await?;
    let warmup = BackgroundLoad::start_placements(&server, &keys, PLACEMENTS_PER_SECOND).await?;
    tokio::time::sleep(SETTLE_TIME).await;
    warmup.stop();
    tokio::time::sleep(SETTLE_TIME).await;
    let bytes_before = process_usage::resident_bytes(server.pid());
    let streams = OpenStreams::open(&server).await?;
    let background = BackgroundLoad::start_placements(&server, &keys, PLACEMENTS_PER_SECOND).await?;
    tokio::time::sleep(duration).await;
    let memory_kb = process_usage::resident_bytes(server.pid()).saturating_sub(bytes_before) as f64
        / STREAMS as f64
        / 1_000.0;
    background.stop_at_planned_rate()?;
    Ok(RoundResult { received: streams.finish(&server, &background).await?, memory_kb })
}

impl OpenStreams {
    /// Opens the streams.
    pub(super) async fn open(server: &Server) -> Result<Self> {
        let address = server.url.trim_start_matches("http://");
        let (stop, stop_receiver) = watch::channel(false);
        let mut records = JoinSet::new();
        for _ in 0..STREAMS {
            let stream = open_stream(address).await?;
            records.spawn(read_until_stopped(stream, stop_receiver.clone()));
        }
        Ok(Self { stop, records })
    }

    /// Waits for the last frames of a load that was stopped, and closes the streams.
    ///
    /// # Errors
    /// If a stream has not received every event once.
    pub(super) async fn finish(mut self, server: &Server, load: &BackgroundLoad) -> Result<ReceivedEvents> {
        tokio::time::sleep(SETTLE_TIME).await;
        let (planned_times, end) = (load.planned_times(), server.head().await?);
        self.stop.send(true)?;
        let (mut latencies_ms, mut count) = (Vec::new(), 0);
        while let Some(finished) = self.records.join_next().await {
            let record = finished??;
            record.check_complete(end)?;
            count += record.events.len();
            let latency_ms =
                |(seq, at): &(i64, Instant)| Some((*at - *planned_times.get(seq)?).as_secs_f64() * 1_000.0);
            latencies_ms.extend(record.events.iter().filter_map(latency_ms));
        }
        Ok(ReceivedEvents { latency_p99_ms: percentile(&mut latencies_ms, 0.99), count })
    }
}

impl StreamRecord {
    /// Checks that every number came once and in order.
    fn check_complete(&self, end: i64) -> Result<()> {
        let expected = self.head + 1..=end;
        let is_complete = self.events.iter().map(|(seq, _)| *seq).eq(expected.clone());
        ensure!(is_complete, "a stream received {} events, not exactly {expected:?}", self.events.len());
        Ok(())
    }
}

async fn open_stream(address: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET /api/events HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n").await?;
    Ok(stream)
}

async fn read_until_stopped(
    mut stream: TcpStream,
    mut stop_receiver: watch::Receiver<bool>,
) -> Result<StreamRecord> {
    let mut record = StreamRecord { head: 0, events: Vec::new() };
    let (mut text, mut buffer) = (Vec::new(), vec![0; 16_384]);
    loop {
        let read = tokio::select! {
            read = stream.read(&mut buffer) => read?,
            _ = stop_receiver.changed() => return Ok(record),
        };
        ensure!(read > 0, "a stream was cut");
        text.extend_from_slice(&buffer[..read]);
        let now = monotonic_now();
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            record.head = parse_head(&line).unwrap_or(record.head);
            record.events.extend(parse_seqs(&line).into_iter().map(|number| (number, now)));
        }
    }
}

/// Returns the number of the newest event, if this is the data of the greeting.
fn parse_head(line: &str) -> Option<i64> {
    let data = line.strip_prefix("data: ").filter(|data| data.starts_with('{'))?;
    serde_json::from_str::<Value>(data).ok()?.get("head")?.as_i64()
}

/// Returns the numbers in the data of a frame of pixels.
fn parse_seqs(line: &str) -> Vec<i64> {
    let Some(data) = line.strip_prefix("data: [[") else { return Vec::new() };
    data.split("],[").filter_map(|pixel| pixel.split(',').next()?.parse().ok()).collect()
}
