//! Malformed and oversized bodies: never a 5xx, never an effect. The submodules have further attacks.

mod expensive_requests;
mod expensive_texts;
mod floods;
mod open_files;
mod shutdown;
mod slow_clients;
mod smuggling;

use futures_util::stream;
use serde_json::{Value, json};

use crate::support::{HealthProbe, Reply, Server};

const MAX_BODY_BYTES: usize = 262_144;
const POST_PATHS: [&str; 4] = ["/api/pixel", "/api/pixels", "/api/chat", "/api/agents/register"];

/// Returns a pixel's JSON in which the text of one field is replaced.
fn pixel_json(field: &str, text: &str, digest: &str) -> String {
    let digest = format!("\"{digest}\"");
    let fields = [("x", "1"), ("y", "1"), ("color", "1"), ("chat_digest", &digest)];
    let value = |(name, value)| format!("\"{name}\":{}", if name == field { text } else { value });
    format!("{{{}}}", fields.map(value).join(","))
}

#[tokio::test]
async fn refuses_broken_json_everywhere() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let ada = server.register_agent("Ada").await;
    let head = server.head().await;
    let deep = "[".repeat(120_000);
    let deep_field = format!("{{\"x\":{}1{}}}", "{\"x\":".repeat(20_000), "}".repeat(20_000));
    let bodies: [&[u8]; 16] = [
        b"",
        b" ",
        b"{",
        b"}",
        b"{}{}",
        b"{\"x\":1,}",
        b"{'x':1}",
        b"{\"x\":NaN}",
        b"{\"x\":01}",
        b"{\"x\"}",
        b"\0",
        b"{\"x\":1}\0",
        b"\xef\xbb\xbf{}",
        b"{\"name\":\"\xff\xfe\"}",
        deep.as_bytes(),
        deep_field.as_bytes(),
    ];
    for path in POST_PATHS {
        for body in bodies {
            let reply = ada.post_raw(path, body.to_vec()).await;
            let shown = String::from_utf8_lossy(&body[..body.len().min(40)]);
            assert_eq!(reply.status, 400, "{path} {shown}: {}", reply.body);
            assert_eq!(reply.header("content-type"), "application/problem+json");
        }
        for body in ["null", "true", "1", "\"x\"", "[]", "[[]]", "{}"] {
            assert_eq!(ada.post_raw(path, body).await.status, 400, "{path} {body}");
        }
    }
    assert_eq!(server.head().await, head);
    probe.assert_fast();
}

#[tokio::test]
async fn refuses_fields_of_the_wrong_type_without_coercion() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let ada = server.register_agent("Ada").await;
    let (head, digest) = (server.head().await, server.digest().await);
    for field in ["x", "y", "color"] {
        let texts = r#"1.0 1.5 1e0 "1" null true [1] {} 1e400 -1e400 9223372036854775808
            99999999999999999999999999 -9223372036854775809"#;
        for text in texts.split_whitespace() {
            let reply = ada.post_raw("/api/pixel", pixel_json(field, text, &digest)).await;
            let code = if text.ends_with("e400") { reply.code() } else { "invalid_field" };
            reply.assert_refused(400, code);
        }
        for text in ["-1", "128", "9223372036854775807", "-9223372036854775808", "65536", "4294967296"] {
            let code = if field == "color" { "invalid_color" } else { "out_of_bounds" };
            ada.post_raw("/api/pixel", pixel_json(field, text, &digest)).await.assert_refused(400, code);
        }
    }
    for text in ["1", "[]", "\"\"", "\"0\"", "\"00000000000g\"", "\"\\u0000\"", "\"éééééé\""] {
        let reply = ada.post_raw("/api/pixel", pixel_json("chat_digest", text, &digest)).await;
        let refused = (reply.status, &reply.body["field"]);
        assert_eq!(refused, (400, &json!("chat_digest")), "{text}: {}", reply.body);
    }
    assert_eq!((server.head().await, &ada.me().await["charges"]), (head, &json!(10)));
    let valid = ada.post_raw("/api/pixel", pixel_json("", "", &digest)).await;
    assert_eq!(valid.status, 201, "without a mistake it is one");
    probe.assert_fast();
}

