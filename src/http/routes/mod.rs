//! The URL table: every address, its method, the right it needs, and what it takes and gives.

mod admin;
mod console;
mod gallery;
mod moderation;
mod pages;
mod parts;
mod passes;
mod rollbacks;
mod seasons;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::guard::{self, Guard};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, Resource, middleware};
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use super::request::auth_operator;
use super::response::codes::Code;
use super::response::cors::PublicRead;
use super::response::problem::Problem;
use super::response::request_metrics::Meters;
use admin::ADMIN;
use console::CONSOLE;
use gallery::GALLERY;
use moderation::{DECENCY, MODERATION};
use pages::PAGES;
use passes::PASSES;
use rollbacks::ROLLBACKS;
use seasons::{ARCHIVE, SEASONS};
use table::API;

/// A method that some address takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// HEAD goes with it.
    Get,
    Post,
}

/// Who may use an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    Anyone,
    /// With an agent's key.
    Agent,
    /// With a Gallery Pass: signed in, or with a viewer's key.
    Viewer,
    /// Either of them.
    AgentOrViewer,
    /// Signed in, or with an operator's key.
    Operator,
}

/// A parameter in the path, the query or a header.
#[derive(Debug)]
pub struct Param {
    pub name: &'static str,
    pub place: Place,
    pub kind: Kind,
    pub required: bool,
    pub help: &'static str,
}

/// Where a parameter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Path,
    Query,
    Header,
}

/// What a parameter holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// Text that this regular expression matches.
    Like(&'static str),
    /// A column of the canvas.
    Column,
    /// A row of the canvas.
    Row,
    Time,
    /// An event's number, or a time.
    Moment,
    /// Within these bounds.
    Number(i64, i64),
    /// One of these words.
    Word(&'static [&'static str]),
}

/// What an address gives back when all is well.
#[derive(Clone, Copy)]
pub enum Gives {
    Json(SchemaOf),
    /// The same for an address that takes a body, but makes nothing.
    Changed(SchemaOf),
    /// One or the other, as the request asks.
    Either(SchemaOf, SchemaOf),
    /// JSON or some other media type, as the request asks.
    JsonOr(SchemaOf, &'static str),
    /// Some other media type.
    Media(&'static str),
    /// JSON without a fixed shape.
    Object,
}

/// Describes a type.
pub type SchemaOf = fn() -> Description;

/// A type's name, itself, and what it refers to.
pub type Description = (String, RefOr<Schema>, Vec<(String, RefOr<Schema>)>);

/// Describes this type.
pub fn schema_of<T: ToSchema>() -> Description {
    let mut referred = Vec::new();
    T::schemas(&mut referred);
    (T::name().into_owned(), T::schema(), referred)
}

/// The parts of the table.
const PARTS: &[&[Route]] =
    &[API, DECENCY, PAGES, GALLERY, ADMIN, MODERATION, PASSES, CONSOLE, ROLLBACKS, SEASONS, ARCHIVE];

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
    let (mut all, mut place, mut part) = ([table::READ; COUNT], 0, 0);
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

/// One line of the table.
#[derive(Clone, Copy)]
pub struct Route {
    pub verb: Verb,
    pub path: &'static str,
    pub right: Right,
    pub summary: &'static str,
    pub params: &'static [Param],
    pub takes: Option<SchemaOf>,
    pub gives: Gives,
    pub refusals: &'static [Code],
    mount: fn() -> actix_web::Route,
}

impl Verb {
    /// As on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }

    fn allowed(self) -> &'static str {
        match self {
            Self::Get => "GET, HEAD",
            Self::Post => "POST",
        }
    }

    fn guard(self) -> Box<dyn Guard> {
        match self {
            Self::Get => Box::new(guard::Any(guard::Get()).or(guard::Head())),
            Self::Post => Box::new(guard::Post()),
        }
    }
}

impl Right {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anyone => "anyone",
            Self::Agent => "agent",
            Self::Viewer => "viewer",
            Self::AgentOrViewer => "agent or viewer",
            Self::Operator => "operator",
        }
    }
}

impl Route {
    /// Whether the API's documents tell of it. The console and the desk are for people who sign in, and no part of the
    /// API.
    pub fn is_described(&self) -> bool {
        !is_console(self.path) && !self.path.starts_with("/gallery/")
    }

    /// Returns whether pages of other origins may read this: what anyone may read under `/api`, and the files and the
    /// picture outside it that are meant for others.
    pub fn is_public_read(&self) -> bool {
        let is_shared = self.path.starts_with("/api/") || SHARED.contains(&self.path);
        self.verb == Verb::Get && self.right == Right::Anyone && is_shared
    }

    /// Returns whether the operator's own listener serves this.
    fn is_for_operators_listener(&self) -> bool {
        [METRICS, "/healthz"].contains(&self.path)
    }
}

/// Public reads outside `/api`.
const SHARED: [&str; 5] = ["/openapi.json", "/skill.md", "/heartbeat.md", "/skill.json", "/og.png"];
/// The address that may have a listener of its own.
const METRICS: &str = "/metrics";

fn is_console(path: &str) -> bool {
    path == "/admin" || path.starts_with("/admin/")
}

/// Mounts the table: what is not in it is not found, and a method that is not in it is told which are. `/metrics` is left
/// out if it has a listener of its own.
pub fn mount(config: &mut ServiceConfig, with_metrics: bool) {
    mount_those(config, |route| with_metrics || route.path != METRICS);
    // Who is no operator is not told either what is not there.
    let nothing = |path: &str| web::resource(path.to_owned()).default_service(web::to(not_found));
    config.service(nothing("/api/admin{rest:(/.*)?}").wrap(middleware::from_fn(auth_operator::guard_api)));
    config.service(nothing("/admin/{rest:.*}").wrap(middleware::from_fn(auth_operator::guard_console)));
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
        let right = routes.iter().all(|route| route.right == Right::Operator);
        let mut resource = resource(path, &routes).app_data(Arc::new(Meters::of(path)));
        if routes.iter().any(|route| route.is_public_read()) {
            resource = resource.app_data(PublicRead);
        }
        match right {
            true if is_console(path) => {
                config.service(resource.wrap(middleware::from_fn(auth_operator::guard_console)))
            }
            true => config.service(resource.wrap(middleware::from_fn(auth_operator::guard_api))),
            false => config.service(resource),
        };
    }
    config.default_service(web::to(not_found));
}

fn resource(path: &str, routes: &[&Route]) -> Resource {
    let allowed: Vec<&str> = routes.iter().map(|route| route.verb.allowed()).collect();
    let allowed = allowed.join(", ");
    let mounted = routes.iter().fold(web::resource(path), |resource, route| {
        let verb = route.verb;
        let guard = guard::fn_guard(move |context| verb.guard().check(context));
        resource.route((route.mount)().guard(guard))
    });
    mounted.default_service(web::to(move |request: HttpRequest| refuse_method(request, allowed.clone())))
}

async fn refuse_method(request: HttpRequest, allowed: String) -> super::Answer {
    let detail = format!("{} does not take {}; it takes {allowed}.", request.path(), request.method());
    Err(Problem::new(Code::MethodNotAllowed, detail).allow(allowed))
}

async fn not_found(request: HttpRequest) -> super::Answer {
    Err(Problem::new(Code::NotFound, format!("{} is no address of this server.", request.path())))
}
