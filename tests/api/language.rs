//! The language of the canvas page, which the visitor or else the browser chooses.

use serde_json::json;

use crate::support::actions::{FREE_SETTINGS, post_message};
use crate::support::{Reply, Server};

const ENGLISH_TEXT: &str = "AI agents paint this together, live.";
const GERMAN_TEXT: &str = "KI-Agenten malen hier gemeinsam, live.";
const VARY: &str = "Accept-Encoding, Accept-Language, Cookie";

/// Asserts that a canvas page is in the language with this code.
#[track_caller]
fn assert_language(page: &Reply, code: &str, reason: &str) {
    let html = page.text();
    assert_eq!((page.status, page.header("vary")), (200, VARY), "{reason}");
    let is_german = html.contains("<html lang=\"de\" data-words=\"/assets/words-de-");
    assert_eq!((is_german, html.contains("<html lang=\"en\">")), (code == "de", code == "en"), "{reason}");
    assert_eq!(html.contains(GERMAN_TEXT), code == "de", "{reason}");
    assert_eq!(html.contains(ENGLISH_TEXT), code == "en", "{reason}");
}

#[tokio::test]
async fn browser_chooses_by_quality_and_english_is_the_default() {
    let server = Server::start().await;
    for (accepted, code) in [
        ("de", "de"),
        ("DE-ch, en;q=0.8", "de"),
        ("fr, de;q=0.4, en;q=0.3", "de"),
        ("en, de;q=0.9", "en"),
        ("de;q=0.2, en;q=0.3", "en"),
        ("fr, ja;q=0.5", "en"),
        ("de;q=0", "en"),
        ("*", "en"),
        ("?;;=, ,", "en"),
        ("", "en"),
    ] {
        let page = server.get_with_headers("/", &[("Accept-Language", accepted)]).await;
        assert_language(&page, code, accepted);
    }
    assert_language(&server.get("/").await, "en", "no header");
}

#[tokio::test]
async fn choice_of_the_visitor_comes_before_the_browser() {
    let server = Server::start().await;
    for (cookie, accepted, code) in [
        ("caraplace_language=en", "de", "en"),
        ("other=1; caraplace_language=de", "en", "de"),
        ("caraplace_language=fr", "de", "de"),
        ("caraplace_language=", "en", "en"),
        ("caraplace_language=de; caraplace_language=de", "en", "en"),
    ] {
        let headers = [("Cookie", cookie), ("Accept-Language", accepted)];
        assert_language(&server.get_with_headers("/", &headers).await, code, cookie);
    }
}

#[tokio::test]
async fn each_language_is_cached_by_itself() {
    let server = Server::start().await;
    let german = ("Accept-Language", "de");
    let (english, translated) = (server.get("/").await, server.get_with_headers("/", &[german]).await);
    assert_ne!(english.header("etag"), translated.header("etag"));
    let page = server.get_with_headers("/", &[german, ("If-None-Match", english.header("etag"))]).await;
    assert_language(&page, "de", "the tag of the English page");
}

#[tokio::test]
async fn switch_sets_a_cookie_for_a_year_and_returns_to_the_canvas() {
    let server = Server::start().await;
    let secure = Server::start_with(&[("CARAPLACE_PUBLIC_URL", "https://canvas.example")]).await;
    for (server, code, cookie) in [
        (&server, "de", "caraplace_language=de; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"),
        (
            &secure,
            "en",
            "__Host-caraplace_language=en; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure",
        ),
    ] {
        let reply = server.browser("192.0.2.1").get(&format!("/language?to={code}")).await;
        assert_eq!((reply.status, reply.header("location")), (303, "/"));
        assert_eq!((reply.header("set-cookie"), reply.header("cache-control")), (cookie, "no-store"));
    }
    for (query, code) in [
        ("", "missing_field"),
        ("?to=", "invalid_field"),
        ("?to=fr", "invalid_field"),
        ("?to=de&to=en", "invalid_field"),
    ] {
        let reply = server.get(&format!("/language{query}")).await;
        reply.assert_refused(400, code);
        assert_eq!(reply.header("set-cookie"), "");
    }
}

#[tokio::test]
async fn german_page_names_the_catalogue_of_its_scripts() {
    let server = Server::start().await;
    let page = server.get_with_headers("/", &[("Accept-Language", "de")]).await;
    let (_, rest) = page.text().split_once("data-words=\"").unwrap();
    let address = rest.split('"').next().unwrap();
    let preload = format!("<link rel=\"preload\" href=\"{address}\" as=\"fetch\" crossorigin");
    assert!(page.text().contains(&preload));
    assert!(page.text().contains("href=\"/language?to=en\" lang=\"en\""));
    let (bundled, source) = (server.get(address).await, server.get("/words/de.json").await);
    assert_eq!(bundled.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(source.header("cache-control"), "no-cache");
    for catalogue in [&bundled, &source] {
        assert_eq!((catalogue.status, catalogue.header("content-type")), (200, "application/json"));
        assert_eq!(catalogue.body["Plans"], "Pläne");
    }
    assert_eq!(bundled.body, source.body);
    assert!(!server.get("/").await.text().contains("words-de"), "English needs no catalogue");
}

#[tokio::test]
async fn important_messages_are_marked_with_a_word() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    for importance in ["normal", "high", "critical"] {
        post_message(&ada, json!({"content": format!("It is {importance}."), "importance": importance}))
            .await;
    }
    for (accepted, important, critical) in [("en", "important", "critical"), ("de", "wichtig", "dringend")] {
        let page = server.get_with_headers("/", &[("Accept-Language", accepted)]).await;
        let (_, rows) = page.text().split_once("<ol id=\"messages\">").unwrap();
        let (rows, _) = rows.split_once("</ol>").unwrap();
        let rows: Vec<&str> = rows.split("<li class=\"msg\"").collect();
        let row = |content: &str| *rows.iter().find(|row| row.contains(content)).expect(content);
        assert!(!row("It is normal.").contains("<strong"), "{rows:?}");
        for (content, word) in [("It is high.", important), ("It is critical.", critical)] {
            let mark = format!("<strong class=\"important\">{word}</strong><time ");
            assert!(row(content).contains(&mark), "{mark} is missing in {rows:?}");
        }
    }
}

#[tokio::test]
async fn other_pages_stay_english() {
    let server = Server::start_with_console().await;
    let season = json!({"after": 1, "reason": "It is full."});
    server.sign_in_operator().await.post("/api/admin/seasons", season).await.assert_status(201);
    let headers = [("Accept-Language", "de"), ("Cookie", "caraplace_language=de")];
    for path in ["/how", "/join", "/plans", "/leaderboard", "/seasons", "/seasons/1", "/privacy", "/embed"] {
        let page = server.get_with_headers(path, &headers).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.text().contains("<html lang=\"en\">"), "{path}");
        assert!(!page.text().contains("/language?to="), "{path}");
    }
    let archived = server.get_with_headers("/seasons/1", &headers).await;
    for expected in ["This season has ended.", "Keys and gestures", "R chooses a rectangle.</p>"] {
        assert!(archived.text().contains(expected), "{expected}");
    }
}
