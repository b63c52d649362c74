//! The types of the route table: a route with its method, access right, parameters, body and response.

use platform::refusal::codes::Code;
use platform::schema::{DescribeFn, describe};
use rules::operators::OperatorScope;
use rules::scope::Scope;
use utoipa::ToSchema;

use super::operator_need::OperatorNeed;
pub use super::paths::{
    AUTHORIZE_PATH, IDEMPOTENCY_KEY_HEADER, LANGUAGE_PATH, METRICS_PATH, SITEMAP_PATH, STRIPE_WEBHOOK_PATH,
};
use super::paths::{HTML, MCP_PATH, PUBLIC_FILES, REFERENCE_PAGES, is_console_path};
pub use super::verb::Verb;

/// The key or session that a route requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteAccess {
    Anyone,
    /// An agent's key.
    Agent,
    /// A viewer's key or session.
    Viewer,
    /// An agent's key, or a viewer's key or session.
    AgentOrViewer,
    /// An operator's key or session.
    Operator,
    /// An agent's key, or the key or session of a viewer or an operator.
    AnyAccount,
    /// The key or session of a viewer or an operator, or else the cookie of a browser. Agents cannot use the
    /// route.
    Visitor,
}

/// The scope that an agent's extra key needs for a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteScope {
    /// The row names no scope. The server does not compile if agents use the route.
    Unnamed,
    /// None: the route uses no right of the agent, or decides by itself.
    AnyKey,
    Needs(Scope),
}

/// A parameter in the path, the query or a header.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub name: &'static str,
    pub location: ParamLocation,
    pub kind: ParamKind,
    pub required: bool,
    pub default: Option<ParamDefault>,
    /// The description, with `{default}` in place of the default.
    pub help: &'static str,
}

/// The value of a parameter that is not sent.
#[derive(Clone, Copy, Debug)]
pub enum ParamDefault {
    Number(i64),
    Word(&'static str),
}

/// The location of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamLocation {
    Path,
    Query,
    Header,
}

/// The type of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    Text,
    /// Text that matches this regular expression.
    Pattern(&'static str),
    /// A column of the canvas.
    Column,
    /// A row of the canvas.
    Row,
    /// An event's number, or a time.
    PointInTime,
    /// A time.
    Time,
    /// A number within these bounds, both inclusive.
    Number(i64, i64),
    /// A word of this list.
    OneOf(&'static [&'static str]),
}

/// The successful response of a route.
#[derive(Clone, Copy)]
pub enum RouteResponse {
    Json(DescribeFn),
    /// JSON of a route that takes a body but creates nothing, so its status is 200 instead of 201.
    JsonUpdated(DescribeFn),
    /// JSON of a route that has accepted something to be done later, so its status is 202.
    JsonAccepted(DescribeFn),
    /// JSON of a route that takes a body and sometimes finds nothing to create: status 201 or 200. The second
    /// type is that of a dry run, with status 200.
    JsonMaybeCreated(DescribeFn, DescribeFn),
    /// JSON of one of two types, depending on the request.
    Either(DescribeFn, DescribeFn),
    /// JSON or another media type, depending on the request.
    JsonOrMedia(DescribeFn, &'static str),
    /// A media type other than JSON.
    Media(&'static str),
    /// JSON without a fixed schema.
    Object,
}

/// A function that returns the actix route with the handler.
pub type HandlerFactory = fn() -> actix_web::Route;

/// A row of the route table.
#[derive(Clone, Copy)]
pub struct Route {
    pub verb: Verb,
    pub path: &'static str,
    pub access: RouteAccess,
    pub scope: RouteScope,
    /// The requirement for operators, if they may use the route. `None` if the row does not name it.
    pub operator_need: Option<OperatorNeed>,
    /// A one-sentence description; empty if the API's documents leave the route out.
    pub summary: &'static str,
    /// The described parameters.
    pub params: &'static [Param],
    pub body: Option<DescribeFn>,
    /// A media type in which the body can be sent in place of JSON; its fields are then query parameters.
    pub media_body: Option<&'static str>,
    pub response: RouteResponse,
    /// The error codes that the route's right, parameters, body and path do not imply; see [`Route::codes`].
    pub refusals: &'static [Code],
    /// The error codes of a text that others read; none if the body has no such text.
    pub text_refusals: &'static [Code],
    pub handler: HandlerFactory,
}

impl RouteAccess {
    /// Returns the right's name for documentation.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anyone => "anyone",
            Self::Agent => "agent",
            Self::Viewer => "viewer",
            Self::AgentOrViewer => "agent or viewer",
            Self::Operator => "operator",
            Self::AnyAccount => "agent, viewer or operator",
            Self::Visitor => "visitor",
        }
    }
}

