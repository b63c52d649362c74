//! The visitors of the guide: browsers by their cookie, viewers and operators by their account.

use platform::config::ApiShape;
use reqwest::Method;
use serde_json::{Value, json};

use crate::gallery::viewer_browser::ViewerBrowser;
use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::values::texts_of;
use crate::support::visitor::{VISITOR_COOKIE, Visitor, set_cookie};
use crate::support::{FakeModel, Reply, ScriptedAnswer, Server};

const FOREIGN_ORIGIN: &str = "https://elsewhere.example";

fn question() -> Value {
    json!({"content": "Who paints the lighthouse?"})
}

/// Returns the questions of the conversation in a reply.
fn contents(reply: &Reply) -> Vec<&str> {
    assert_eq!(reply.status, 200, "{}", reply.body);
    texts_of(&reply.body["messages"], "content")
}

#[tokio::test]
async fn the_first_question_sets_a_cookie_that_owns_the_conversation() {
    let (_model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Text("Ada does.")], &[]).await;
    let mut visitor = server.visitor();
    let before = visitor.get("/api/guide/messages").await;
    assert_eq!((before.status, &before.body["messages"]), (200, &json!([])));
    assert_eq!(set_cookie(&before), None, "reading sets no cookie");
    let asked = visitor.try_ask(question()).await;
    assert_eq!((asked.status, asked.header("cache-control")), (201, "no-store"), "{}", asked.body);
    let line = asked.header("set-cookie");
    for attribute in ["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Lax"] {
        assert!(line.split("; ").any(|part| part == attribute), "{line} lacks {attribute}");
    }
    assert!(!line.contains("Secure"), "{line}");
    let id = asked.body["message_id"].as_str().unwrap();
    assert!(id.starts_with("guidemsg_"), "{id}");
    let last = visitor.read_turn(id).await.pop().unwrap();
    assert_eq!(last.name, "done", "{last:?}");
    let conversation = visitor.get("/api/guide/messages").await;
    assert_eq!(contents(&conversation), ["Who paints the lighthouse?", "Ada does."]);
    assert_eq!(conversation.header("cache-control"), "no-store");
    let cookie = visitor.cookie.clone();
    let again = visitor.try_ask(json!({"content": "Why?"})).await;
    assert_eq!((again.status, visitor.cookie.clone()), (201, cookie), "the cookie stays, for longer");
    let rows = "SELECT guide_conversation::text FROM guide_conversation";
    let (stored, cookie): (Vec<String>, _) = (server.fetch_scalars(rows).await, visitor.cookie.unwrap());
    assert!(stored.iter().all(|row| !row.contains(&cookie)), "only its hash is stored");
}

#[tokio::test]
async fn with_tls_the_cookie_is_bound_to_the_host() {
    let model = FakeModel::start(ApiShape::Messages, Vec::new()).await;
    let settings = [("CARAPLACE_PUBLIC_URL", "https://paint.example"), ("CARAPLACE_GUIDE_DAYS", "1000")];
    let server = model.start_server(&settings).await;
    let asked = server.visitor().try_ask(question()).await;
    let line = asked.header("set-cookie");
    assert!(line.starts_with(&format!("__Host-{VISITOR_COOKIE}=")) && line.ends_with("; Secure"), "{line}");
    // As long as the conversation, but not longer than browsers allow: 400 days.
    assert!(line.contains("; Max-Age=34560000;"), "{line}");
    let (_, page) = server.browser("192.0.2.1").page("/privacy").await;
    for part in ["for 1000 days", &format!("<code>__Host-{VISITOR_COOKIE}</code>"), "ends 400 days"] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

#[tokio::test]
async fn nobody_else_reads_or_deletes_a_conversation() {
    let (model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Slow("It was Ada.")], &[]).await;
    let (mut ada, mut bob) = (server.visitor(), server.visitor());
    let id = ada.ask("Who paints the lighthouse?").await;
    bob.try_ask(json!({"content": "   "})).await.assert_refused(400, "invalid_field");
    let strangers = [bob.clone(), with_cookie(&server, &"0".repeat(64)), with_cookie(&server, "no token")];
    for stranger in &strangers {
        stranger.try_stream(&id).await.assert_refused(404, "not_found");
    }
    let mut stream = ada.stream(&id).await;
    assert_eq!(stream.next().await.unwrap().name, "delta");
    for stranger in &strangers {
        stranger.try_stream(&id).await.assert_refused(404, "not_found");
        assert_eq!(contents(&stranger.get("/api/guide/messages").await), [""; 0]);
        assert_eq!(stranger.delete("/api/guide").await.body, json!({"success": true}));
    }
    model.release();
    while let Some(event) = stream.next().await {
        assert_ne!(event.name, "error", "{event:?}");
    }
    assert_eq!(ada.messages().await.len(), 2);
    ada.get("/api/guide/stream?message=guidemsg_1").await.assert_refused(404, "not_found");
}

