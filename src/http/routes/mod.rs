//! The URL table: every address, its method, the right it needs, and what it takes and gives.

mod admin;
mod console;
pub mod endpoint;
mod gallery;
mod moderation;
mod pages;
mod parts;
mod rollbacks;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::guard;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, Resource, middleware};

use super::request::auth_operator;
use super::response::codes::Code;
use super::response::cors::PublicRead;
use super::response::panics;
use super::response::problem::Problem;
use super::response::request_metrics::Meters;
use admin::{ADMIN, PASSES, SEASONS};
use console::{CONSOLE, SIGN_IN};
use endpoint::{METRICS, Right, Route};
use gallery::GALLERY;
use moderation::{DECENCY, MODERATION};
use pages::PAGES;
use rollbacks::ROLLBACKS;
use table::{API, ARCHIVE};

/// The parts of the table.
const PARTS: &[&[Route]] =
    &[API, DECENCY, PAGES, GALLERY, ADMIN, MODERATION, PASSES, CONSOLE, SIGN_IN, ROLLBACKS, SEASONS, ARCHIVE];

/// Every address of the server.
pub static ROUTES: [Route; count(PARTS)] = joined(PARTS);

const fn count(parts: &[&[Route]]) -> usize {
    let (mut sum, mut part) = (0, 0);
    while part < parts.len() {
        sum += parts[part].len();
        part += 1;
    }
    sum
}

const fn joined<const COUNT: usize>(parts: &[&[Route]]) -> [Route; COUNT] {
    let (mut all, mut place, mut part) = ([parts[0][0]; COUNT], 0, 0);
    while part < parts.len() {
        let mut line = 0;
        while line < parts[part].len() {
            all[place] = parts[part][line];
            (place, line) = (place + 1, line + 1);
        }
        part += 1;
    }
    all
}

/// Mounts the table: what is not in it is not found, and a method that is not in it is told which are. `/metrics` is left
/// out if it has a listener of its own.
pub fn mount(config: &mut ServiceConfig, with_metrics: bool) {
    mount_those(config, |route| with_metrics || route.path != METRICS);
    // Who is no operator is not told either what is not there.
    for path in ["/api/admin{rest:(/.*)?}", "/admin/{rest:.*}"] {
        let nothing = web::resource(path).default_service(web::to(not_found));
        config.service(nothing.wrap(middleware::from_fn(auth_operator::guard)));
    }
}

/// Mounts what the operator's own listener serves.
pub fn mount_metrics(config: &mut ServiceConfig) {
    mount_those(config, Route::is_for_operators_listener);
}

fn mount_those(config: &mut ServiceConfig, is_mounted: impl Fn(&Route) -> bool) {
    let mut by_path: BTreeMap<&'static str, Vec<&Route>> = BTreeMap::new();
    for route in ROUTES.iter().filter(|route| is_mounted(route)) {
        by_path.entry(route.path).or_default().push(route);
    }
    // Addresses are tried in turn: those that are compared as they stand come before those that must be matched.
    let (matched, plain): (Vec<_>, Vec<_>) = by_path.into_iter().partition(|(path, _)| path.contains('{'));
    for (path, routes) in plain.into_iter().chain(matched) {
        let resource = resource(path, &routes).app_data(Arc::new(Meters::of(path)));
        let mut resource = resource.wrap(middleware::from_fn(panics::answer_panics));
        if routes.iter().any(|route| route.is_public_read()) {
            resource = resource.app_data(PublicRead);
        }
        if routes.iter().all(|route| route.right == Right::Operator) {
            config.service(resource.wrap(middleware::from_fn(auth_operator::guard)));
        } else {
            config.service(resource);
        }
    }
    config.default_service(web::to(not_found));
}

fn resource(path: &str, routes: &[&Route]) -> Resource {
    let allowed: Vec<&str> = routes.iter().map(|route| route.verb.allowed()).collect();
    let allowed = allowed.join(", ");
    let mounted = routes.iter().fold(web::resource(path), |resource, route| {
        let verb = route.verb;
        let guard = guard::fn_guard(move |context| verb.matches(&context.head().method));
        resource.route((route.mount)().guard(guard))
    });
    mounted.default_service(web::to(move |request: HttpRequest| refuse_method(request, allowed.clone())))
}

#[allow(clippy::unused_async, reason = "handlers are async")]
async fn refuse_method(request: HttpRequest, allowed: String) -> super::Answer {
    let detail = format!("{} does not take {}; it takes {allowed}.", request.path(), request.method());
    Err(Problem::new(Code::MethodNotAllowed, detail).allow(allowed))
}

async fn not_found(request: HttpRequest) -> super::Answer {
    Err(Problem::new(Code::NotFound, format!("{} is no address of this server.", request.path())))
}
