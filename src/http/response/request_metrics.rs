//! Measures every request: how long until its answer, on which route, with what status or refusal.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use actix_web::HttpMessage as _;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::web::Data;
use parking_lot::Mutex;
use prometheus::IntCounter;

use super::codes::TABLE;
use super::problem::Problem;
use crate::clock::moment;
use crate::http::request::request_id::{self, RequestId};
use crate::http::state::HttpState;
use crate::telemetry::{METRICS, RouteMeter};

/// The methods that are told apart.
const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"];

/// The meters of one address, by method. Each address carries its own, so that no request has to look for them.
pub struct Meters([RouteMeter; METHODS.len()]);

/// For requests to no address of the table.
static NOWHERE: LazyLock<Meters> = LazyLock::new(|| Meters::of("none"));

/// By the number of the code; all are there from the start, so that rates see the first refusal.
static REFUSALS: LazyLock<Vec<IntCounter>> =
    LazyLock::new(|| TABLE.iter().map(|line| METRICS.answers.refusals(line.code)).collect());

/// Lines about requests that went wrong.
static LOUD: LazyLock<Ration> = LazyLock::new(|| Ration { state: Mutex::new((moment(), 0, 0)) });

/// Counts a refusal that the answer to a request holds without being one itself.
pub fn count_refusal(problem: &Problem, request_id: &str) {
    REFUSALS[problem.code as usize].inc();
    if let Some(cause) = problem.cause() {
        tracing::error!(request_id, cause, "internal error");
    }
}

impl Meters {
    /// The meters of one pattern.
    pub fn of(route: &'static str) -> Self {
        LazyLock::force(&REFUSALS);
        Self(METHODS.map(|method| RouteMeter::new(route, method)))
    }

    fn method(&self, method: &Method) -> &RouteMeter {
        let position = METHODS.iter().position(|known| *known == method.as_str());
        &self.0[position.unwrap_or(METHODS.len() - 1)]
    }
}

/// Watches one request, from its head to the head of its answer, or to its end if the client goes first.
pub struct Watch {
    started: Instant,
    id: RequestId,
    /// An answer that takes longer is logged.
    slow: Duration,
}

impl Watch {
    /// A request has come.
    pub fn start(request: &ServiceRequest) -> Self {
        METRICS.answers.in_flight.inc();
        let door = request.app_data::<Data<HttpState>>();
        let id = RequestId(request_id::of(request, door.map(|door| &door.trusted_proxies)).into());
        request.extensions_mut().insert(id.clone());
        let slow = door.map_or(Duration::MAX, |door| door.slow_request);
        Self { started: moment(), id, slow }
    }

    /// The request's id, in its answer and in the log.
    pub fn id(&self) -> &str {
        &self.id.0
    }

    /// What is logged while it is answered belongs to it.
    pub fn span(&self) -> tracing::Span {
        tracing::debug_span!("request", id = self.id())
    }

    /// It has its answer.
    pub fn end<B>(&self, answer: &ServiceResponse<B>) {
        let took = self.started.elapsed();
        let (request, status) = (answer.request(), answer.status().as_u16());
        let meters = request.app_data::<Arc<Meters>>().map_or(&*NOWHERE, |meters| &**meters);
        let meter = meters.method(request.method());
        meter.count(&METRICS.answers, status, took.as_secs_f64());
        let problem = answer.response().error().and_then(|error| error.as_error::<Problem>());
        if let Some(problem) = problem {
            REFUSALS[problem.code as usize].inc();
        }
        self.log(meter, status, problem, took);
    }

    fn log(&self, meter: &RouteMeter, status: u16, problem: Option<&Problem>, took: Duration) {
        let (request_id, route, method) = (self.id(), meter.route(), meter.method());
        let (code, ms) =
            (problem.map_or("", |problem| problem.code.line().code), took.as_secs_f64() * 1_000.0);
        let cause = problem.and_then(Problem::cause);
        if let Some(cause) = cause {
            tracing::error!(request_id, method, route, cause, "internal error");
        }
        let slow = took > self.slow;
        METRICS.answers.slow.inc_by(u64::from(slow));
        let why = if status >= 500 { "could not be answered" } else { "was slow" };
        if !slow && status < 500 {
            tracing::debug!(request_id, method, route, status, code, ms, "answered");
        } else if let Some(unlogged) = LOUD.admit() {
            tracing::warn!(request_id, method, route, status, code, ms, unlogged, "a request {why}");
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        METRICS.answers.in_flight.dec();
    }
}

/// Lets so many lines a second into the log: a flood of refusals must not become a flood of lines.
struct Ration {
    /// The second, how many of it were let in, and how many were not since one was.
    state: Mutex<(Instant, u32, u64)>,
}

impl Ration {
    const PER_SECOND: u32 = 20;

    /// Whether one more may be told; if so, how many were not told before it.
    fn admit(&self) -> Option<u64> {
        let mut state = self.state.lock();
        let (since, told, untold) = &mut *state;
        if since.elapsed() >= Duration::from_secs(1) {
            (*since, *told) = (moment(), 0);
        }
        if *told == Self::PER_SECOND {
            *untold += 1;
            return None;
        }
        *told += 1;
        Some(std::mem::take(untold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_over_the_limit_are_counted_not_logged() {
        let ration = Ration { state: Mutex::new((moment(), 0, 0)) };
        let told = (0..100).filter(|_| ration.admit().is_some()).count();
        assert_eq!(told, 20);
        ration.state.lock().0 -= Duration::from_secs(2);
        assert_eq!(ration.admit(), Some(80));
        assert_eq!(ration.admit(), Some(0));
    }
}
