//! The HTTP client: sends a request, returns a typed response or failure, and counts the outcome.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::header;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::{sync::Semaphore, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{
    api_types::PixelInput,
    failure::{Failure, Refusal},
    request_stats::{RequestStats, UNREADABLE},
    stop::pause,
};

const RESPONSE_TIMEOUT: Duration = Duration::from_secs(15);

/// The client of all servers, with the request statistics.
pub struct Client {
    /// The underlying client, used for event streams.
    pub http: reqwest::Client,
    /// The servers that requests go to, followed by those that are only watched.
    pub base_urls: Vec<String>,
    server_count: usize,
    next_server: AtomicUsize,
    permits: Semaphore,
    pub stats: RequestStats,
}

/// A request that can be repeated byte for byte.
#[derive(Clone, Default)]
pub struct ApiRequest {
    /// The name in the statistics: the method and the path.
    pub label: String,
    /// The path, in which `{id}` stands for the id.
    pub path: &'static str,
    pub id: String,
    pub query: String,
    pub api_key: Option<String>,
    pub idempotency_key: Option<String>,
    /// The JSON body of a POST; `None` for a GET.
    pub body: Option<String>,
    /// The index of the server; `None` uses each in turn.
    pub server: Option<usize>,
    /// The planned time of the request, from which its latency counts.
    pub planned_at: Option<Instant>,
}

/// A body that is not JSON, with the version of the canvas that it shows.
pub struct CanvasBody {
    pub bytes: Vec<u8>,
    pub version: Option<u64>,
}

/// A successful response, with the server's time so that clocks need not agree.
pub struct ApiResponse<T> {
    pub body: T,
    pub received_at: Instant,
    server_time: Option<DateTime<Utc>>,
}

impl<T> ApiResponse<T> {
    /// Returns the time until a moment on the server's clock. `Date` has whole seconds, rounded down, so the
    /// result is up to a second too long and the agent never acts too early.
    pub fn time_until(&self, time: DateTime<Utc>) -> Duration {
        match self.server_time {
            Some(now) => (time - now).to_std().unwrap_or_default(),
            None => Duration::from_secs(1),
        }
    }

    /// Returns the moment at which the server's clock shows this time, or up to a second later.
    pub fn instant_at(&self, time: DateTime<Utc>) -> Instant {
        self.received_at + self.time_until(time)
    }

    /// Returns the server's time now, to the second; `None` if the response has none.
    pub fn server_now(&self) -> Option<DateTime<Utc>> {
        let elapsed = TimeDelta::from_std(self.received_at.elapsed()).ok()?;
        Some(self.server_time? + elapsed)
    }
}

impl ApiRequest {
    /// Returns a GET of this path, in which `{id}` stands for the request's id, from each server in turn.
    pub fn get(path: &'static str) -> Self {
        ApiRequest { label: format!("GET  {path}"), path, ..ApiRequest::default() }
    }

    /// Returns a POST of this body, to each server in turn.
    pub fn post(path: &'static str, body: &Value) -> Self {
        let label = format!("POST {path}");
        let body = Some(body.to_string());
        ApiRequest { label, path, body, ..ApiRequest::default() }
    }

    /// Returns the placement of one pixel or of a batch, with the digest of the chat if there is one. Pixels
    /// of a plan that have changed are skipped.
    pub fn placement(pixels: &[PixelInput], plan_id: Option<&str>, chat_digest: Option<&str>) -> Self {
        match (pixels, plan_id) {
            ([PixelInput { x, y, color, expected_color }], None) => ApiRequest::post(
                "/api/pixel",
                &json!({
                    "x": x, "y": y, "color": color,
                    "expected_color": expected_color, "chat_digest": chat_digest,
                }),
            ),
            _ => {
                let on_conflict = if plan_id.is_some() { "skip" } else { "refuse" };
                ApiRequest::post(
                    "/api/pixels",
                    &json!({
                        "pixels": pixels, "plan_id": plan_id,
                        "on_conflict": on_conflict, "chat_digest": chat_digest,
                    }),
                )
            }
        }
    }

    /// Returns the method and the path with its id.
    pub fn describe(&self) -> String {
        self.label.replace("{id}", &self.id)
    }

    /// Sets the id in the path.
    pub fn with_id(mut self, id: &str) -> Self {
        id.clone_into(&mut self.id);
        self
    }

    /// Sets the query.
    pub fn with_query(mut self, query: impl Into<String>) -> Self {
        self.query = query.into();
        self
    }

    /// Sets the API key.
    pub fn with_api_key(mut self, key: &str) -> Self {
        self.api_key = Some(key.to_owned());
        self
    }

    /// Sets the Idempotency-Key.
    pub fn with_idempotency_key(mut self, key: String) -> Self {
        self.idempotency_key = Some(key);
        self
    }
}

impl Client {
    /// Returns a client with at most this number of concurrent requests.
    pub fn new(servers: &[String], watched: &[String], connections: u32) -> anyhow::Result<Self> {
        let connections = connections as usize;
        let http = https_client::builder()?
            .user_agent("caraplace-swarm")
            .connect_timeout(Duration::from_secs(5))
            .pool_max_idle_per_host(connections)
            .build()?;
        let mut bases: Vec<String> = servers.iter().map(|url| trim_base_url(url)).collect();
        let servers = bases.len();
        for url in watched.iter().map(|url| trim_base_url(url)) {
            if !bases.contains(&url) {
                bases.push(url);
            }
        }
        let (next_server, permits) = (AtomicUsize::new(0), Semaphore::new(connections));
        Ok(Client {
            http,
            base_urls: bases,
            server_count: servers,
            next_server,
            permits,
            stats: RequestStats::default(),
        })
    }

