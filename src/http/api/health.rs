//! For those who run the server: is it alive, is it ready, what does it count.

use std::time::Duration;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::app::App;
use crate::http::HandlerResult;
use crate::http::request::query::QueryParams;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::log::{Unwritable, WRITE_TIMEOUT};
use crate::refusal::internal;
use crate::telemetry::METRICS;

/// The process answers.
pub async fn healthz() -> HandlerResult {
    Ok(HttpResponse::Ok().json(json!({"status": "alive"})))
}

/// How long a check that asks for reading waits for an attempt to write.
const READ_CHECK_TIMEOUT: Duration = Duration::from_millis(250);
/// How long one that asks for writing does: until the attempt's own time is over.
const WRITE_CHECK_TIMEOUT: Duration = Duration::from_millis(WRITE_TIMEOUT.as_millis() as u64 + 500);

/// The operations that a server is ready for.
#[derive(Debug, Serialize, ToSchema)]
pub struct Readiness {
    #[schema(example = "ready")]
    status: &'static str,
    /// Always true: where the database cannot be read, the answer is `database_unavailable`.
    ready: bool,
    /// Whether anything could be written within the last two seconds.
    writable: bool,
    /// Why nothing can be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Unwritable>,
}

/// Whether the database answers, and whether it takes writes; with `write=true` that is required.
pub async fn readyz(request: HttpRequest, app: Data<App>) -> HandlerResult {
    let must_write = QueryParams::from_request(&request)?.flag("write")?;
    app.state.log.ping().await?;
    let timeout = if must_write { WRITE_CHECK_TIMEOUT } else { READ_CHECK_TIMEOUT };
    let reason = app.state.log.check_writable(timeout).await.err();
    if let Some(reason) = reason.filter(|_| must_write) {
        return Err(unwritable_problem(reason));
    }
    let readiness = Readiness { status: "ready", ready: true, writable: reason.is_none(), reason };
    Ok(HttpResponse::Ok().json(readiness))
}

fn unwritable_problem(reason: Unwritable) -> Problem {
    let (code, detail) = match reason {
        Unwritable::HeadLocked => {
            (Code::DatabaseUnavailable, "The head of the log has been locked for two seconds.")
        }
        Unwritable::ReadOnly => (Code::DatabaseUnavailable, "The database takes no writes."),
        Unwritable::QueueFull => (Code::Overloaded, "As many commands wait as may, and none is written."),
        Unwritable::NoAnswer => (Code::DatabaseUnavailable, "The database does not answer to writes."),
    };
    let hint = "Ask again once Retry-After has passed; all instances need the same head of the log to write. \
                docs/OPERATING.md tells operators what each reason means.";
    Problem::new(code, detail).with_field("reason", reason).hint(hint)
}

/// Counters in Prometheus' text format.
pub async fn metrics(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    http_state.metrics_access.check(&request, &http_state.trusted_proxies)?;
    update_gauges(&app);
    let text = METRICS.to_text().map_err(internal("writing the metrics"))?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}

/// Asks for what nobody counts while it changes.
fn update_gauges(app: &App) {
    let (state, metrics) = (&app.state, &*METRICS);
    metrics.writer.queued.set(state.log.queue_len() as i64);
    metrics.writer.queue_capacity.set(state.log.queue_capacity() as i64);
    metrics.streams.open.set(state.hub.spectators() as i64);
    metrics.streams.queued_frames.set(state.hub.queued_frames() as i64);
    let (head, version) = state.read_world(|world| (world.head, world.version));
    metrics.follower.head.set(head);
    metrics.follower.version.set(version);
    metrics.follower.control.set(state.key_cache.control_head());
    let (open, idle) = (i64::from(state.pool.size()), state.pool.num_idle() as i64);
    metrics.database.pool_idle.set(idle);
    metrics.database.pool_busy.set((open - idle).max(0));
    metrics.database.pool_max.set(state.pool.options().get_max_connections().into());
}
