//! No cache stores what depends on the caller, and nobody else reads what only the caller sees: every read of
//! the table of routes, with a key or a session.

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{Param, ParamKind, ParamLocation, Route, RouteAccess, Verb};
use serde_json::json;

use crate::support::actions::{FREE_CONSOLE_SETTINGS, found_crew, open_plan, post_intent, post_text};
use crate::support::values::id_of;
use crate::support::{Agent, Server};

/// Words that only their shadow-banned author finds.
const HIDDEN_WORDS: [&str; 2] = ["zebrafinch", "marzipan"];

/// Returns the path of a read with these ids, and the parameters that it requires.
fn paths(route: &Route, ids: &[&str]) -> Vec<String> {
    let fill = |id: &str| {
        let parts = route.path.split('/').map(|part| match part {
            "{n}" => "1",
            "{code}" => "not_found",
            part if part.starts_with('{') => id,
            part => part,
        });
        parts.collect::<Vec<_>>().join("/")
    };
    let value = |param: &Param| match (param.name, param.kind) {
        ("q", _) => HIDDEN_WORDS[0].to_owned(),
        (_, ParamKind::OneOf(values)) => values[0].to_owned(),
        _ => "1".to_owned(),
    };
    let required =
        route.params.iter().filter(|param| param.required && param.location == ParamLocation::Query);
    let mut query: Vec<String> = required.map(|param| format!("{}={}", param.name, value(param))).collect();
    if route.path == "/api/events" {
        query.push("from=1".to_owned());
    }
    let ids = if route.path.contains('{') { ids } else { &ids[..1] };
    ids.iter().map(|id| format!("{}?{}", fill(id), query.join("&"))).collect()
}

fn reads() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(|route| route.verb == Verb::Get)
}

#[tokio::test]
async fn reads_that_need_a_key_or_a_session_are_never_stored() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let (ada, viewer) = (server.register_agent("Ada").await, server.create_viewer().await);
    let mut stored = Vec::new();
    for route in reads().filter(|route| route.access != RouteAccess::Anyone) {
        for path in paths(route, &[&ada.id]) {
            let request = server.get_request(&path);
            let requests = [
                server.get_request(&path),
                request.try_clone().unwrap().bearer_auth(&ada.key),
                request.try_clone().unwrap().bearer_auth(&viewer.key),
                operator.with_browser_headers(request),
            ];
            for request in requests {
                let reply = request.send().await.unwrap();
                if reply.headers().get("cache-control").is_none_or(|value| value != "no-store") {
                    stored.push(format!("{path}: {} {:?}", reply.status(), reply.headers()));
                }
            }
        }
    }
    assert!(stored.is_empty(), "{}", stored.join("\n"));
}

/// Posts what is hidden from everyone else, and returns the ids.
async fn post_hidden(author: &Agent<'_>) -> [String; 2] {
    let intent = post_intent(author, "A zebrafinch of marzipan", [1, 1, 4, 4]).await;
    let plan = json!({"title": "Zebrafinch", "note": "Marzipan", "x": 10, "y": 10, "rows": ["55"]});
    let plan = open_plan(author, plan).await;
    [intent, plan].map(|hidden| id_of(&hidden).to_owned())
}

#[tokio::test]
async fn public_reads_with_a_key_tell_nothing_of_an_own_view_by_their_header() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, sam) = (server.register_agent("Ada").await, server.register_agent("Sam").await);
    server.sign_in_operator().await.apply_sanction(&sam, "shadow").await;
    let hidden = post_hidden(&sam).await;
    let ids = [&*sam.id, &*hidden[0], &*hidden[1]];
    let (mut problems, mut own_views) = (Vec::new(), 0);
    for route in reads().filter(|route| route.access == RouteAccess::Anyone) {
        for path in paths(route, &ids) {
            let (own, other) = (sam.get(&path).await, ada.get(&path).await);
            let text = String::from_utf8_lossy(&own.bytes).to_lowercase();
            let shows_hidden = HIDDEN_WORDS.iter().any(|word| text.contains(word));
            own_views += usize::from(shows_hidden && !path.contains(HIDDEN_WORDS[0]));
            if shows_hidden && own.header("cache-control") != "no-store" {
                problems.push(format!("{path} may be stored: {}", own.header("cache-control")));
            }
            let caching = [&own, &other].map(|reply| reply.header("cache-control").to_owned());
            if own.status == other.status && caching[0] != caching[1] {
                problems.push(format!("{path} has another header for the author: {caching:?}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(own_views > 3, "the walk found {own_views} views with hidden texts");
}

/// Gives hidden words to a message, a plan and a crew from before the ban, and to a new crew. Returns their
/// ids.
async fn change_hidden(author: &Agent<'_>, earlier: [&str; 3]) -> Vec<String> {
    let [message, plan, crew] = earlier;
    let words = "A zebrafinch of marzipan";
    author.patch(&format!("/api/chat/{message}"), json!({"content": words})).await.assert_status(200);
    let change = json!({"expected_version": 1, "title": "Zebrafinch", "note": "Marzipan"});
    author.put(&format!("/api/plans/{plan}"), change).await.assert_status(200);
    let texts = json!({"description": words, "note": words});
    author.patch(&format!("/api/crews/{crew}"), texts).await.assert_status(200);
    let said = json!({"content": "Marzipan for the zebrafinch"});
    author.post(&format!("/api/crews/{crew}/messages"), said).await.assert_status(201);
    let founded = found_crew(author, "Zebrafinch", "open").await;
    earlier.into_iter().map(str::to_owned).chain([id_of(&founded).to_owned()]).collect()
}

#[tokio::test]
async fn public_reads_show_nobody_else_what_is_hidden() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, sam) = (server.register_agent("Ada").await, server.register_agent("Sam").await);
    let earlier = [
        post_text(&sam, "Hello").await,
        open_plan(&sam, json!({"title": "A roof", "x": 20, "y": 20, "rows": ["55"]})).await,
        found_crew(&sam, "Roofers", "open").await,
    ];
    server.sign_in_operator().await.apply_sanction(&sam, "shadow").await;
    server.advance_clock(60);
    let mut ids = change_hidden(&sam, earlier.each_ref().map(id_of)).await;
    ids.extend(post_hidden(&sam).await);
    ids.push(sam.id.clone());
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut problems = Vec::new();
    for route in reads().filter(|route| route.access == RouteAccess::Anyone) {
        for path in paths(route, &ids) {
            for reply in [ada.get(&path).await, server.get(&path).await] {
                let text = String::from_utf8_lossy(&reply.bytes).to_lowercase();
                // The page of a search shows the word that was searched.
                let mut words = HIDDEN_WORDS.iter().filter(|word| !path.contains(**word));
                problems
                    .extend(words.find(|word| text.contains(**word)).map(|word| format!("{path}: {word}")));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[tokio::test]
async fn sessions_get_views_of_their_own_that_are_not_stored() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let viewer = server.create_viewer().await;
    for path in ["/api/chat", "/api/agents", "/api/events?from=0", "/api/plans", "/api/search?q=word"] {
        let by_key = viewer.get(path).await;
        assert_eq!((by_key.status, by_key.header("cache-control")), (200, "no-store"), "{path}");
        let with_cookie = server.get_with_headers(path, &[("Cookie", "caraplace_guide=x")]).await;
        let caching = with_cookie.header("cache-control");
        assert!(caching == "no-store" || caching.starts_with("public"), "{path}: {caching}");
    }
}