fn with_cookie<'a>(server: &'a Server, value: &str) -> Visitor<'a> {
    Visitor { cookie: Some(value.to_owned()), ..server.visitor() }
}

#[tokio::test]
async fn a_visitor_deletes_the_conversation_with_its_cookie() {
    let (_model, server) = FakeModel::start_guide(Vec::new(), &[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who paints the lighthouse?").await;
    visitor.read_turn(&id).await;
    let deleted = visitor.delete("/api/guide").await;
    assert_eq!((deleted.status, &deleted.body), (200, &json!({"success": true})));
    assert!(deleted.header("set-cookie").starts_with(&format!("{VISITOR_COOKIE}=; Path=/; Max-Age=0")));
    assert_eq!(visitor.messages().await, [Value::Null; 0]);
    visitor.try_stream(&id).await.assert_refused(404, "not_found");
    assert_eq!(server.count_rows("guide_message").await, 0);
}

#[tokio::test]
async fn writes_with_a_cookie_must_come_from_our_pages() {
    let (_model, server) = FakeModel::start_guide(Vec::new(), &[]).await;
    let mut visitor = server.visitor();
    visitor.ask("Who paints the lighthouse?").await;
    let write = |method: Method, path: &str| {
        visitor.with_cookie(server.client.request(method, server.url(path)).json(&question()))
    };
    for (method, path) in [(Method::POST, "/api/guide/messages"), (Method::DELETE, "/api/guide")] {
        for (name, value) in
            [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"), ("Origin", FOREIGN_ORIGIN)]
        {
            let reply = Reply::fetch(write(method.clone(), path).header(name, value)).await;
            reply.assert_refused(403, "forbidden");
            assert_eq!(set_cookie(&reply), None);
        }
    }
    let by_program = write(Method::POST, "/api/guide/messages");
    assert_eq!(Reply::fetch(by_program).await.status, 201, "programs send no origin");
    let without_cookie = server.post_request("/api/guide/messages").json(&question());
    let reply = Reply::fetch(without_cookie.header("Origin", FOREIGN_ORIGIN)).await;
    reply.assert_refused(403, "forbidden");
    assert_eq!(set_cookie(&reply), None, "no page of another site gives a browser a conversation");
    assert_eq!(server.post("/api/guide/messages", question()).await.status, 201, "nor a cookie");
    assert_eq!(visitor.messages().await.len(), 2);
}

#[tokio::test]
async fn reads_from_other_sites_see_no_conversation() {
    let (model, server) = FakeModel::start_guide(Vec::new(), &[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who paints the lighthouse?").await;
    let read = async |path: &str, name: &str, value: &str| {
        Reply::fetch(visitor.with_cookie(server.get_request(path)).header(name, value)).await
    };
    let stream = format!("/api/guide/stream?message={id}");
    for (name, value) in [("Sec-Fetch-Site", "cross-site"), ("Origin", FOREIGN_ORIGIN)] {
        let foreign = read("/api/guide/messages", name, value).await;
        assert_eq!(contents(&foreign), [""; 0]);
        assert!(foreign.headers.get("access-control-allow-origin").is_none());
        read(&stream, name, value).await.assert_refused(404, "not_found");
    }
    assert_eq!(model.requests().len(), 0, "no other site starts a turn");
    assert_eq!(contents(&read("/api/guide/messages", "Sec-Fetch-Site", "none").await).len(), 1);
}

#[tokio::test]
async fn viewers_have_one_conversation_by_key_and_session() {
    let (_model, server) = FakeModel::start_guide(Vec::new(), &CONSOLE_SETTINGS).await;
    let key = server.create_viewer().await.key;
    let asked = server.client_with_key(&key).post("/api/guide/messages", question()).await;
    assert_eq!((asked.status, set_cookie(&asked)), (201, None), "an account needs no cookie");
    let mut browser = ViewerBrowser::new(&server);
    browser.submit("/gallery/sign-in", &[("key", &key)]).await;
    assert_eq!(contents(&browser.get("/api/guide/messages").await), ["Who paints the lighthouse?"]);
    assert_eq!(server.visitor().messages().await, [Value::Null; 0]);
    let forget = browser.request(Method::DELETE, "/api/guide");
    Reply::fetch(forget.try_clone().unwrap()).await.assert_refused(403, "forbidden");
    let forgotten = Reply::fetch(forget.header("Sec-Fetch-Site", "same-origin")).await;
    assert_eq!((forgotten.status, forgotten.headers.get("set-cookie")), (200, None));
    assert_eq!(contents(&browser.get("/api/guide/messages").await), [""; 0]);
}

#[tokio::test]
async fn an_ended_session_reads_like_none_and_writes_nothing() {
    let (_model, server) = FakeModel::start_guide(Vec::new(), &CONSOLE_SETTINGS).await;
    for cookie in ["caraplace_viewer", "caraplace-admin"] {
        let line = format!("{cookie}={}", "0".repeat(64));
        let own = |request: reqwest::RequestBuilder| {
            request.header("Cookie", &line).header("Sec-Fetch-Site", "same-origin")
        };
        assert_eq!(contents(&Reply::fetch(own(server.get_request("/api/guide/messages"))).await), [""; 0]);
        let post = own(server.post_request("/api/guide/messages")).json(&question());
        Reply::fetch(post).await.assert_refused(401, "key_invalid");
    }
}

#[tokio::test]
async fn operators_share_a_conversation_and_need_their_token_to_write() {
    let (_model, server) = FakeModel::start_guide(Vec::new(), &CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let without_token = operator.post_request("/api/guide/messages").json(&question());
    Reply::fetch(without_token).await.assert_refused(403, "forbidden");
    let asked = operator.post("/api/guide/messages", question()).await;
    assert_eq!((asked.status, set_cookie(&asked)), (201, None), "{}", asked.body);
    assert_eq!(contents(&operator.get("/api/guide/messages").await), ["Who paints the lighthouse?"]);
    let key = server.create_operator_key("guide").await;
    let by_key = server.client_with_key(&key).get("/api/guide/messages").await;
    assert_eq!(contents(&by_key), ["Who paints the lighthouse?"]);
    let body = json!({"name": "reader", "scopes": ["read", "manage"]});
    let made = operator.post("/api/admin/keys", body).await.assert_status(201);
    let reader = server.client_with_key(made["api_key"].as_str().unwrap());
    let refused = reader.post("/api/guide/messages", question()).await;
    refused.assert_refused(403, "scope_missing");
    assert_eq!(refused.body["scope"], "moderate");
    assert_eq!(contents(&reader.get("/api/guide/messages").await), ["Who paints the lighthouse?"]);
    let of_visitor = server.visitor().get("/api/guide/messages").await.body;
    assert_eq!((&by_key.body["shared"], &of_visitor["shared"]), (&json!(true), &json!(false)));
    assert_eq!(of_visitor["messages"], json!([]));
}

#[tokio::test]
async fn a_browser_of_a_viewer_and_operator_acts_as_operator_with_the_token() {
    let (_model, server) = FakeModel::start_guide(Vec::new(), &CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let key = server.create_viewer().await.key;
    let mut viewer = ViewerBrowser::new(&server);
    viewer.submit("/gallery/sign-in", &[("key", &key)]).await;
    let cookies = format!("{}; caraplace_viewer={}", operator.cookies, viewer.session().unwrap());
    let request = |method: Method| {
        let request = server.client.request(method, server.url("/api/guide/messages"));
        request.header("Cookie", &cookies).header("Sec-Fetch-Site", "same-origin")
    };
    let as_viewer = request(Method::POST).json(&json!({"content": "As a viewer"}));
    assert_eq!(Reply::fetch(as_viewer).await.status, 201);
    let as_operator = request(Method::POST).json(&json!({"content": "As an operator"}));
    assert_eq!(Reply::fetch(as_operator.header("X-CSRF-Token", &operator.csrf)).await.status, 201);
    assert_eq!(contents(&Reply::fetch(request(Method::GET)).await), ["As a viewer"]);
    let with_token = request(Method::GET).header("X-CSRF-Token", &operator.csrf);
    assert_eq!(contents(&Reply::fetch(with_token).await), ["As an operator"]);
}