impl Route {
    /// Returns a public GET route that responds with JSON without a fixed schema. Its scope is `read`.
    pub const fn get(path: &'static str, handler: HandlerFactory) -> Self {
        Self {
            verb: Verb::Get,
            path,
            access: RouteAccess::Anyone,
            scope: RouteScope::Needs(Scope::Read),
            operator_need: None,
            summary: "",
            params: &[],
            body: None,
            media_body: None,
            response: RouteResponse::Object,
            refusals: &[],
            text_refusals: &[],
            handler,
        }
    }

    /// Returns a public POST route without a described body. If agents use it, the row must name its scope.
    pub const fn post(path: &'static str, handler: HandlerFactory) -> Self {
        Self { verb: Verb::Post, scope: RouteScope::Unnamed, ..Self::get(path, handler) }
    }

    /// Returns a PUT route. If agents use it, the row must name its scope.
    pub const fn put(path: &'static str, handler: HandlerFactory) -> Self {
        Self { verb: Verb::Put, ..Self::post(path, handler) }
    }

    /// Returns a PATCH route. If agents use it, the row must name its scope.
    pub const fn patch(path: &'static str, handler: HandlerFactory) -> Self {
        Self { verb: Verb::Patch, ..Self::post(path, handler) }
    }

    /// Returns a DELETE route. If agents use it, the row must name its scope.
    pub const fn delete(path: &'static str, handler: HandlerFactory) -> Self {
        Self { verb: Verb::Delete, ..Self::post(path, handler) }
    }

    /// Returns the route of a public HTML page.
    pub const fn page(path: &'static str, handler: HandlerFactory) -> Self {
        Self::get(path, handler).media(HTML)
    }

    /// Returns the route of a public HTML form, which responds with a page.
    pub const fn form(path: &'static str, handler: HandlerFactory) -> Self {
        Self::post(path, handler).media(HTML)
    }

    /// Sets the one-sentence description.
    pub const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// Sets the right that the route requires.
    pub const fn access(self, right: RouteAccess) -> Self {
        Self { access: right, ..self }
    }

    /// Sets the parameters.
    pub const fn params(self, params: &'static [Param]) -> Self {
        Self { params, ..self }
    }

    /// Sets the type of the request body.
    pub const fn body<T: ToSchema>(self) -> Self {
        Self { body: Some(describe::<T>), ..self }
    }

    /// Sets the media type in which the body can be sent in place of JSON.
    pub const fn or_media_body(self, media_type: &'static str) -> Self {
        Self { media_body: Some(media_type), ..self }
    }

    /// Sets the type of the response; with a request body, the route creates something (status 201).
    pub const fn json<T: ToSchema>(self) -> Self {
        Self { response: RouteResponse::Json(describe::<T>), ..self }
    }

    /// Sets the type of the response of a route that creates nothing (status 200).
    pub const fn json_updated<T: ToSchema>(self) -> Self {
        Self { response: RouteResponse::JsonUpdated(describe::<T>), ..self }
    }

    /// Sets the type of the response of a route that accepts something to be done later (status 202).
    pub const fn json_accepted<T: ToSchema>(self) -> Self {
        Self { response: RouteResponse::JsonAccepted(describe::<T>), ..self }
    }

    /// Sets the types of the body and of the response of a POST route that creates something (status 201).
    pub const fn creates<Body: ToSchema, Answer: ToSchema>(self) -> Self {
        self.body::<Body>().json::<Answer>()
    }

    /// Sets the types of the body and of the response of a route that creates nothing (status 200).
    pub const fn updates<Body: ToSchema, Answer: ToSchema>(self) -> Self {
        self.body::<Body>().json_updated::<Answer>()
    }

    /// Sets the types of the responses of a route that may create something (status 201) or not (200), and of
    /// its dry run (200).
    pub const fn json_maybe_created<T: ToSchema, DryRun: ToSchema>(self) -> Self {
        Self { response: RouteResponse::JsonMaybeCreated(describe::<T>, describe::<DryRun>), ..self }
    }

    /// Sets the response.
    pub const fn response(self, gives: RouteResponse) -> Self {
        Self { response: gives, ..self }
    }

    /// Sets the media type of the response.
    pub const fn media(self, media_type: &'static str) -> Self {
        self.response(RouteResponse::Media(media_type))
    }

    /// Sets the error codes that the rest of the row does not imply.
    pub const fn refusals(self, refusals: &'static [Code]) -> Self {
        Self { refusals, ..self }
    }

    /// Returns true if a query parameter that the row does not list is refused. Pages and files ignore them,
    /// and so does the webhook, whose address is configured at Stripe.
    pub fn refuses_unknown_params(&self) -> bool {
        self.path.starts_with("/api/") && self.path != STRIPE_WEBHOOK_PATH
    }

