//! The access to the guide's routes: without a guide, for agents, with wrong keys, and the order of the
//! checks.

use platform::config::ApiShape;

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{Route, RouteAccess, Verb};
use reqwest::{Method, RequestBuilder};
use serde_json::json;

use crate::support::model::MODEL_NAME;
use crate::support::{FakeModel, Reply, ScriptedAnswer, Server};

const WRONG_KEY: &str = "cp_0000000000000000000000000000000000000000000000000000000000000000";
const JSON_MEDIA_TYPE: &str = "application/json";

/// Returns the routes of the guide.
fn guide_routes() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(|route| route.access == RouteAccess::Visitor)
}

/// Returns a request of a route, with a body unless it reads.
fn request(server: &Server, route: &Route) -> RequestBuilder {
    let path = route.path.replace("{id}", "draft_1");
    let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
    let request = server.client.request(method, server.url(&path));
    if route.verb == Verb::Get { request } else { request.json(&json!({})) }
}

fn oversized_body() -> String {
    format!("{{\"content\": \"{}\"}}", "x".repeat(300_000))
}

#[test]
fn every_route_of_the_guide_is_for_visitors() {
    for route in ROUTES.iter() {
        let is_guide = route.path.starts_with("/api/guide");
        assert_eq!(route.access == RouteAccess::Visitor, is_guide, "{}", route.path);
    }
    assert!(guide_routes().count() >= 4);
}

#[tokio::test]
async fn without_a_model_there_is_no_guide_whatever_else_is_wrong() {
    let server = Server::start().await;
    for route in guide_routes() {
        for request in [
            request(&server, route),
            request(&server, route).bearer_auth(WRONG_KEY),
            request(&server, route).header("Origin", "https://elsewhere.example"),
            request(&server, route).header("Content-Type", JSON_MEDIA_TYPE).body(oversized_body()),
        ] {
            Reply::fetch(request).await.assert_refused(404, "guide_disabled");
        }
    }
    server.get("/api/guide/messages?nonsense=1").await.assert_refused(404, "guide_disabled");
}

#[tokio::test]
async fn agents_cannot_use_the_guide() {
    let (model, server) = FakeModel::start_guide(Vec::new(), &[]).await;
    let ada = server.register_agent("Ada").await;
    let reader = ada.with_extra_key(&["chat"]).await;
    for route in guide_routes() {
        for key in [&ada.key, &reader.key] {
            let reply = Reply::fetch(request(&server, route).bearer_auth(key)).await;
            reply.assert_refused(403, "forbidden");
            assert!(reply.body["hint"].as_str().unwrap().contains("/docs"), "{}", reply.body);
        }
        Reply::fetch(request(&server, route).bearer_auth(WRONG_KEY)).await.assert_refused(401, "key_invalid");
    }
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn size_then_media_type_then_key_then_json_then_fields() {
    let (_model, server) = FakeModel::start_guide(Vec::new(), &[]).await;
    let post = |media_type: &str, body: &str| {
        server.post_request("/api/guide/messages").header("Content-Type", media_type).body(body.to_owned())
    };
    let json = |body: &str| post(JSON_MEDIA_TYPE, body);
    let outside = r#"{"content": "a", "context": {"x": 1, "y": 9999}}"#;
    for (description, status, code, request) in [
        ("too large, text", 413, "too_large", post("text/plain", &oversized_body())),
        ("text, wrong key", 415, "unsupported_media_type", post("text/plain", "{").bearer_auth(WRONG_KEY)),
        ("wrong key, no JSON", 401, "key_invalid", json("{").bearer_auth(WRONG_KEY)),
        ("no JSON", 400, "malformed_json", json("{")),
        ("no content", 400, "missing_field", json("{}")),
        ("unknown field", 400, "unknown_field", json(r#"{"content": "a", "model": "b"}"#)),
        ("unknown in context", 400, "unknown_field", json(r#"{"content": "a", "context": {"z": 1}}"#)),
        ("outside the canvas", 400, "out_of_bounds", json(outside)),
    ] {
        let reply = Reply::fetch(request).await;
        assert_eq!((reply.status, reply.code()), (status, code), "{description}: {}", reply.body);
    }
}

#[tokio::test]
async fn requests_count_for_the_address() {
    let model = FakeModel::start(ApiShape::Messages, Vec::new()).await;
    let server = model.start_server(&[("CARAPLACE_REQUESTS_PER_MINUTE", "2")]).await;
    for _ in 0..2 {
        assert_eq!(server.visitor().get("/api/guide/messages").await.status, 200);
    }
    server.visitor().get("/api/guide/messages").await.assert_refused(429, "too_many_requests");
}

#[tokio::test]
async fn the_stream_has_the_headers_of_a_stream() {
    let (model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Text("It is **red**.")], &[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Which colour has the lighthouse?").await;
    let path = format!("/api/guide/stream?message={id}");
    visitor.get("/api/guide/stream").await.assert_refused(400, "missing_field");
    let as_json = visitor.request(Method::GET, &path).header("Accept", JSON_MEDIA_TYPE);
    Reply::fetch(as_json).await.assert_refused(406, "not_acceptable");
    let head = Reply::fetch(visitor.request(Method::HEAD, &path)).await;
    assert_eq!((head.status, model.requests().len()), (200, 0), "HEAD starts no turn");
    let reply = visitor.get(&path).await;
    assert_eq!(reply.status, 200);
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-store"),
        ("x-accel-buffering", "no"),
        ("vary", "Accept"),
    ] {
        assert_eq!(reply.header(name), value, "{name}");
    }
    let text = String::from_utf8(reply.bytes).unwrap();
    let events: Vec<&str> = text.split_terminator("\n\n").collect();
    assert!(events[0].starts_with("event: delta\ndata: {\"text\":"), "{text}");
    assert!(events.last().unwrap().starts_with("event: done\ndata: {\"message_id\":\"guidemsg_"), "{text}");
}

#[tokio::test]
async fn streams_of_the_guide_take_slots_and_end_when_the_server_stops() {
    let model = FakeModel::start(ApiShape::Messages, vec![ScriptedAnswer::Hang]).await;
    let server = model.start_server(&[("CARAPLACE_STREAMS_PER_IP", "1")]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Which colour has the lighthouse?").await;
    let mut stream = visitor.stream(&id).await;
    model.wait_for_request(1).await;
    visitor.try_stream(&id).await.assert_refused(429, "too_many_requests");
    assert_eq!(server.running().state.hub.spectators(), 0, "a stream of the guide is no spectator");
    server.running().state.hub.close();
    assert!(stream.ends().await);
}

#[tokio::test]
async fn the_privacy_page_says_what_becomes_of_questions() {
    let (_model, server) = FakeModel::start_guide(Vec::new(), &[("CARAPLACE_GUIDE_DAYS", "12")]).await;
    let (status, page) = server.browser("192.0.2.1").page("/privacy").await;
    assert_eq!(status, 200);
    for part in ["The guide", "for 12 days", "<code>caraplace_guide</code>", "ends 12 days"] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    assert!(page.contains("a company that runs a language model"), "{page}");
    assert!(!page.contains(MODEL_NAME));
    let (_, page) = Server::start().await.browser("192.0.2.1").page("/privacy").await;
    assert!(!page.contains("caraplace_guide"), "{page}");
}
