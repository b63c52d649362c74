//! The route table: the path of every route, with its method, access right, parameters, body and response.

mod admin;
mod agent_keys;
mod api;
mod channels;
mod console;
mod crews;
mod direct;
mod drafts;
mod gallery;
mod guide;
mod history;
mod lists;
mod moderation;
mod nearest;
mod oauth;
mod operators;
mod own_messages;
mod pages;
mod plans;
mod registration;
mod rollbacks;
mod search;
mod webhooks;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, Resource, guard, middleware};
use caraplace_http::HandlerResult;
use caraplace_http::request::app_data::http_state;
use caraplace_http::request::auth_operator;
use caraplace_http::request::known_params::KnownParams;
use caraplace_http::response::cors::{self, PublicEndpoint, PublicRead};
use caraplace_http::response::no_store::OwnReads;
use caraplace_http::response::panics;
use caraplace_http::response::problem::Problem;
use caraplace_http::response::request_metrics::RouteMeters;
use caraplace_http::route::endpoint::{METRICS_PATH, Route, RouteAccess};
use caraplace_http::route::scope::{RouteScopes, assert_scopes};
use nearest::nearest_endpoints;
use platform::refusal::codes::Code;

/// The parts of the route table.
const TABLES: &[&[Route]] = &[
    api::API,
    history::HISTORY,
    agent_keys::AGENT_KEYS,
    direct::CONTACT,
    plans::PLANS,
    channels::CHANNELS,
    crews::CREWS,
    own_messages::OWN_MESSAGES,
    moderation::REPORTS_AND_APPEALS,
    search::SEARCH,
    guide::GUIDE,
    drafts::DRAFTS,
    webhooks::WEBHOOKS,
    pages::PAGES,
    gallery::GALLERY,
    oauth::OAUTH,
    admin::ADMIN_KEYS,
    operators::ADMIN_OPERATORS,
    moderation::MODERATION,
    lists::ADMIN_LISTS,
    registration::ADMIN_REGISTRATION,
    registration::ADMIN_INVITATION_CODES,
    crews::ADMIN_CREWS,
    drafts::ADMIN_DRAFTS,
    admin::ADMIN_PASSES,
    console::CONSOLE_MODERATION,
    console::CONSOLE,
    console::SIGN_IN,
    rollbacks::ROLLBACKS,
    admin::ADMIN_SEASONS_AND_SETTINGS,
    api::PUBLIC_SEASONS,
];

/// The paths of most requests, most frequent first.
const FREQUENT_PATHS: [&str; 7] = [
    "/api/pixel",
    "/api/pixels",
    "/api/chat/digest",
    "/api/chat",
    "/api/canvas.bin",
    "/api/canvas",
    "/api/home",
];

/// The hint for those who look for a page on a server without pages.
const NO_PAGES_HINT: &str =
    "Agents begin at /skill.md, and programs at /openapi.json; operators sign in at /admin.";

/// All routes of the server.
pub static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| TABLES.concat());

/// The routes of a server without pages for visitors.
static ROUTES_WITHOUT_PAGES: LazyLock<Vec<Route>> =
    LazyLock::new(|| ROUTES.iter().filter(|route| !route.is_visitor_page()).copied().collect());

const _: () = assert_scopes(TABLES);

/// Returns the routes of a server with or without pages for visitors.
pub fn served_routes(has_pages: bool) -> &'static [Route] {
    if has_pages { &ROUTES } else { &ROUTES_WITHOUT_PAGES }
}

/// Mounts these routes. Unknown paths get a 404, unsupported methods a 405 with the supported ones.
/// `/metrics` is left out if it has a listener of its own.
pub fn mount(config: &mut ServiceConfig, routes: &'static [Route], with_metrics: bool) {
    mount_matching(config, routes, |route| with_metrics || route.path != METRICS_PATH);
    // Without an operator's key, unknown paths get the same refusal as existing ones, so they reveal nothing.
    for path in ["/api/admin{rest:(/.*)?}", "/admin/{rest:.*}"] {
        let fallback = web::resource(path).default_service(web::to(not_found));
        config.service(fallback.wrap(middleware::from_fn(auth_operator::require_operator)));
    }
}

/// Mounts the routes of the operators' own listener.
pub fn mount_metrics(config: &mut ServiceConfig) {
    mount_matching(config, &ROUTES, Route::is_for_operators_listener);
}