    /// Returns true if the API's documents describe the route. The console, the forms of `/gallery` and the
    /// pages of `/messages` are for people who sign in, so they are no part of the API; nor are the page of
    /// OAuth and the switch of the canvas page's language.
    pub fn is_described(&self) -> bool {
        let is_for_viewers = self.path.starts_with("/gallery/") || self.path.starts_with("/messages");
        let is_for_browsers = [AUTHORIZE_PATH, LANGUAGE_PATH].contains(&self.path);
        !is_console_path(self.path) && !is_for_viewers && !is_for_browsers
    }

    /// Returns true for a page for visitors, or a form on one. Those of the console and of OAuth's consent
    /// are none: without them, nobody could operate the server or let a program act as an agent. Nor are those
    /// that are looked up at an address from an answer or a mail.
    pub fn is_visitor_page(&self) -> bool {
        let is_html = matches!(self.response, RouteResponse::Media(HTML));
        let is_needed =
            is_console_path(self.path) || self.path == AUTHORIZE_PATH || REFERENCE_PAGES.contains(&self.path);
        (is_html && !is_needed) || self.path == SITEMAP_PATH
    }

    /// Returns true if pages of other origins may use the route, because MCP clients run in browsers, too.
    pub fn is_for_foreign_pages(&self) -> bool {
        self.path == MCP_PATH
            || self.path.starts_with("/.well-known/oauth-")
            || (self.path.starts_with("/oauth/") && self.path != AUTHORIZE_PATH)
    }

    /// Returns true if the route is also mounted with a slash at its end: clients are given either address of
    /// `/mcp`, and find its metadata by adding the whole path (RFC 9728, 3.1).
    pub fn has_optional_slash(&self) -> bool {
        matches!(self.path, MCP_PATH | "/.well-known/oauth-protected-resource/mcp")
    }

    /// Returns true if agents use the route: the API without the routes of people and payments.
    pub fn is_for_agents(&self) -> bool {
        let is_for_others =
            matches!(self.access, RouteAccess::Viewer | RouteAccess::Operator | RouteAccess::Visitor);
        self.path.starts_with("/api/") && !self.path.starts_with("/api/stripe/") && !is_for_others
    }

    /// Returns true if successful answers to agents say what waits for them.
    pub fn tells_attention(&self) -> bool {
        let knows_agent = self.access != RouteAccess::Anyone || self.path.ends_with("/report");
        self.verb == Verb::Post && self.is_for_agents() && knows_agent
    }

    /// Returns true if pages of other origins may read the response: public reads under `/api`, and the few
    /// files and the image outside it that are meant for other sites.
    pub fn is_public_read(&self) -> bool {
        let is_public_path = self.path.starts_with("/api/") || PUBLIC_FILES.contains(&self.path);
        self.verb == Verb::Get && self.access == RouteAccess::Anyone && is_public_path
    }

    /// Returns true if the route is a read that needs a key or a session.
    pub fn is_own_read(&self) -> bool {
        self.verb == Verb::Get && self.access != RouteAccess::Anyone
    }

    /// Returns true if the operators' own listener serves the route.
    pub fn is_for_operators_listener(&self) -> bool {
        [METRICS_PATH, "/healthz"].contains(&self.path)
    }
}

/// Returns the routes with the right of operators. Changes need the scope `manage`, unless their row names
/// another.
pub const fn for_operators<const COUNT: usize>(routes: [Route; COUNT]) -> [Route; COUNT] {
    for_people(routes, RouteAccess::Operator)
}

/// Returns the routes with the right of operators. Changes need the scope `moderate`, unless their row names
/// another.
pub const fn for_moderators<const COUNT: usize>(routes: [Route; COUNT]) -> [Route; COUNT] {
    let mut routes = for_operators(routes);
    let mut index = 0;
    while index < COUNT {
        if routes[index].operator_need.is_none() && !matches!(routes[index].verb, Verb::Get) {
            routes[index].operator_need = Some(OperatorNeed::Scope(OperatorScope::Moderate));
        }
        index += 1;
    }
    routes
}

/// Returns the routes with the right of visitors.
pub const fn for_visitors<const COUNT: usize>(routes: [Route; COUNT]) -> [Route; COUNT] {
    for_people(routes, RouteAccess::Visitor)
}

/// Returns the routes with a right of people, whose keys have no scopes.
const fn for_people<const COUNT: usize>(mut routes: [Route; COUNT], access: RouteAccess) -> [Route; COUNT] {
    let mut index = 0;
    while index < COUNT {
        routes[index].access = access;
        routes[index].scope = RouteScope::Unnamed;
        index += 1;
    }
    routes
}
