//! The walk through all reads of the table of routes.

use std::time::Duration;

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{ParamKind, ParamLocation, Route, RouteResponse, Verb};
use caraplace_news::search::SearchKind;
use futures_util::stream::{self, StreamExt as _};

use super::Secrets;
use super::callers::Caller;
use super::tools::call_tools;
use crate::support::Reply;

/// The number of requests at a time.
const CONCURRENCY: usize = 8;
/// A read that takes longer is a stream that the walk does not know.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Query parameters by which something private could be found.
const SEARCHING: [&str; 9] =
    ["q", "crew", "member", "author", "agent", "before", "thread", "message", "subject"];

/// A response, and the request that led to it.
pub struct Read {
    pub request: String,
    pub status: u16,
    /// The headers and the body.
    pub response: String,
}

impl Read {
    /// Returns true if the response shows a word or an id that the request does not contain.
    pub fn shows(&self, needle: &str) -> bool {
        !self.request.contains(needle) && self.response.to_lowercase().contains(needle)
    }
}

/// Returns the responses to all reads of a caller that knows all ids and words.
pub async fn collect_reads(caller: &Caller<'_>, secrets: &Secrets) -> Vec<Read> {
    let paths: Vec<String> =
        ROUTES.iter().filter(|route| is_read(route)).flat_map(|route| paths(route, secrets)).collect();
    assert!(paths.len() > 200, "too few reads were found: {}", paths.len());
    let reads = stream::iter(paths).map(|path| fetch(caller, path)).buffer_unordered(CONCURRENCY);
    let mut reads: Vec<Read> = reads.collect().await;
    reads.extend(call_tools(caller, secrets).await);
    reads
}

/// Asserts that no read of a caller shows a secret.
pub async fn assert_silent(caller: &Caller<'_>, secrets: &Secrets) {
    let mut leaks = Vec::new();
    for read in collect_reads(caller, secrets).await {
        assert!(read.status < 500, "{} as {}: {}", read.request, caller.role, read.response);
        let shown = secrets.needles.iter().filter(|needle| read.shows(needle));
        leaks.extend(shown.map(|needle| format!("{} as {} shows {needle}", read.request, caller.role)));
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

/// Returns true for reads of texts. Pictures of the canvas show none.
fn is_read(route: &Route) -> bool {
    let is_picture = matches!(route.response, RouteResponse::Media(kind) if kind.starts_with("image/"));
    route.verb == Verb::Get && !is_picture
}

async fn fetch(caller: &Caller<'_>, path: String) -> Read {
    let reply = tokio::time::timeout(READ_TIMEOUT, Reply::fetch(caller.get_request(&path)));
    let reply = reply.await.unwrap_or_else(|_| panic!("{path} is a stream that the walk does not know"));
    let response = format!("{:?}\n{}", reply.headers, String::from_utf8_lossy(&reply.bytes));
    Read { request: path, status: reply.status, response }
}

/// Returns the paths of a route, with each id and each query by which something private could be found.
fn paths(route: &Route, secrets: &Secrets) -> Vec<String> {
    let required = required_query(route);
    let plain: Vec<String> = fill_path(route.path, secrets);
    let mut paths: Vec<String> = plain.iter().map(|path| format!("{path}?{required}")).collect();
    let params = route.params.iter().filter(|param| param.location == ParamLocation::Query);
    for param in params.filter(|param| SEARCHING.contains(&param.name)) {
        let values = if param.name == "q" { &secrets.words } else { &secrets.needles };
        let kinds = kinds_of_search(route);
        for (path, value) in
            plain.iter().take(1).flat_map(|path| values.iter().map(move |value| (path, value)))
        {
            paths.extend(kinds.iter().map(|kind| format!("{path}?{required}{}={value}{kind}", param.name)));
        }
    }
    paths
}

/// Returns each value of the parameter that says what is searched; an empty text if the route has none.
fn kinds_of_search(route: &Route) -> Vec<String> {
    let kinds = route.params.iter().find_map(|param| match (param.name, &param.kind) {
        ("in", ParamKind::OneOf(values)) => Some(values.iter().map(|value| format!("&in={value}")).collect()),
        ("in", _) => Some(SearchKind::ALL.map(|(name, _)| format!("&in={name}")).to_vec()),
        _ => None,
    });
    kinds.unwrap_or_else(|| vec![String::new()])
}

/// Returns the path with each id in place of `{id}`, or with each pair of two ids in place of two such parts.
fn fill_path(path: &str, secrets: &Secrets) -> Vec<String> {
    let ids = || secrets.ids.iter().chain(&secrets.accounts).map(String::as_str);
    let others = |id: &str| ids().filter(|other| *other != id).collect::<Vec<_>>();
    match path.matches('{').count() {
        0 => vec![path.to_owned()],
        1 => ids().map(|id| fill(path, [id, id])).collect(),
        2 => {
            let pairs = ids().flat_map(|id| others(id).into_iter().map(move |other| [id, other]));
            pairs.map(|pair| fill(path, pair)).collect()
        }
        _ => panic!("{path} has more ids than the walk knows how to combine"),
    }
}

/// Returns the path with these ids in the place of its parts in braces.
fn fill(path: &str, ids: [&str; 2]) -> String {
    let mut ids = ids.into_iter();
    let parts = path.split('/').map(|part| match part {
        "{n}" => "1",
        part if part.starts_with('{') => ids.next().unwrap(),
        part => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Returns a query with the parameters that a route requires, and those that make a stream end.
fn required_query(route: &Route) -> String {
    if route.path == "/api/events" {
        return "from=0&".to_owned();
    }
    let required =
        route.params.iter().filter(|param| param.required && param.location == ParamLocation::Query);
    let query = required.filter(|param| !SEARCHING.contains(&param.name)).map(|param| match param.kind {
        ParamKind::OneOf(values) => format!("{}={}&", param.name, values[0]),
        _ => format!("{}=1&", param.name),
    });
    query.collect()
}