fn mount_matching(config: &mut ServiceConfig, routes: &'static [Route], is_mounted: impl Fn(&Route) -> bool) {
    let mut by_path: BTreeMap<&'static str, Vec<&Route>> = BTreeMap::new();
    for route in routes.iter().filter(|route| is_mounted(route)) {
        by_path.entry(route.path).or_default().push(route);
    }
    // Actix tries resources in order, so fixed paths come before patterns, and frequent ones before the
    // others.
    let (with_params, mut literal): (Vec<_>, Vec<_>) =
        by_path.into_iter().partition(|(path, _)| path.contains('{'));
    let rank = |path: &str| FREQUENT_PATHS.iter().position(|frequent| *frequent == path);
    literal.sort_by_key(|(path, _)| rank(path).unwrap_or(FREQUENT_PATHS.len()));
    for (path, routes) in literal.into_iter().chain(with_params) {
        mount_resource(config, path, path, &routes);
        if routes.iter().any(|route| route.has_optional_slash()) {
            // Actix would compare two addresses of one resource by regular expressions, with each request.
            mount_resource(config, &format!("{path}/"), path, &routes);
        }
    }
    config.default_service(web::to(not_found));
}

/// Mounts the routes of a path at an address, which is the path or that path with a slash at its end.
fn mount_resource(config: &mut ServiceConfig, address: &str, path: &'static str, routes: &[&Route]) {
    let resource = resource(address, routes).app_data(Arc::new(RouteMeters::new(path)));
    let resource = resource.app_data(RouteScopes::from_routes(routes));
    let mut resource = resource.wrap(middleware::from_fn(panics::catch_panics));
    if routes.iter().any(|route| route.is_public_read()) {
        resource = resource.app_data(PublicRead);
    }
    if routes.iter().any(|route| route.is_for_foreign_pages()) {
        resource = resource.app_data(PublicEndpoint).route(cors::preflight_route());
    }
    if routes.iter().any(|route| route.is_own_read()) {
        resource = resource.app_data(OwnReads);
    }
    if let Some(known_params) = KnownParams::from_routes(routes) {
        resource = resource.app_data(known_params);
    }
    if routes.iter().all(|route| route.access == RouteAccess::Operator) {
        config.service(resource.wrap(middleware::from_fn(auth_operator::require_operator)));
    } else {
        config.service(resource);
    }
}

fn resource(address: &str, routes: &[&Route]) -> Resource {
    let allowed: Vec<&str> = routes.iter().map(|route| route.verb.allow_header_value()).collect();
    let allowed = allowed.join(", ");
    let resource = routes.iter().fold(web::resource(address), |resource, route| {
        let verb = route.verb;
        let guard = guard::fn_guard(move |context| verb.matches(&context.head().method));
        resource.route((route.handler)().guard(guard))
    });
    resource.default_service(web::to(move |request: HttpRequest| refuse_method(request, allowed.clone())))
}

#[allow(clippy::unused_async, reason = "handlers are async")]
async fn refuse_method(request: HttpRequest, allowed: String) -> HandlerResult {
    let detail = format!("{} does not support {}, only {allowed}.", request.path(), request.method());
    Err(Problem::new(Code::MethodNotAllowed, detail).allow(&allowed))
}

async fn not_found(request: HttpRequest) -> HandlerResult {
    let path = request.path();
    if path == "/api" || path.starts_with("/api/") {
        return Err(unknown_endpoint(path));
    }
    if http_state(&request)?.has_pages {
        return Err(Problem::new(Code::NotFound, format!("There is no page at {path}.")));
    }
    let detail = format!("There is no page at {path}: this server has none for visitors.");
    Err(Problem::new(Code::NotFound, detail).hint(NO_PAGES_HINT))
}

/// Returns the refusal of a path that is no endpoint, with the nearest ones.
fn unknown_endpoint(path: &str) -> Problem {
    let endpoints = nearest_endpoints(&ROUTES, path);
    let problem = Problem::new(Code::NotFound, format!("There is no endpoint at {path}."));
    let all = "/llms.txt names the files that describe all of them.";
    if endpoints.is_empty() {
        return problem.hint(format!("Check the path; {all}"));
    }
    problem.hint(format!("Perhaps you mean one of `endpoints`; {all}")).with_field("endpoints", endpoints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_paths_are_those_of_routes() {
        for path in FREQUENT_PATHS {
            assert!(ROUTES.iter().any(|route| route.path == path), "{path}");
        }
    }
}
