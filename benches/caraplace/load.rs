//! Load over HTTP: a generator in C, so that as little of the machine as possible goes into asking.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;
use tokio::process::Command;

/// Threads of the generator.
const THREADS: usize = 2;

/// What is asked for.
pub struct LoadRequest<'a> {
    pub url: String,
    pub connections: usize,
    pub duration: Duration,
    pub headers: &'a [(&'a str, &'a str)],
    /// Bodies that are posted in turn, each with its key; none for GET.
    pub posts: &'a [PostRequest],
}

/// One body to be posted.
pub struct PostRequest {
    pub key: String,
    pub body: String,
}

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub struct LoadResult {
    /// Answers per second.
    pub rate: f64,
    /// Milliseconds.
    pub p50: f64,
    /// Milliseconds.
    pub p99: f64,
}

/// Asks as fast as the answers come.
pub async fn run_load(ask: &LoadRequest<'_>) -> Result<LoadResult> {
    let folder = tempfile::tempdir()?;
    let script = write_script(ask, &folder)?;
    let output = Command::new("wrk")
        .arg(format!("-t{}", THREADS.min(ask.connections)))
        .arg(format!("-c{}", ask.connections))
        .arg(format!("-d{}s", ask.duration.as_secs()))
        .args(["--latency", "-s"])
        .arg(script)
        .arg(&ask.url)
        .output()
        .await
        .context("the load generator wrk is missing")?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "the load generator failed: {text}");
    ensure!(
        !text.contains("Non-2xx") && !text.contains("Socket errors"),
        "not all was answered well: {text}"
    );
    parse_output(&text).with_context(|| format!("not understood: {text}"))
}

fn write_script(load: &LoadRequest<'_>, folder: &TempDir) -> Result<PathBuf> {
    let path = folder.path().join("ask.lua");
    let mut script = File::create(&path)?;
    for (name, value) in load.headers {
        writeln!(script, "wrk.headers[{name:?}] = {value:?}")?;
    }
    if !load.posts.is_empty() {
        let bodies = folder.path().join("bodies");
        let line = |PostRequest { key, body }: &PostRequest| format!("{key}\t{body}\n");
        fs::write(&bodies, load.posts.iter().map(line).collect::<String>())?;
        writeln!(script, "local path = {:?}", bodies.display().to_string())?;
        script.write_all(include_bytes!("post.lua"))?;
    }
    Ok(path)
}

fn parse_output(text: &str) -> Option<LoadResult> {
    let value_after = |label: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(label))?;
        line.split_whitespace().next()
    };
    Some(LoadResult {
        rate: value_after("Requests/sec:")?.parse().ok()?,
        p50: milliseconds(value_after("50%")?)?,
        p99: milliseconds(value_after("99%")?)?,
    })
}

fn milliseconds(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_alphabetic());
    let factor = match &text[digits.len()..] {
        "us" => 0.001,
        "ms" => 1.0,
        "s" => 1_000.0,
        _ => return None,
    };
    Some(digits.parse::<f64>().ok()? * factor)
}
