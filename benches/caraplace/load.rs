//! HTTP load from wrk, a generator written in C that leaves most of the machine to the server.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;
use tokio::process::Command;

/// Number of threads of the generator.
const THREADS: usize = 2;

/// A load to generate.
pub struct LoadRequest<'a> {
    pub url: String,
    pub connections: usize,
    pub duration: Duration,
    pub headers: &'a [(&'a str, &'a str)],
    /// The bodies that are posted in turn, each with its key; empty for GET.
    pub posts: &'a [PostRequest],
}

/// A body to post.
pub struct PostRequest {
    pub key: String,
    pub body: String,
}

/// The result of a load.
#[derive(Clone, Copy, Debug)]
pub struct LoadResult {
    /// Responses per second.
    pub rate: f64,
    /// Median latency in milliseconds.
    pub p50: f64,
    /// 99th percentile of the latency in milliseconds.
    pub p99: f64,
}

/// Sends requests as fast as responses come.
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
    ensure!(!text.contains("Non-2xx") && !text.contains("Socket errors"), "some requests failed: {text}");
    parse_output(&text).with_context(|| format!("unexpected output of wrk: {text}"))
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
