//! Speaks HTTP: one request in, a typed answer or a typed failure out, every outcome tallied.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use chrono::{DateTime, Utc};
use reqwest::header;
use serde::{Serialize, de::DeserializeOwned};
use tokio::{sync::Semaphore, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{
    failure::{Failure, Refusal},
    route::Route,
    stop::pause,
    tally::{Outcome, Tally},
    wire::{Dot, ManyPixels, OnePixel},
};

const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);

pub struct Client {
    /// The plain client, for the stream, which is no request with one answer.
    pub http: reqwest::Client,
    /// First those that requests go to, then those that are only watched.
    pub bases: Vec<String>,
    servers: usize,
    turn: AtomicUsize,
    permits: Semaphore,
    pub tally: Tally,
}

/// A request that can be sent more than once without changing a byte.
pub struct Call {
    route: Route,
    query: String,
    key: Option<String>,
    idempotency: Option<String>,
    body: Option<String>,
    /// Which server; each in turn where it does not matter.
    server: Option<usize>,
    /// When it should have been sent; its time counts from there, however late it goes out.
    planned: Option<Instant>,
}

/// A body that is not JSON, with the number of the canvas that it shows.
pub struct Body {
    pub bytes: Vec<u8>,
    pub version: Option<u64>,
}

/// A success, with the server's own time so that clocks need not agree.
pub struct Answer<T> {
    pub body: T,
    pub received: Instant,
    server_time: Option<DateTime<Utc>>,
}

impl<T> Answer<T> {
    /// How long until a moment on the server's clock. `Date` has whole seconds, rounded down, so this is
    /// up to a second too long: the safe side for an agent that waits.
    pub fn until(&self, moment: DateTime<Utc>) -> Duration {
        match self.server_time {
            Some(now) => (moment - now).to_std().unwrap_or_default(),
            None => Duration::from_secs(1),
        }
    }
}

impl Call {
    pub fn new(route: Route) -> Self {
        Call {
            route,
            query: String::new(),
            key: None,
            idempotency: None,
            body: None,
            server: None,
            planned: None,
        }
    }

    /// Returns the placement of one pixel or of a batch, with the digest of the chat if there is one.
    pub fn placement(dots: &[Dot], chat_digest: Option<&str>) -> Result<Self, Failure> {
        match *dots {
            [dot] => Call::new(Route::Pixel).body(&OnePixel { dot, chat_digest }),
            _ => Call::new(Route::Pixels).body(&ManyPixels { pixels: dots, chat_digest }),
        }
    }

    pub fn server(mut self, index: usize) -> Self {
        self.server = Some(index);
        self
    }

    pub fn planned(mut self, at: Instant) -> Self {
        self.planned = Some(at);
        self
    }

    pub fn query(mut self, query: String) -> Self {
        self.query = query;
        self
    }

    pub fn key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    pub fn idempotency(mut self, key: String) -> Self {
        self.idempotency = Some(key);
        self
    }

    pub fn body(mut self, body: &impl Serialize) -> Result<Self, Failure> {
        let text = serde_json::to_string(body).map_err(|e| Failure::Garbled(e.to_string()))?;
        self.body = Some(text);
        Ok(self)
    }
}

impl Client {
    pub fn new(servers: &[String], watched: &[String], connections: u32) -> anyhow::Result<Self> {
        let connections = connections as usize;
        let http = https_client::builder()?
            .user_agent("caraplace-swarm")
            .connect_timeout(Duration::from_secs(5))
            .pool_max_idle_per_host(connections)
            .build()?;
        let mut bases: Vec<String> = servers.iter().map(|url| base(url)).collect();
        let servers = bases.len();
        for url in watched.iter().map(|url| base(url)) {
            if !bases.contains(&url) {
                bases.push(url);
            }
        }
        let (turn, permits) = (AtomicUsize::new(0), Semaphore::new(connections));
        Ok(Client { http, bases, servers, turn, permits, tally: Tally::default() })
    }

    /// Which of the servers that is.
    pub fn server(&self, url: &str) -> Option<usize> {
        self.bases.iter().position(|known| *known == base(url))
    }

