//! Random requests: the server never fails.

use proptest::collection::{hash_map, vec};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::support::{Reply, Server};

/// Returns a runner with the same cases in every run. Under `make fuzz`, the cases are random and their
/// number is set.
fn new_runner() -> TestRunner {
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    }
    let config = Config { cases: 64, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Generates arbitrary JSON in which the API's field names are frequent.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0_i64..128).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        let known = "x|y|color|chat_digest|expected_color|pixels|runs|on_conflict|content|type|reply_to|region|color_palette|name|model";
        let name = prop_oneof![3 => known.prop_map(String::from), 1 => any::<String>()];
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            hash_map(name, inner, 0..6).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn is_failure(reply: &Reply) -> bool {
    reply.status >= 500 || (reply.status >= 400 && reply.header("content-type") != "application/problem+json")
}

#[test]
fn answers_any_json_and_any_bytes() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(Server::start());
    let ada = runtime.block_on(server.register_agent("Ada"));
    let head = runtime.block_on(server.head());
    let path = prop::sample::select(vec!["/api/pixel", "/api/pixels", "/api/chat"]);
    let body =
        prop_oneof![any_json().prop_map(|json| json.to_string().into_bytes()), vec(any::<u8>(), 0..200)];
    let tried = new_runner().run(&(path, body), |(path, body)| {
        let reply = runtime.block_on(ada.post_raw(path, body));
        prop_assert!(!is_failure(&reply) && reply.status != 201, "{} {}", reply.status, reply.body);
        Ok(())
    });
    tried.unwrap();
    assert_eq!(runtime.block_on(server.head()), head, "nothing of that was a placement or a message");
}

#[test]
fn places_pixels_exactly_when_position_and_color_are_valid() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0")]));
    let ada = runtime.block_on(server.register_agent("Ada"));
    let side = || prop_oneof![4 => 0_i64..128, 1 => -2_i64..132, 1 => any::<i64>()];
    let color = prop_oneof![4 => 0_i64..16, 1 => any::<i64>()];
    let mut head = runtime.block_on(server.head());
    let placed = std::cell::RefCell::new(&mut head);
    let tried = new_runner().run(&(side(), side(), color), |(x, y, color)| {
        let reply = runtime.block_on(ada.paint(x, y, color));
        let on_canvas = (0..128).contains(&x) && (0..128).contains(&y);
        let expected = match (on_canvas, (0..16).contains(&color)) {
            (false, _) => (400, "out_of_bounds"),
            (true, false) => (400, "invalid_color"),
            (true, true) => (201, ""),
        };
        prop_assert_eq!((reply.status, reply.code()), expected);
        **placed.borrow_mut() += i64::from(reply.status == 201);
        Ok(())
    });
    tried.unwrap();
    assert_eq!(runtime.block_on(server.head()), head);
}

#[test]
fn registers_or_refuses_any_name() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(Server::start());
    let text = || prop_oneof![any::<String>(), "[ -~]{0,40}", "\\PC{0,40}"];
    let tried = new_runner().run(&(text(), text(), text()), |(name, description, model)| {
        let body = json!({"name": name, "description": description, "model": model});
        let reply = runtime.block_on(server.post("/api/agents/register", body));
        let answered = [201, 400, 409, 422].contains(&reply.status) && !is_failure(&reply);
        prop_assert!(answered, "{} {}", reply.status, reply.body);
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn posts_or_refuses_any_message_and_reads_it_back() {
    let runtime = Runtime::new().unwrap();
    let free = [("CARAPLACE_PIXELS_PER_MESSAGE", "0"), ("CARAPLACE_MESSAGE_SECONDS", "0")];
    let server = runtime.block_on(Server::start_with(&free));
    let ada = runtime.block_on(server.register_agent("Ada"));
    let text = prop_oneof![
        any::<String>(),
        "\\PC{0,300}",
        "[a-z./:@ ]{0,80}",
        "[\u{200b}-\u{200f}\u{202a}-\u{202e} a]{0,20}"
    ];
    let tried = new_runner().run(&text, |content| {
        let reply = runtime.block_on(ada.post_message(&content));
        let answered = [201, 422].contains(&reply.status) && !is_failure(&reply);
        prop_assert!(answered, "{} {}", reply.status, reply.body);
        if reply.status == 201 {
            let newest = runtime.block_on(server.get("/api/chat?limit=1"));
            prop_assert_eq!(&newest.body["messages"][0], &reply.body["message"]);
            prop_assert_eq!(&newest.body["digest"], &reply.body["new_digest"]);
        }
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn answers_any_path_and_query() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(Server::start());
    let start = "/|/api/|/css/|/js/|/api/agents/|/api/canvas|/api/canvas/region|/api/canvas/visual|/api/pixel|/api/chat";
    let query = "(x|y|x1|y1|x2|y2|limit|since|before|scale|period)=[ -~]{0,12}|[ -~]{0,20}";
    let address = (start, prop::option::of("[!-~]{0,12}"), vec(query, 0..4));
    let tried = new_runner().run(&address, |(start, rest, query)| {
        let path = format!("{start}{}?{}", rest.unwrap_or_default(), query.join("&"));
        let reply = runtime.block_on(server.get(&path));
        prop_assert!(!is_failure(&reply), "{path}: {} {}", reply.status, reply.body);
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn answers_any_header() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(Server::start());
    let known = "Accept|Accept-Encoding|If-None-Match|Range|If-Range|Last-Event-ID|Authorization|X-Forwarded-For|\
         Idempotency-Key|Origin|Cookie|Expect|Upgrade|Forwarded|If-Modified-Since|Content-Type|Content-Encoding";
    let words = "(bytes=|text/|\\*/\\*|gzip|br|q=|W/|\"|,|;|=|[0-9]{1,20}|Bearer |cp_|[ -~]){0,8}";
    let value = prop_oneof![3 => words.prop_map(String::into_bytes), 1 => vec(any::<u8>(), 0..60)];
    let path = prop::sample::select(vec![
        "/",
        "/nothing",
        "/skill.md",
        "/css/tokens.css",
        "/api/stats",
        "/api/canvas",
        "/api/canvas.png",
        "/api/canvas/visual",
        "/api/chat",
        "/api/pixel?x=1&y=1",
        "/openapi.json",
    ]);
    let tried = new_runner().run(&(path, vec((known, value), 1..4)), |(path, headers)| {
        let request = headers.iter().fold(server.get_request(path), |request, (name, value)| {
            match reqwest::header::HeaderValue::from_bytes(value) {
                Ok(value) => request.header(name, value),
                Err(_) => request,
            }
        });
        let reply = runtime.block_on(Reply::fetch(request));
        let known = [200, 304, 400, 401, 404, 406, 417].contains(&reply.status) && !is_failure(&reply);
        prop_assert!(known, "{path} {headers:?}: {} {}", reply.status, reply.body);
        Ok(())
    });
    tried.unwrap();
}
