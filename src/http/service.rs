//! For those who run the server: is it alive, is it ready, what does it count.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use super::Answer;
use super::door::Door;
use crate::app::App;
use crate::refusal::Refusal;
use crate::telemetry::METRICS;

/// The process answers.
pub async fn healthz() -> Answer {
    Ok(HttpResponse::Ok().json(json!({"status": "alive"})))
}

/// The database answers too.
pub async fn readyz(app: Data<App>) -> Answer {
    app.log.ping().await?;
    Ok(HttpResponse::Ok().json(json!({"status": "ready"})))
}

/// Counters in Prometheus' text format.
pub async fn metrics(request: HttpRequest, app: Data<App>, door: Data<Door>) -> Answer {
    door.metrics.check(&request, &door.trusted_proxies)?;
    look(&app);
    let text = METRICS.text().map_err(|_| Refusal::Overloaded)?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}

/// Asks for what nobody counts while it changes.
fn look(app: &App) {
    let (log, metrics) = (&app.log, &*METRICS);
    metrics.writer.queued.set(log.queued() as i64);
    metrics.writer.queue_capacity.set(log.queue_capacity() as i64);
    metrics.streams.open.set(log.hub.spectators() as i64);
    metrics.streams.queued_frames.set(log.hub.waiting() as i64);
    let (head, version) = log.snapshot(|world| (world.head, world.version));
    metrics.follower.head.set(head);
    metrics.follower.version.set(version);
    metrics.follower.control.set(log.roster.control());
    let (open, idle) = (i64::from(log.pool.size()), log.pool.num_idle() as i64);
    metrics.database.pool_idle.set(idle);
    metrics.database.pool_busy.set((open - idle).max(0));
    metrics.database.pool_max.set(log.pool.options().get_max_connections().into());
}
