//! `/healthz`, `/readyz` and `/metrics`: health checks and metrics for operators.

use std::time::Duration;

use actix_web::web::Data;
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use caraplace_companion::app::App;
use caraplace_log::{PROBE_TIMEOUT, Unwritable};
use chrono::{DateTime, TimeDelta, Utc};
use platform::clock::Clock;
use platform::disk_space::DiskSpace;
use platform::refusal::codes::Code;
use platform::refusal::{Refusal, internal};
use platform::telemetry::METRICS;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::query::QueryParams;
use crate::request::query_param::{ChoiceParam, flag};
use crate::response::problem::Problem;
use crate::response::request_metrics::ExpectedFailure;
use crate::route::endpoint::Param;
use crate::state::HttpState;

/// Responds if the process is alive.
#[allow(clippy::unused_async, reason = "handlers are async")]
pub async fn healthz() -> HandlerResult {
    Ok(HttpResponse::Ok().json(json!({"status": "alive"})))
}

/// The time that a readiness check waits for a probe, if writes are not required.
const READ_CHECK_TIMEOUT: Duration = Duration::from_millis(250);

/// The time in which the database must answer. Balancers rarely wait for more than two seconds.
const PING_TIMEOUT: Duration = Duration::from_secs(1);

const WRITE: ChoiceParam<bool> =
    flag("write", false, "true: respond with 503 if writes are not possible; {default} by default");
/// The parameters of a readiness check.
pub const READYZ_PARAMS: &[Param] = &[WRITE.param];

/// The response of a readiness check.
#[derive(Debug, Serialize, ToSchema)]
pub struct Readiness {
    #[schema(example = "ready")]
    status: &'static str,
    /// Always true: otherwise the response is `database_unavailable`.
    ready: bool,
    /// True if a row was written within the last two seconds.
    writable: bool,
    /// The reason why writes are not possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Unwritable>,
    /// How the database's clock was set, if it is ahead or was set back within the last hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<ClockJump>,
}

/// A jump of the database's clock.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClockJump {
    /// The seconds by which the clock was set forward, or back if they are negative.
    #[schema(example = 3600)]
    jumped_seconds: i64,
    /// The time that the clock showed after the jump.
    since: DateTime<Utc>,
    /// True if the time that the server uses follows the clock.
    followed: bool,
}

impl ClockJump {
    /// Returns the jump that is to be reported, if there is one.
    fn of(clock: &Clock) -> Option<Self> {
        let jump =
            |by: TimeDelta, since, followed| Self { jumped_seconds: by.num_seconds(), since, followed };
        match clock.lead() {
            Some(lead) => Some(jump(lead.lead, lead.since, false)),
            None => clock.recent_set_back().map(|(by, since)| jump(-by, since, true)),
        }
    }
}

/// Checks that the server goes on, that its filters are warm, that the database responds, and whether it
/// accepts writes; with `write=true`, writes are required.
pub async fn readyz(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    let must_write = WRITE.read(&QueryParams::from_request(&request)?)?;
    if http_state.is_draining() {
        request.extensions_mut().insert(ExpectedFailure);
        return Err(Problem::new(Code::Stopping, Code::Stopping.info().when));
    }
    if app.filters.is_warming_up() {
        request.extensions_mut().insert(ExpectedFailure);
        return Err(warming_up_problem());
    }
    let ping = app.state.log.ping(PING_TIMEOUT).await;
    let is_read = ping.is_ok();
    let reason = match ping {
        Ok(()) | Err(Refusal::Overloaded) => {
            let timeout = if must_write { PROBE_TIMEOUT } else { READ_CHECK_TIMEOUT };
            app.state.log.check_writable(timeout).await.err()
        }
        Err(Refusal::Unavailable) => Some(Unwritable::NoAnswer),
        Err(refusal) => return Err(refusal.into()),
    };
    // A busy database still writes: the writer and the probes have connections of their own.
    if !is_read && reason == Some(Unwritable::NoAnswer) && !http_state.ready_without_database {
        return Err(unreadable_problem());
    }
    if let Some(reason) = reason.filter(|_| must_write) {
        return Err(unwritable_problem(reason));
    }
    let writable = reason.is_none();
    let clock = ClockJump::of(&app.state.clock);
    let readiness = Readiness { status: "ready", ready: true, writable, reason, clock };
    Ok(HttpResponse::Ok().json(readiness))
}

fn warming_up_problem() -> Problem {
    let detail = "The content filters are being prepared, which takes a moment after a start.";
    let problem = Problem::new(Code::Overloaded, detail).with_field("reason", "warming_up");
    problem.hint("Check again after Retry-After. Until then messages are answered with 503 overloaded.")
}

fn unreadable_problem() -> Problem {
    let problem = Problem::new(Code::DatabaseUnavailable, "The database does not respond.");
    problem.with_field("reason", Unwritable::NoAnswer).hint("Check again after Retry-After.")
}

fn unwritable_problem(reason: Unwritable) -> Problem {
    let (code, detail) = match reason {
        Unwritable::HeadLocked => {
            (Code::DatabaseUnavailable, "The head of the log has been locked for two seconds.")
        }
        Unwritable::ReadOnly => (Code::DatabaseUnavailable, "The database is read-only."),
        Unwritable::QueueFull => (Code::Overloaded, "The command queue is full, and nothing is written."),
        Unwritable::DiskFull => (Code::DatabaseUnavailable, "The disk of the database is full."),
        Unwritable::NoAnswer => (Code::DatabaseUnavailable, "The database does not respond to writes."),
    };
    let hint = "Check again after Retry-After: all instances need the same head of the log to write. \
                docs/OPERATING.md explains each reason to operators.";
    Problem::new(code, detail).with_field("reason", reason).hint(hint)
}

/// Returns the metrics in Prometheus' text format.
#[allow(clippy::unused_async, reason = "handlers are async")]
pub async fn metrics(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    http_state.metrics_access.check(&request, &http_state.trusted_proxies)?;
    update_gauges(&app, &http_state);
    let text = METRICS.to_text().map_err(internal("encoding the metrics"))?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}

/// Updates the gauges that are read only on request.
fn update_gauges(app: &App, http_state: &HttpState) {
    let state = &app.state;
    let metrics = &*METRICS;
    metrics.writer.queued.set(state.log.queue_len() as i64);
    metrics.writer.queue_capacity.set(state.log.queue_capacity() as i64);
    metrics.streams.open.set(state.hub.spectators() as i64);
    metrics.streams.queued_frames.set(state.hub.queued_frames() as i64);
    let (head, version) = state.read_world(|world| (world.head, world.version));
    metrics.follower.head.set(head.0);
    metrics.follower.version.set(version.0);
    metrics.follower.control.set(state.log.control_head());
    let open = i64::from(state.pool.size());
    let idle = state.pool.num_idle() as i64;
    metrics.database.set_writable(state.log.writable().err().map(Unwritable::name));
    if let Some(space) = http_state.data_dir.as_deref().and_then(DiskSpace::of) {
        metrics.database.data_free.set(space.free as f64);
        metrics.database.data_size.set(space.size as f64);
    }
    metrics.database.pool_idle.set(idle);
    metrics.database.pool_busy.set((open - idle).max(0));
    metrics.database.pool_max.set(state.pool.options().get_max_connections().into());
}