#[tokio::test]
async fn refuses_duplicate_keys_and_lone_surrogates() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let ada = server.register_agent("Ada").await;
    let (head, digest) = (server.head().await, server.digest().await);
    let duplicate_key = pixel_json("color", "1,\"color\":1", &digest);
    let lone_surrogate = pixel_json("chat_digest", "\"\\ud800\"", &digest);
    let pixels = r#"[{"x":1,"y":1,"color":1,"x":1}]"#;
    let pixels = format!("{{\"pixels\":{pixels},\"chat_digest\":\"{digest}\"}}");
    let region = r#"{"x1":0,"x1":0,"y1":0,"x2":1,"y2":1}"#;
    for (path, body) in [
        ("/api/pixel", duplicate_key.as_str()),
        ("/api/pixel", &lone_surrogate),
        ("/api/pixels", &pixels),
        ("/api/chat", r#"{"content":"a","content":"b"}"#),
        ("/api/chat", r#"{"content":"\ud800"}"#),
        ("/api/chat", r#"{"content":"\udc00\ud800"}"#),
        ("/api/chat", &format!(r#"{{"content":"a","region":{region},"type":"intent"}}"#)),
        ("/api/agents/register", r#"{"name":"Bob","name":"Bob"}"#),
        ("/api/agents/register", r#"{"name":"Bob\ud800"}"#),
    ] {
        let reply = ada.post_raw(path, body.to_owned()).await;
        assert_eq!(reply.status, 400, "{path} {body}: {}", reply.body);
    }
    assert_eq!(server.head().await, head);
    server.register_agent("Bob").await;
    probe.assert_fast();
}

#[tokio::test]
async fn accepts_bodies_up_to_256_kib() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let ada = server.register_agent("Ada").await;
    let body = pixel_json("", "", &server.digest().await);
    let padded = |length: usize| format!("{body}{}", " ".repeat(length - body.len()));
    let chunked = |text: String| {
        let chunks: Vec<_> =
            text.into_bytes().chunks(10_000).map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec())).collect();
        reqwest::Body::wrap_stream(stream::iter(chunks))
    };
    assert_eq!(ada.post_raw("/api/pixel", padded(MAX_BODY_BYTES)).await.status, 201);
    assert_eq!(ada.post_raw("/api/pixel", chunked(padded(MAX_BODY_BYTES))).await.status, 201);
    for path in POST_PATHS {
        for length in [MAX_BODY_BYTES + 1, 300_000] {
            ada.post_raw(path, padded(length)).await.assert_refused(413, "too_large");
            ada.post_raw(path, chunked(padded(length))).await.assert_refused(413, "too_large");
        }
    }
    assert_eq!(ada.me().await["charges"], 8);
    probe.assert_fast();
}

#[tokio::test]
async fn limits_unexpected_bodies_too() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let ada = server.register_agent("Ada").await;
    ada.post_raw("/api/agents/me/key", "x".repeat(300_000)).await.assert_refused(413, "too_large");
    assert_eq!(ada.get("/api/agents/me").await.status, 200, "the key has not changed");
    probe.assert_fast();
}

#[tokio::test]
async fn accepts_only_uncompressed_json() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let ada = server.register_agent("Ada").await;
    let body = pixel_json("", "", &server.digest().await);
    let post = |name: &'static str, value: &'static str| {
        let request = ada.post_request("/api/pixel").body(body.clone());
        let request =
            if name == "content-type" { request } else { request.header("Content-Type", "application/json") };
        request.header(name, value)
    };
    for value in
        ["text/plain", "application/jsonx", "application/xml", "text/json", "", "application/json-seq", "?"]
    {
        Reply::fetch(post("content-type", value)).await.assert_refused(415, "unsupported_media_type");
    }
    for value in ["gzip", "br", "deflate", "zstd", "gzip, identity", "x"] {
        Reply::fetch(post("content-encoding", value)).await.assert_refused(415, "unsupported_media_type");
    }
    for value in ["application/json", "APPLICATION/JSON", "application/json; charset=utf-8"] {
        assert_eq!(Reply::fetch(post("content-type", value)).await.status, 201, "{value}");
    }
    probe.assert_fast();
}

#[tokio::test]
async fn refuses_or_removes_nul_characters() {
    let server = Server::start().await;
    let probe = HealthProbe::start(server.running().address).await;
    let ada = server.register_agent("Ada").await;
    ada.earn_message_credits().await;
    let register = |body: Value| server.post("/api/agents/register", body);
    register(json!({"name": "B\u{0}b"})).await.assert_refused(400, "invalid_field");
    let registered = register(json!({"name": "Bob", "description": "\u{0}a\u{0}", "model": "\u{0}"})).await;
    assert_eq!(registered.status, 201, "{}", registered.body);
    let nul = |kind: &str, content: &str| json!({"content": content, "type": kind, "reply_to": "msg_\u{0}"});
    ada.post("/api/chat", nul("message", "hi")).await.assert_refused(422, "reply_target_missing");
    ada.post("/api/chat", nul("reaction", "🔥")).await.assert_refused(422, "reply_target_missing");
    let posted = ada.post_message("a\u{0}b").await;
    assert_eq!((posted.status, &posted.body["message"]["content"]), (201, &json!("ab")));
    probe.assert_fast();
}
