//! Measures every request: how long until its answer, on which route, with what status or refusal.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use prometheus::IntCounter;

use super::codes::TABLE;
use super::problem::Problem;
use crate::clock::moment;
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

impl Meters {
    /// The meters of one pattern.
    pub fn of(route: &'static str) -> Self {
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
}

impl Watch {
    /// A request has come.
    pub fn start() -> Self {
        METRICS.answers.in_flight.inc();
        Self { started: moment() }
    }

    /// It has its answer.
    pub fn end<B>(self, answer: &ServiceResponse<B>) {
        let seconds = self.started.elapsed().as_secs_f64();
        let request = answer.request();
        let meters = request.app_data::<Arc<Meters>>().map_or(&*NOWHERE, |meters| &**meters);
        meters.method(request.method()).count(&METRICS.answers, answer.status().as_u16(), seconds);
        let problem = answer.response().error().and_then(|error| error.as_error::<Problem>());
        if let Some(problem) = problem {
            REFUSALS[problem.code as usize].inc();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        METRICS.answers.in_flight.dec();
    }
}
