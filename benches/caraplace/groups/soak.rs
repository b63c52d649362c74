//! Half an hour of normal load: memory and descriptors must not grow.

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::RunOptions;
use crate::background_load::BackgroundLoad;
use crate::process_usage;
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};

const STREAMS: usize = 200;
const PAINTERS: usize = 100;
const WRITES_PER_SECOND: u32 = 50;
const MINUTES: usize = 30;
/// Minutes until caches are filled, all streams are open, and the memory of past events is full.
const WARM_MINUTES: usize = 10;
const MINUTE: Duration = Duration::from_mins(1);

/// Measures memory and descriptors each minute, and their growth after the warm-up.
pub async fn run(_: RunOptions, table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let keys = server.register(PAINTERS).await?;
    let mut streams = JoinSet::new();
    for _ in 0..STREAMS {
        streams.spawn(read_stream(server.url.trim_start_matches("http://").to_owned()));
    }
    let load = BackgroundLoad::start_placements(&server, &keys, WRITES_PER_SECOND).await?;
    let mut samples = Vec::new();
    for minute in 1..=MINUTES {
        tokio::time::sleep(MINUTE).await;
        ensure!(streams.try_join_next().is_none(), "a stream has ended");
        let (memory_bytes, descriptors) =
            (process_usage::resident_bytes(server.pid()), process_usage::open_descriptors(server.pid()));
        eprintln!("  minute {minute}: {:.1} MB, {descriptors} descriptors", memory_bytes as f64 / 1e6);
        samples.push((memory_bytes as f64, descriptors as f64));
    }
    let rate = load.stop_at_planned_rate()?;
    let (first, last) = (samples[WARM_MINUTES - 1], samples[MINUTES - 1]);
    let name = format!("{MINUTES} minutes, {WRITES_PER_SECOND} writes/s, {STREAMS} streams");
    let notes = format!("{} MB at the end; {} writes/s", format_number(last.0 / 1e6), format_number(rate));
    let growth = (last.0 / first.0 - 1.0) * 100.0;
    table.add(row(format!("{name}: growth of memory"), "%", growth, 5.0, notes));
    let notes = format!("{} at the end", format_number(last.1));
    table.add(row(format!("{name}: growth of descriptors"), "", last.1 - first.1, 5.0, notes));
    Ok(())
}

fn row(name: String, unit: &str, value: f64, limit: f64, notes: String) -> Row {
    let mut samples = Samples::default();
    samples.add(value);
    Row { name, unit: unit.to_owned(), samples, baseline: None, threshold: Threshold::AtMost(limit), notes }
}

async fn read_stream(address: String) -> Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET /api/events HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n").await?;
    let mut buffer = vec![0; 16_384];
    while stream.read(&mut buffer).await? > 0 {}
    bail!("the stream was cut")
}
