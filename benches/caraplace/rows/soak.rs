//! Half an hour of ordinary life: memory and descriptors must not grow.

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::Effort;
use crate::cost;
use crate::crowd::Crowd;
use crate::figures::Figures;
use crate::server::Server;
use crate::table::{Bar, Row, Table, number};

const STREAMS: usize = 200;
const PAINTERS: usize = 100;
const WRITES_PER_SECOND: u32 = 50;
const MINUTES: usize = 30;
/// Until caches are warm, all streams are open, and as many events as are remembered have happened.
const WARM: usize = 10;
const MINUTE: Duration = Duration::from_mins(1);

/// Tells memory and descriptors each minute, and how much they grew since the place was warm.
pub async fn run(_: Effort, table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let keys = server.register(PAINTERS).await?;
    let mut streams = JoinSet::new();
    for _ in 0..STREAMS {
        streams.spawn(drain(server.url.trim_start_matches("http://").to_owned()));
    }
    let crowd = Crowd::paint(&server, &keys, WRITES_PER_SECOND).await?;
    let mut samples = Vec::new();
    for minute in 1..=MINUTES {
        tokio::time::sleep(MINUTE).await;
        ensure!(streams.try_join_next().is_none(), "a stream has ended");
        let (memory, open) = (cost::resident(server.process()), cost::descriptors(server.process()));
        eprintln!("  minute {minute}: {:.1} MB, {open} descriptors", memory as f64 / 1e6);
        samples.push((memory as f64, open as f64));
    }
    let rate = crowd.stop_if_kept()?;
    let (first, last) = (samples[WARM - 1], samples[MINUTES - 1]);
    let what = format!("{MINUTES} minutes, {WRITES_PER_SECOND} writes/s, {STREAMS} streams");
    let notes = format!("{} MB at the end; {} writes/s were done", number(last.0 / 1e6), number(rate));
    let growth = (last.0 / first.0 - 1.0) * 100.0;
    table.add(row(format!("{what}: growth of memory"), "%", growth, 5.0, notes));
    let notes = format!("{} at the end", number(last.1));
    table.add(row(format!("{what}: more descriptors"), "", last.1 - first.1, 5.0, notes));
    Ok(())
}

fn row(what: String, unit: &str, figure: f64, most: f64, notes: String) -> Row {
    let mut figures = Figures::default();
    figures.add(figure);
    Row { what, here: unit.to_owned(), figures, baseline: None, bar: Bar::AtMost(most), notes }
}

async fn drain(address: String) -> Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET /api/events HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n").await?;
    let mut buffer = vec![0; 16_384];
    while stream.read(&mut buffer).await? > 0 {}
    bail!("the stream was cut")
}
