//! The types of the URL table: an endpoint with its method, right, parameters, body and response.

use actix_web::http::Method;
use utoipa::ToSchema;

use crate::http::response::codes::Code;
use crate::http::response::codes::Code::*;
use crate::schema::{DescribeFn, describe};

/// A method that some address takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// HEAD goes with it.
    Get,
    Post,
}

/// Who may use an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteAccess {
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
    pub location: ParamLocation,
    pub kind: ParamKind,
    pub required: bool,
    pub help: &'static str,
}

/// Where a parameter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamLocation {
    Path,
    Query,
    Header,
}

/// What a parameter holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    Text,
    /// Text that this regular expression matches.
    Pattern(&'static str),
    /// A column of the canvas.
    Column,
    /// A row of the canvas.
    Row,
    Time,
    /// An event's number, or a time.
    PointInTime,
    /// Within these bounds.
    Number(i64, i64),
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// What an address gives back when all is well.
#[derive(Clone, Copy)]
pub enum RouteResponse {
    Json(DescribeFn),
    /// The same for an address that takes a body, but makes nothing.
    JsonUpdated(DescribeFn),
    /// One or the other, as the request asks.
    Either(DescribeFn, DescribeFn),
    /// JSON or some other media type, as the request asks.
    JsonOrMedia(DescribeFn, &'static str),
    /// Some other media type.
    Media(&'static str),
    /// JSON without a fixed shape.
    Object,
}

/// Returns the handler of a row.
pub(super) type HandlerFactory = fn() -> actix_web::Route;

/// One line of the table.
#[derive(Clone, Copy)]
pub struct Route {
    pub verb: Verb,
    pub path: &'static str,
    pub access: RouteAccess,
    /// One sentence; empty if the route is not described.
    pub summary: &'static str,
    /// Empty if the route is not described.
    pub params: &'static [Param],
    pub body: Option<DescribeFn>,
    pub response: RouteResponse,
    /// The codes that its right, parameters, body and path do not imply; see [`Route::codes`].
    refusals: &'static [Code],
    pub(super) handler: HandlerFactory,
}

impl Verb {
    /// As on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }

    pub(super) fn allow_header_value(self) -> &'static str {
        match self {
            Self::Get => "GET, HEAD",
            Self::Post => "POST",
        }
    }

    /// Returns whether a request with this method is for the endpoint.
    pub(super) fn matches(self, method: &Method) -> bool {
        match self {
            Self::Get => matches!(*method, Method::GET | Method::HEAD),
            Self::Post => *method == Method::POST,
        }
    }
}

impl RouteAccess {
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

impl Param {
    /// Returns the codes of values that the parameter cannot have.
    fn codes(&self) -> &'static [Code] {
        match (self.location, self.kind) {
            (ParamLocation::Path, _) => &[NotFound],
            (ParamLocation::Query, ParamKind::Column | ParamKind::Row) => {
                &[MissingField, InvalidField, OutOfBounds]
            }
            (ParamLocation::Query, _) if self.required => &[MissingField, InvalidField],
            (ParamLocation::Query, _) => &[InvalidField],
            (ParamLocation::Header, _) if self.name == IDEMPOTENCY_KEY_HEADER => {
                &[IdempotencyInFlight, IdempotencyKeyReused]
            }
            (ParamLocation::Header, _) => &[],
        }
    }
}

impl Route {
    /// Returns a row that anyone may GET, and that gives JSON without a fixed shape.
    pub(super) const fn get(path: &'static str, handler: HandlerFactory) -> Self {
        let (verb, access, response) = (Verb::Get, RouteAccess::Anyone, RouteResponse::Object);
        Self { verb, path, access, summary: "", params: &[], body: None, response, refusals: &[], handler }
    }

    /// Returns a row that anyone may POST to, without a body that is described.
    pub(super) const fn post(path: &'static str, handler: HandlerFactory) -> Self {
        Self { verb: Verb::Post, ..Self::get(path, handler) }
    }

    /// Returns the row of a page that anyone may GET.
    pub(super) const fn page(path: &'static str, handler: HandlerFactory) -> Self {
        Self::get(path, handler).media(HTML)
    }

    /// Returns the row of a form that anyone may POST, and that is answered with a page.
    pub(super) const fn form(path: &'static str, handler: HandlerFactory) -> Self {
        Self::post(path, handler).media(HTML)
    }

    /// Returns the row with what the endpoint does, in one sentence.
    pub(super) const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// Returns the row with another right.
    pub(super) const fn access(self, right: RouteAccess) -> Self {
        Self { access: right, ..self }
    }

    /// Returns the row with these parameters.
    pub(super) const fn params(self, params: &'static [Param]) -> Self {
        Self { params, ..self }
    }

    /// Returns the row with the type of its body.
    pub(super) const fn body<T: ToSchema>(self) -> Self {
        Self { body: Some(describe::<T>), ..self }
    }

    /// Returns the row with the type of its response, which makes something if the endpoint takes a body.
    pub(super) const fn json<T: ToSchema>(self) -> Self {
        Self { response: RouteResponse::Json(describe::<T>), ..self }
    }

    /// Returns the row with the type of its response, which makes nothing.
    pub(super) const fn json_updated<T: ToSchema>(self) -> Self {
        Self { response: RouteResponse::JsonUpdated(describe::<T>), ..self }
    }

    /// Returns the row with another response.
    pub(super) const fn response(self, gives: RouteResponse) -> Self {
        Self { response: gives, ..self }
    }

    /// Returns the row with the media type of its response.
    pub(super) const fn media(self, media_type: &'static str) -> Self {
        self.response(RouteResponse::Media(media_type))
    }

    /// Returns the row with the codes that are its own.
    pub(super) const fn refusals(self, refusals: &'static [Code]) -> Self {
        Self { refusals, ..self }
    }

    /// Returns every code that the endpoint may answer, in the order of the error table: its own, and those of its right,
    /// its parameters and its body.
    pub fn codes(&self) -> Vec<Code> {
        let (is_api, has_body) = (self.path.starts_with("/api/"), self.body.is_some());
        let access_codes: &[Code] = match self.access {
            RouteAccess::Agent | RouteAccess::AgentOrViewer => AGENT_CODES,
            RouteAccess::Viewer | RouteAccess::Operator => VIEWER_OR_OPERATOR_CODES,
            RouteAccess::Anyone if is_api && (has_body || self.verb == Verb::Get) => ANYONE_CODES,
            RouteAccess::Anyone => &[],
        };
        let body_codes = if is_api && has_body { BODY_CODES } else { &[] };
        let param_codes: Vec<Code> = self.params.iter().flat_map(Param::codes).copied().collect();
        let codes = [self.refusals, access_codes, &param_codes, body_codes, &[InternalError]].concat();
        Code::ALL.iter().filter(|code| codes.contains(code)).copied().collect()
    }

    /// Whether the API's documents tell of it. The console and the desk are for people who sign in, and no part of the
    /// API.
    pub fn is_described(&self) -> bool {
        !is_console_path(self.path) && !self.path.starts_with("/gallery/")
    }

    /// Returns whether pages of other origins may read this: what anyone may read under `/api`, and the files and the
    /// picture outside it that are meant for others.
    pub fn is_public_read(&self) -> bool {
        let is_public_path = self.path.starts_with("/api/") || PUBLIC_FILES.contains(&self.path);
        self.verb == Verb::Get && self.access == RouteAccess::Anyone && is_public_path
    }

    /// Returns whether the operator's own listener serves this.
    pub(super) fn is_for_operators_listener(&self) -> bool {
        [METRICS_PATH, "/healthz"].contains(&self.path)
    }
}

/// Returns the rows with the right of operators.
pub(super) const fn for_operators<const COUNT: usize>(mut routes: [Route; COUNT]) -> [Route; COUNT] {
    let mut index = 0;
    while index < COUNT {
        routes[index].access = RouteAccess::Operator;
        index += 1;
    }
    routes
}

/// The codes of endpoints that need an agent's key: even a body that is not asked for is bounded.
const AGENT_CODES: &[Code] =
    &[MalformedJson, KeyMissing, KeyInvalid, TooLarge, TooManyRequests, DatabaseUnavailable, Overloaded];
/// The codes of endpoints for viewers or operators.
const VIEWER_OR_OPERATOR_CODES: &[Code] =
    &[KeyMissing, KeyInvalid, Forbidden, TooManyRequests, DatabaseUnavailable, Overloaded];
/// The codes of endpoints that need no key: one that is sent must be valid.
const ANYONE_CODES: &[Code] = &[KeyInvalid, TooManyRequests];
/// The codes of endpoints that take a JSON body.
const BODY_CODES: &[Code] =
    &[MalformedJson, UnknownField, MissingField, InvalidField, TooLarge, UnsupportedMediaType];
/// Public reads outside `/api`.
const PUBLIC_FILES: [&str; 8] = [
    "/openapi.json",
    "/skill.md",
    "/skill/coordination.md",
    "/skill/mcp.md",
    "/skill/reference.md",
    "/heartbeat.md",
    "/skill.json",
    "/og.png",
];
/// The header that makes a request safe to repeat.
pub(super) const IDEMPOTENCY_KEY_HEADER: &str = "Idempotency-Key";
/// The media type of pages.
const HTML: &str = "text/html";
/// The path that may have a listener of its own.
pub(super) const METRICS_PATH: &str = "/metrics";

fn is_console_path(path: &str) -> bool {
    path == "/admin" || path.starts_with("/admin/")
}
