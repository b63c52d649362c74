//! Refuses query parameters that the route table does not list.

use actix_web::HttpRequest;
use actix_web::http::Method;
use platform::input::nearest_name;
use platform::refusal::codes::Code;

use crate::response::problem::Problem;
use crate::route::endpoint::{ParamLocation, Route, Verb};

/// The number of characters of an unknown name that are shown.
const MAX_SHOWN_CHARS: usize = 60;

/// The query parameters of the routes of one path, in the order of the route table.
pub struct KnownParams(Vec<RouteParams>);

/// The query parameters of a route.
struct RouteParams {
    verb: Verb,
    has_body: bool,
    names: Vec<&'static str>,
}

impl KnownParams {
    /// Returns the parameters of the routes of a path, or `None` if the path ignores unknown ones.
    pub fn from_routes(routes: &[&Route]) -> Option<Self> {
        let route_params = |route: &&Route| {
            let in_query = route.params.iter().filter(|param| param.location == ParamLocation::Query);
            let names = in_query.map(|param| param.name).collect();
            RouteParams { verb: route.verb, has_body: route.body.is_some(), names }
        };
        let are_checked = routes.iter().all(|route| route.refuses_unknown_params());
        are_checked.then(|| Self(routes.iter().map(route_params).collect()))
    }

    fn find(&self, method: &Method) -> Option<&RouteParams> {
        self.0.iter().find(|params| params.verb.matches(method))
    }
}

/// Checks that the route has every parameter of the query.
///
/// # Errors
/// `unknown_parameter`, with the name of the first unknown parameter.
pub fn check_known_params(request: &HttpRequest) -> Result<(), Problem> {
    // Most requests have no query.
    if request.query_string().is_empty() {
        return Ok(());
    }
    let Some(known) = find_params(request) else { return Ok(()) };
    let names = known.names.as_slice();
    let mut sent = form_urlencoded::parse(request.query_string().as_bytes()).map(|(name, _)| name);
    match sent.find(|name| !names.contains(&&**name)) {
        Some(unknown) => Err(unknown_parameter(&unknown, names)),
        None => Ok(()),
    }
}

/// Checks the query of a request whose route takes no body. With a body, it is checked when that is read.
///
/// # Errors
/// `unknown_parameter`, with the name of the first unknown parameter.
pub fn check_params_without_body(request: &HttpRequest) -> Result<(), Problem> {
    let has_body = find_params(request).is_some_and(|params| params.has_body);
    if has_body { Ok(()) } else { check_known_params(request) }
}

fn find_params(request: &HttpRequest) -> Option<&RouteParams> {
    request.app_data::<KnownParams>()?.find(request.method())
}

fn unknown_parameter(unknown: &str, names: &[&'static str]) -> Problem {
    // The name comes from the sender and must not push the rest out of the detail.
    let start: String = unknown.chars().take(MAX_SHOWN_CHARS).collect();
    if names.is_empty() {
        let detail = format!("There is no parameter {start} here: this endpoint has none in the query.");
        return Problem::for_field(Code::UnknownParameter, unknown, detail);
    }
    let nearest = nearest_name(unknown, names.iter().copied());
    let proposal = nearest.map_or_else(String::new, |nearest| format!(" Did you mean {nearest}?"));
    let all = names.join(", ");
    let detail = format!("There is no parameter {start} here.{proposal} The parameters are: {all}.");
    Problem::for_field(Code::UnknownParameter, unknown, detail)
}
