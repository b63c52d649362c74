//! Public reads and streams know a viewer's session cookie.

use serde_json::Value;

use super::viewer_browser::ViewerBrowser;
use super::{Shop, stripe_settings};
use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::values::{id_of, texts_of};
use crate::support::waiting::wait_until;
use crate::support::{EventStream, Reply, Server};

const NO_INTERVAL: (&str, &str) = ("CARAPLACE_VIEWER_MESSAGE_SECONDS", "0");

async fn start_shop() -> Shop {
    Shop::start_with(&[&CONSOLE_SETTINGS[..], &[NO_INTERVAL]].concat()).await
}

/// Reads as the page of a viewer who is signed in does.
async fn read(person: &ViewerBrowser<'_>, server: &Server, path: &str) -> Reply {
    read_from(person, server, path, "same-origin").await
}

/// Reads with the session of a viewer, as a browser that reports this `Sec-Fetch-Site`.
async fn read_from(person: &ViewerBrowser<'_>, server: &Server, path: &str, site: &str) -> Reply {
    Reply::fetch(person.with_browser_headers(server.get_request(path)).header("Sec-Fetch-Site", site)).await
}

fn contents(page: &Reply) -> Vec<&str> {
    assert_eq!(page.status, 200, "{}", page.body);
    texts_of(&page.body["messages"], "content")
}

async fn post(person: &ViewerBrowser<'_>, content: &str) -> Value {
    person.post_message(content).await.assert_status(201)["message"].clone()
}

async fn sanction(shop: &Shop, account: &Value, verb: &str) {
    let path = format!("/api/admin/agents/{}/{verb}", account.as_str().unwrap());
    shop.server.sign_in_operator().await.post_with_reason(&path).await;
}

async fn open_stream(person: &ViewerBrowser<'_>, server: &Server) -> EventStream {
    let request = person.with_browser_headers(server.get_request("/api/events"));
    EventStream::open(request.header("Sec-Fetch-Site", "same-origin")).await
}

async fn next_message(stream: &mut EventStream) -> Value {
    loop {
        let event = stream.next().await.expect("the stream was cut");
        if event.name == "chat" {
            return event.data;
        }
    }
}

#[tokio::test]
async fn a_shadow_banned_viewer_sees_its_own_words_on_the_page() {
    let shop = start_shop().await;
    let url = shop.stripe.url.clone();
    let other = shop.server.start_instance(&[&CONSOLE_SETTINGS[..], &stripe_settings(&url)].concat()).await;
    let person = shop.viewer_with_pass("bob@example.com").await;
    let first = post(&person, "one").await;
    other.catch_up().await;
    let mut streams = [open_stream(&person, &shop.server).await, open_stream(&person, &other).await];
    let mut public = shop.server.events(None).await;
    sanction(&shop, &first["agent_id"], "shadow").await;
    let second = post(&person, "two").await;
    for stream in &mut streams {
        assert_eq!(next_message(stream).await["content"], "two");
    }
    let single = format!("/api/chat/{}", id_of(&second));
    for server in [&shop.server, &other] {
        assert_eq!(contents(&read(&person, server, "/api/chat").await), ["one", "two"]);
        assert_eq!(contents(&read_from(&person, server, "/api/chat", "none").await), ["one", "two"]);
        assert_eq!(read(&person, server, &single).await.body["message"]["content"], "two");
        let events = read(&person, server, "/api/events?from=1").await.body["events"].to_string();
        assert!(events.contains("\"two\""), "{events}");
        // With a page of another site, the cookie counts for nothing.
        for site in ["cross-site", "same-site"] {
            assert_eq!(contents(&read_from(&person, server, "/api/chat", site).await), ["one"]);
        }
        assert_eq!(contents(&server.get("/api/chat").await), ["one"]);
        server.get(&single).await.assert_refused(404, "not_found");
    }
    sanction(&shop, &first["agent_id"], "unshadow").await;
    post(&person, "three").await;
    assert_eq!(next_message(&mut public).await["content"], "three");
    for stream in &mut streams {
        assert_eq!(next_message(stream).await["content"], "three");
    }
    assert_eq!(contents(&read(&person, &other, "/api/chat").await), ["one", "two", "three"]);
}

#[tokio::test]
async fn an_ordinary_viewer_reads_what_everyone_reads() {
    let shop = start_shop().await;
    let person = shop.viewer_with_pass("bob@example.com").await;
    post(&person, "one").await;
    let expiry = regex::Regex::new(r#""digest_expires_at":"[^"]*""#).unwrap();
    for path in ["/api/chat", "/api/chat?limit=3", "/api/intents", "/api/events?from=1"] {
        let (own, public) = (read(&person, &shop.server, path).await, shop.server.get(path).await);
        let text = |reply: &Reply| expiry.replace_all(&reply.body.to_string(), "").into_owned();
        assert_eq!(text(&own), text(&public), "{path}");
        assert!(!own.header("vary").contains("Cookie"), "{path}");
    }
}

#[tokio::test]
async fn an_ended_or_forged_session_reads_like_anyone() {
    let shop = start_shop().await;
    let mut person = shop.viewer_with_pass("bob@example.com").await;
    sanction(&shop, &post(&person, "one").await["agent_id"], "shadow").await;
    post(&person, "two").await;
    let session = person.session().unwrap().to_owned();
    assert_eq!(contents(&read(&person, &shop.server, "/api/chat").await), ["one", "two"]);
    let with_cookie = |token: &str| {
        shop.server.get_request("/api/chat").header("Cookie", format!("caraplace_viewer={token}"))
    };
    Reply::fetch(with_cookie(&session).bearer_auth("gp_wrong")).await.assert_refused(401, "key_invalid");
    person.submit("/gallery/sign-out", &[]).await;
    for token in [session.as_str(), &"0".repeat(64), "nonsense", ""] {
        assert_eq!(contents(&Reply::fetch(with_cookie(token)).await), ["one"], "{token}");
    }
}

#[tokio::test]
async fn a_banned_viewer_still_watches() {
    let shop = start_shop().await;
    let person = shop.viewer_with_pass("bob@example.com").await;
    sanction(&shop, &post(&person, "one").await["agent_id"], "ban").await;
    assert_eq!(contents(&read(&person, &shop.server, "/api/chat").await), ["one"]);
    let mut stream = open_stream(&person, &shop.server).await;
    assert_eq!(stream.next().await.unwrap().name, "hello");
    assert_eq!(shop.server.register_agent("Ada").await.paint(1, 1, 1).await.status, 201);
    assert_eq!(stream.next_with_id().await.name, "pixels");
}

#[tokio::test]
async fn reads_with_a_session_count_for_the_viewer() {
    let settings = [&CONSOLE_SETTINGS[..], &[NO_INTERVAL, ("CARAPLACE_REQUESTS_PER_MINUTE", "60")]].concat();
    let shop = Shop::start_with(&settings).await;
    let person = shop.viewer_with_pass("bob@example.com").await;
    let is_refused = async || shop.server.get("/api/chat").await.status != 200;
    wait_until(is_refused, "reads without a session are never refused").await;
    shop.server.get("/api/chat").await.assert_refused(429, "too_many_requests");
    assert_eq!(read(&person, &shop.server, "/api/chat").await.status, 200);
}

#[tokio::test]
async fn signed_in_people_still_watch_while_the_database_is_down() {
    let shop = start_shop().await;
    let person = shop.viewer_with_pass("bob@example.com").await;
    post(&person, "one").await;
    let outage = shop.server.start_outage().await;
    assert_eq!(contents(&read(&person, &shop.server, "/api/chat").await), ["one"]);
    outage.end().await;
}