    /// Sends again, byte for byte and with the same Idempotency-Key, as long as the failure may pass and the
    /// run lasts.
    pub async fn patiently<T: DeserializeOwned>(
        &self,
        call: &Call,
        stop: &CancellationToken,
    ) -> Result<Answer<T>, Failure> {
        let mut failures = 0;
        loop {
            match self.once(call).await {
                Err(failure) if failure.is_passing() && pause(stop, failure.wait_after(failures)).await => {
                    failures += 1;
                }
                other => return other,
            }
        }
    }

    pub async fn once<T: DeserializeOwned>(&self, call: &Call) -> Result<Answer<T>, Failure> {
        self.send(call, Raw::json).await
    }

    /// Whatever the body is.
    pub async fn body(&self, call: &Call) -> Result<Body, Failure> {
        self.send(call, |raw| Ok(raw.into_body())).await
    }

    async fn send<T>(&self, call: &Call, read: fn(Raw) -> Result<T, Failure>) -> Result<T, Failure> {
        // The semaphore is never closed; were it, the request would only go out uncounted.
        let _permit = self.permits.acquire().await.ok();
        let started = call.planned.unwrap_or_else(Instant::now);
        let (status, replayed, result) = match self.exchange(call).await {
            Ok(raw) => (raw.status, raw.is_replayed(), raw.accepted().and_then(read)),
            Err(error) => (0, false, Err(Failure::Lost(root_cause(&error)))),
        };
        let outcome = match &result {
            Ok(_) => Outcome::success(status, replayed),
            Err(Failure::Refused(refusal)) => Outcome::refused(status, &refusal.code),
            Err(Failure::Garbled(_)) => Outcome::garbled(status),
            Err(Failure::Lost(_)) => Outcome::lost(),
        };
        self.tally.note(call.route, outcome, started.elapsed());
        result
    }

    async fn exchange(&self, call: &Call) -> Result<Raw, reqwest::Error> {
        let response = self.request(call).send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = response.bytes().await?.to_vec();
        Ok(Raw { status, headers, body })
    }

    fn request(&self, call: &Call) -> reqwest::RequestBuilder {
        let turn = || self.turn.fetch_add(1, Ordering::Relaxed) % self.servers.max(1);
        let base = self.bases.get(call.server.unwrap_or_else(turn)).map_or("", String::as_str);
        let url = format!("{base}{}{}", call.route.path(), call.query);
        let mut request = self.http.request(call.route.method(), url).timeout(ANSWER_TIMEOUT);
        if let Some(key) = &call.key {
            request = request.bearer_auth(key);
        }
        if let Some(key) = &call.idempotency {
            request = request.header("Idempotency-Key", key);
        }
        if let Some(body) = &call.body {
            request = request.header(header::CONTENT_TYPE, "application/json").body(body.clone());
        }
        request
    }
}

struct Raw {
    status: u16,
    headers: header::HeaderMap,
    body: Vec<u8>,
}

impl Raw {
    fn accepted(self) -> Result<Self, Failure> {
        if (200..300).contains(&self.status) { Ok(self) } else { Err(self.refusal()) }
    }

    fn refusal(&self) -> Failure {
        let status = self.status;
        let retry_after = self.text("retry-after").and_then(|s| s.parse().ok()).map(Duration::from_secs);
        if matches!(status, 429 | 503) && retry_after.is_none() {
            return Failure::Garbled(format!("{status} without Retry-After"));
        }
        match serde_json::from_slice::<Refusal>(&self.body) {
            Ok(refusal) => Failure::Refused(Refusal { status, retry_after, ..refusal }),
            Err(error) => Failure::Garbled(format!("{status} without a problem body: {error}")),
        }
    }

    fn json<T: DeserializeOwned>(self) -> Result<Answer<T>, Failure> {
        let body = serde_json::from_slice(&self.body).map_err(|error| Failure::Garbled(error.to_string()))?;
        let date = self.text("date").and_then(|text| DateTime::parse_from_rfc2822(text).ok());
        Ok(Answer { body, received: Instant::now(), server_time: date.map(|time| time.to_utc()) })
    }

    fn into_body(self) -> Body {
        let version = self.text("x-canvas-version").and_then(|text| text.parse().ok());
        Body { version, bytes: self.body }
    }

    fn is_replayed(&self) -> bool {
        self.text("idempotent-replayed") == Some("true")
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

fn base(url: &str) -> String {
    url.trim_end_matches('/').to_owned()
}

/// reqwest's own text repeats the address; the innermost cause says what happened.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
