//! Measures every request: its duration, route, status and error code.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use actix_web::HttpMessage as _;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::web::Data;
use platform::clock::monotonic_now;
use platform::refusal::codes::TABLE;
use platform::telemetry::{METRICS, RouteMeter};
use prometheus::IntCounter;

use super::problem::Problem;
use super::warning_log::{WarningKind, WarningLog};
use crate::request::request_id::{self, RequestId};
use crate::state::HttpState;

/// The values of the `method` label.
const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"];

/// The metrics of a route, by method. Each route has its own as app data, so that requests need no look-up.
pub struct RouteMeters([RouteMeter; METHODS.len()]);

/// The metrics of requests that match no route.
static UNMATCHED_ROUTE: LazyLock<RouteMeters> = LazyLock::new(|| RouteMeters::new("none"));

/// The counters of error codes, in the order of the table. All exist from the start, so that rates include
/// the first error.
static REFUSAL_COUNTERS: LazyLock<Vec<IntCounter>> =
    LazyLock::new(|| TABLE.iter().map(|line| METRICS.requests.refusal_counter(line.code)).collect());

/// The failed and slow requests in the log.
static WARNINGS: LazyLock<WarningLog> = LazyLock::new(WarningLog::default);

/// Counts a refusal inside a successful response, such as that of an MCP tool.
pub fn count_refusal(problem: &Problem, request_id: &str) {
    REFUSAL_COUNTERS[problem.code as usize].inc();
    if let Some(cause) = problem.cause() {
        tracing::error!(request_id, cause, "internal error");
    }
}

impl RouteMeters {
    /// Returns the metrics of a route.
    pub fn new(route: &'static str) -> Self {
        LazyLock::force(&REFUSAL_COUNTERS);
        Self(METHODS.map(|method| RouteMeter::new(route, method)))
    }

    fn method(&self, method: &Method) -> &RouteMeter {
        let position = METHODS.iter().position(|known| *known == method.as_str());
        &self.0[position.unwrap_or(METHODS.len() - 1)]
    }
}

/// The time for which a request waited because its client asked for it. It does not count as slowness.
#[derive(Clone, Copy, Debug)]
pub struct TimeWaited(pub Duration);

/// A mark of a request whose failure is part of an ordinary start. It is not logged as one.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedFailure;

/// Measures a request from its head to the head of its response, or until the client disconnects.
pub struct RequestTracker {
    started: Instant,
    id: RequestId,
    /// The duration from which a request is logged as slow.
    slow_threshold: Duration,
}

impl RequestTracker {
    /// Starts to measure a request, and assigns its id.
    pub fn start(request: &ServiceRequest) -> Self {
        METRICS.requests.in_flight.inc();
        let http_state = request.app_data::<Data<HttpState>>();
        let id = RequestId(
            request_id::for_request(request, http_state.map(|http_state| &http_state.trusted_proxies)).into(),
        );
        request.extensions_mut().insert(id.clone());
        let slow = http_state.map_or(Duration::MAX, |http_state| http_state.slow_request_threshold);
        Self { started: monotonic_now(), id, slow_threshold: slow }
    }

    /// Returns the request's id, which is in its response and in the log.
    pub fn id(&self) -> &str {
        &self.id.0
    }

    /// Returns the tracing span of the request.
    pub fn span(&self) -> tracing::Span {
        tracing::debug_span!("request", id = self.id())
    }

    /// Records the response.
    pub fn end<B>(&self, response: &ServiceResponse<B>) {
        let request = response.request();
        let status = response.status().as_u16();
        let waited = request.extensions().get::<TimeWaited>().map_or(Duration::ZERO, |waited| waited.0);
        let elapsed = self.started.elapsed().saturating_sub(waited);
        let meters = request.app_data::<Arc<RouteMeters>>().map_or(&*UNMATCHED_ROUTE, |meters| &**meters);
        let meter = meters.method(request.method());
        meter.count(&METRICS.requests, status, elapsed.as_secs_f64());
        let problem = response.response().error().and_then(|error| error.as_error::<Problem>());
        if let Some(problem) = problem {
            REFUSAL_COUNTERS[problem.code as usize].inc();
        }
        let has_failed = status >= 500 && !request.extensions().contains::<ExpectedFailure>();
        self.log(meter, status, has_failed, problem, elapsed);
    }

    fn log(
        &self,
        meter: &RouteMeter,
        status: u16,
        has_failed: bool,
        problem: Option<&Problem>,
        elapsed: Duration,
    ) {
        let is_slow = elapsed > self.slow_threshold;
        METRICS.requests.slow.inc_by(u64::from(is_slow));
        let kind = WarningKind {
            method: meter.method(),
            route: meter.route(),
            status,
            code: problem.map_or("", |problem| problem.code.info().code),
            outcome: if has_failed { "failed" } else { "was slow" },
        };
        let WarningKind { method, route, code, outcome, .. } = kind;
        let request_id = self.id();
        let ms = elapsed.as_secs_f64() * 1_000.0;
        let cause = problem.and_then(Problem::cause);
        let now = monotonic_now();
        WARNINGS.log_summaries(now);
        if !is_slow && !has_failed {
            tracing::debug!(request_id, method, route, status, code, ms, "request handled");
        } else if WARNINGS.try_log(kind, cause, now) {
            if let Some(cause) = cause {
                tracing::error!(request_id, method, route, cause, "internal error");
            }
            tracing::warn!(request_id, method, route, status, code, ms, "request {outcome}");
        }
    }
}

impl Drop for RequestTracker {
    fn drop(&mut self) {
        METRICS.requests.in_flight.dec();
    }
}