    /// Returns the index of the server with this address.
    pub fn server_index(&self, url: &str) -> Option<usize> {
        self.base_urls.iter().position(|base_url| *base_url == trim_base_url(url))
    }

    /// Sends a request and retries it byte for byte, with the same Idempotency-Key, while the failure may be
    /// temporary and the run lasts.
    pub async fn send_with_retries<T: DeserializeOwned>(
        &self,
        request: &ApiRequest,
        stop: &CancellationToken,
    ) -> Result<ApiResponse<T>, Failure> {
        let mut failures = 0;
        loop {
            match self.send_once(request).await {
                Err(failure)
                    if failure.is_transient() && pause(stop, failure.retry_delay_after(failures)).await =>
                {
                    failures += 1;
                }
                other => return other,
            }
        }
    }

    /// Sends a request once.
    pub async fn send_once<T: DeserializeOwned>(
        &self,
        request: &ApiRequest,
    ) -> Result<ApiResponse<T>, Failure> {
        self.send(request, RawResponse::json).await
    }

    /// Sends a request and returns the response's body, of any type.
    pub async fn fetch_canvas(&self, request: &ApiRequest) -> Result<CanvasBody, Failure> {
        self.send(request, |raw| Ok(raw.into_body())).await
    }

    async fn send<T>(
        &self,
        request: &ApiRequest,
        read: fn(RawResponse) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // The semaphore is never closed. If it were, the request would only go out without a permit.
        let _permit = self.permits.acquire().await.ok();
        let started = request.planned_at.unwrap_or_else(Instant::now);
        let (status, replayed, result) = match self.send_raw(request).await {
            Ok(raw) => (raw.status, raw.is_replayed(), raw.into_success().and_then(read)),
            Err(error) => (0, false, Err(Failure::NoResponse(root_cause(&error)))),
        };
        let detail = match &result {
            Ok(_) if replayed => "replayed",
            Ok(_) => "",
            Err(Failure::Refused(refusal)) => &refusal.code,
            Err(Failure::InvalidResponse(_)) => UNREADABLE,
            Err(Failure::NoResponse(_)) => "no response",
        };
        self.stats.record(&request.label, status, detail, started.elapsed());
        result
    }

    async fn send_raw(&self, request: &ApiRequest) -> Result<RawResponse, reqwest::Error> {
        let response = self.build(request).send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = response.bytes().await?.to_vec();
        Ok(RawResponse { status, headers, body })
    }

    fn build(&self, request: &ApiRequest) -> reqwest::RequestBuilder {
        let next_server = || self.next_server.fetch_add(1, Ordering::Relaxed) % self.server_count.max(1);
        let base = self.base_urls.get(request.server.unwrap_or_else(next_server)).map_or("", String::as_str);
        let url = format!("{base}{}{}", request.path.replace("{id}", &request.id), request.query);
        let mut builder = match &request.body {
            Some(body) => {
                self.http.post(url).header(header::CONTENT_TYPE, "application/json").body(body.clone())
            }
            None => self.http.get(url),
        };
        if let Some(key) = &request.api_key {
            builder = builder.bearer_auth(key);
        }
        if let Some(key) = &request.idempotency_key {
            builder = builder.header("Idempotency-Key", key);
        }
        builder.timeout(RESPONSE_TIMEOUT)
    }
}

struct RawResponse {
    status: u16,
    headers: header::HeaderMap,
    body: Vec<u8>,
}

impl RawResponse {
    fn into_success(self) -> Result<Self, Failure> {
        if (200..300).contains(&self.status) { Ok(self) } else { Err(self.to_failure()) }
    }

    fn to_failure(&self) -> Failure {
        let status = self.status;
        let retry_after = self.text("retry-after").and_then(|s| s.parse().ok()).map(Duration::from_secs);
        if matches!(status, 429 | 503) && retry_after.is_none() {
            return Failure::InvalidResponse(format!("{status} without Retry-After"));
        }
        match serde_json::from_slice::<Refusal>(&self.body) {
            Ok(refusal) => Failure::Refused(Refusal { status, retry_after, ..refusal }),
            Err(error) => Failure::InvalidResponse(format!("{status} without a problem body: {error}")),
        }
    }

    fn json<T: DeserializeOwned>(self) -> Result<ApiResponse<T>, Failure> {
        let body = serde_json::from_slice(&self.body)
            .map_err(|error| Failure::InvalidResponse(error.to_string()))?;
        let date = self.text("date").and_then(|text| DateTime::parse_from_rfc2822(text).ok());
        Ok(ApiResponse { body, received_at: Instant::now(), server_time: date.map(|time| time.to_utc()) })
    }

    fn into_body(self) -> CanvasBody {
        let version = self.text("x-canvas-version").and_then(|text| text.parse().ok());
        CanvasBody { version, bytes: self.body }
    }

    fn is_replayed(&self) -> bool {
        self.text("idempotent-replayed") == Some("true")
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

fn trim_base_url(url: &str) -> String {
    url.trim_end_matches('/').to_owned()
}

/// Returns the innermost cause, because reqwest's own text repeats the address.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
