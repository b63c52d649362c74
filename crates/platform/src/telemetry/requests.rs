//! Metrics of requests, by route. A request costs a few atomic additions, because all labels are resolved in
//! advance.

use std::sync::OnceLock;

use prometheus::{Histogram, HistogramVec, IntCounter, IntCounterVec, IntGauge};

use super::register::metrics;

/// The statuses with a series of their own.
const STATUSES: [u16; 32] = [
    200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410,
    412, 413, 415, 421, 422, 429, 500, 501, 502, 503, 504,
];
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

metrics! {
    /// The metrics of requests.
    RequestMetrics {
        requests: IntCounterVec = "caraplace_http_requests_total" ["route", "method", "status"]
            "Requests answered, by route, method and status.";
        seconds: HistogramVec = "caraplace_http_request_duration_seconds" ["route", "method", "class"]
            "Seconds from the head of a request to the head of its response, by route, method and status \
             class.";
        refusals: IntCounterVec = "caraplace_refusals_total" ["code"]
            "Refused requests, by error code.";
        in_flight: IntGauge = "caraplace_http_requests_in_flight"
            "Requests in progress.";
        slow: IntCounter = "caraplace_http_slow_requests_total"
            "Requests that took longer than CARAPLACE_SLOW_REQUEST_MS.";
        replays: IntCounter = "caraplace_idempotent_replays_total"
            "Requests answered with the stored response of their Idempotency-Key.";
        panics: IntCounter = "caraplace_panics_total"
            "Panics. Any panic is a defect; the log says where it happened.";
    }
}

impl RequestMetrics {
    /// Returns the counter of one error code.
    pub fn refusal_counter(&self, code: &str) -> IntCounter {
        self.refusals.with_label_values(&[code])
    }
}

/// Counts the responses of one method of one route. A series appears with its first response.
pub struct RouteMeter {
    route: &'static str,
    method: &'static str,
    requests: [OnceLock<IntCounter>; STATUSES.len() + 1],
    seconds: [OnceLock<Histogram>; CLASSES.len()],
}

impl RouteMeter {
    /// Returns a meter that has counted nothing yet.
    pub fn new(route: &'static str, method: &'static str) -> Self {
        let requests = std::array::from_fn(|_| OnceLock::new());
        let seconds = Default::default();
        Self { route, method, requests, seconds }
    }

    /// Returns the route's pattern.
    pub fn route(&self) -> &'static str {
        self.route
    }

    /// Returns the method, or `other`.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// Counts one response.
    pub fn count(&self, metrics: &RequestMetrics, status: u16, seconds: f64) {
        let position = STATUSES.binary_search(&status).unwrap_or(STATUSES.len());
        let requests = self.requests[position].get_or_init(|| {
            let status = STATUSES.get(position).map_or("other".to_owned(), u16::to_string);
            metrics.requests.with_label_values(&[self.route, self.method, &status])
        });
        requests.inc();
        let class = usize::from(status / 100).saturating_sub(1).min(CLASSES.len() - 1);
        let histogram = self.seconds[class]
            .get_or_init(|| metrics.seconds.with_label_values(&[self.route, self.method, CLASSES[class]]));
        histogram.observe(seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::METRICS;

    #[test]
    fn counts_every_status() {
        assert!(STATUSES.is_sorted());
        let metrics = &METRICS.requests;
        let meter = RouteMeter::new("/api/agents/{id}", "GET");
        for status in STATUSES.into_iter().chain([100, 418, 599]) {
            meter.count(metrics, status, 0.001);
        }
        for (status, count) in [("200", 1), ("503", 1), ("other", 3)] {
            let counter = metrics.requests.with_label_values(&["/api/agents/{id}", "GET", status]);
            assert_eq!(counter.get(), count, "{status}");
        }
        let failed = metrics.seconds.with_label_values(&["/api/agents/{id}", "GET", "5xx"]);
        assert_eq!(failed.get_sample_count(), 6);
    }
}
