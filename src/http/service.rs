//! For those who run the server: is it alive, is it ready, what does it count.

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde_json::json;

use super::Answer;
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
pub async fn metrics(app: Data<App>) -> Answer {
    METRICS.queued.set(app.log.queued() as i64);
    METRICS.streams.set(app.log.hub.spectators() as i64);
    METRICS.head.set(app.log.snapshot(|world| world.head));
    let text = METRICS.text().map_err(|_| Refusal::Overloaded)?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}
