//! Visitors who ask the guide one question after another.

use std::fmt;
use std::ops::Add;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use platform::clock::monotonic_now;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::slow_model::TURN_TIME;
use crate::server::Server;
use crate::table::format_number;

const QUESTION: &str = "Who paints the left bank of the river, and what happened there?";

/// Turns that run all the time, each for a visitor of its own.
pub(super) struct RunningTurns {
    is_stopped: Arc<AtomicBool>,
    visitors: JoinSet<Result<EndedTurns>>,
    started_at: Instant,
}

/// The turns that have ended with an answer.
#[derive(Clone, Copy, Default)]
pub(super) struct EndedTurns {
    turns: usize,
    calls: usize,
    refused_calls: usize,
    /// The time in which turns were running.
    seconds: f64,
}

/// A browser, with its cookie after the first question.
struct Visitor {
    client: Client,
    url: String,
    cookie: Option<String>,
}

impl RunningTurns {
    /// Starts the turns, spread over the time that one takes.
    pub(super) async fn start(server: &Server, count: usize) -> Self {
        let (is_stopped, started_at) = (Arc::new(AtomicBool::new(false)), monotonic_now());
        let mut visitors = JoinSet::new();
        for _ in 0..count {
            let visitor = Visitor { client: server.client.clone(), url: server.url.clone(), cookie: None };
            visitors.spawn(visitor.ask_until(is_stopped.clone()));
            tokio::time::sleep(TURN_TIME / count as u32).await;
        }
        Self { is_stopped, visitors, started_at }
    }

    /// Asks nothing more, and waits until the last turn has ended.
    ///
    /// # Errors
    /// If a question was refused or a turn has failed.
    pub(super) async fn stop(mut self) -> Result<EndedTurns> {
        self.is_stopped.store(true, Ordering::Relaxed);
        let mut ended = EndedTurns::default();
        while let Some(visitor) = self.visitors.join_next().await {
            ended = ended + visitor??;
        }
        Ok(EndedTurns { seconds: self.started_at.elapsed().as_secs_f64(), ..ended })
    }
}

impl Visitor {
    async fn ask_until(mut self, is_stopped: Arc<AtomicBool>) -> Result<EndedTurns> {
        let mut ended = EndedTurns::default();
        while !is_stopped.load(Ordering::Relaxed) {
            let id = self.ask().await?;
            let path = format!("/api/guide/stream?message={id}");
            let stream = self.with_cookie(self.client.get(format!("{}{path}", self.url))).send().await?;
            let events = stream.error_for_status()?.text().await?;
            ensure!(events.contains("event: done\n"), "a turn has failed: {events}");
            let count = |status: &str| events.matches(&format!("\"status\":\"{status}\"")).count();
            let (calls, refused_calls) = (count("running"), count("failed") + count("denied"));
            ended = ended + EndedTurns { turns: 1, calls, refused_calls, seconds: 0.0 };
        }
        Ok(ended)
    }

    /// Asks the question and keeps the cookie. Returns the id of the question.
    async fn ask(&mut self) -> Result<String> {
        let request = self.client.post(format!("{}/api/guide/messages", self.url));
        let request = self.with_cookie(request).json(&json!({"content": QUESTION}));
        let response = request.send().await?;
        let status = response.status();
        let cookie = response.headers().get("set-cookie").map(|line| line.to_str()).transpose()?;
        let cookie = cookie.and_then(|line| line.split(';').next()).map(str::to_owned);
        self.cookie = cookie.or(self.cookie.take());
        let body: Value = response.json().await?;
        ensure!(status.is_success(), "a question was refused: {body}");
        Ok(body["message_id"].as_str().context("the response has no message_id")?.to_owned())
    }

    /// Adds what the browser sends from our own pages.
    fn with_cookie(&self, request: RequestBuilder) -> RequestBuilder {
        let request = request.header("Sec-Fetch-Site", "same-origin");
        self.cookie.iter().fold(request, |request, cookie| request.header("Cookie", cookie))
    }
}

impl Add for EndedTurns {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            turns: self.turns + other.turns,
            calls: self.calls + other.calls,
            refused_calls: self.refused_calls + other.refused_calls,
            seconds: self.seconds + other.seconds,
        }
    }
}

impl fmt::Display for EndedTurns {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { turns, calls, refused_calls, seconds } = *self;
        let (all, rate) = (format_number(turns as f64), format_number(turns as f64 / seconds));
        write!(
            formatter,
            "{all} turns ended, {rate}/s, with {calls} tool calls, {refused_calls} of them refused"
        )
    }
}
