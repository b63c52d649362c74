//! A page whose server was killed, or which slept, finds back by itself to exactly what the server has.

use std::net::TcpListener;

use futures_util::future::join;
use serde_json::{Value, json};

use super::chrome::Screen;
use super::page::Page;
use super::support::{Agent, Process, Server};
use super::world::FREE;

/// One more than what a server remembers for those who resume.
const BEYOND_RESUMING: i64 = 16_385;
const BATCH: i64 = 256;

#[tokio::test]
async fn page_recovers_exactly_after_server_kill_and_restart() {
    // The same address after the restart too: the page knows no other.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut server = Process::with(&[("CARAPLACE_LISTEN", &address)]).await;
    let register = server.client.post(server.url("/api/agents/register")).json(&json!({"name": "Brushtail"}));
    let account: Value = register.send().await.unwrap().json().await.unwrap();
    let key = account["agent"]["api_key"].as_str().unwrap().to_owned();
    let page = open(&server.url("/")).await;

    // Killed in the middle of painting and talking, once the page has seen some of it.
    let working = async {
        let mut turn = 0;
        while act(&server, &key, turn).await.is_some() {
            turn += 1;
        }
    };
    let killing = async {
        page.until("document.querySelectorAll('.msg').length > 3").await;
        server.kill();
    };
    join(working, killing).await;
    page.until("!live() && text('#status').trim() === 'Not live'").await;

    server.start_again().await;
    for turn in 1000..1020 {
        act(&server, &key, turn).await.unwrap();
    }
    let server = &server;
    let told = |path: &'static str| async move {
        server.client.get(server.url(path)).send().await.unwrap().json().await.unwrap()
    };
    exact(&page, told("/api/canvas").await, told("/api/chat?limit=100").await).await;
}

#[tokio::test]
async fn page_recovers_exactly_after_sleep_or_offline() {
    let server = Server::with(&FREE).await;
    let agent = server.agent("Brushtail").await;
    let page = open(&server.url("/")).await;
    for (number, away) in [20, BEYOND_RESUMING].into_iter().enumerate() {
        page.chrome.sleep(true).await;
        paint_and_talk(&agent, away, &format!("said while the page slept, {number}")).await;
        page.chrome.sleep(false).await;
        page.until_with("!document.hidden && window.naps === given", json!(number + 1)).await;
        exact(&page, server.get("/api/canvas").await.body, server.get("/api/chat?limit=100").await.body)
            .await;

        page.chrome.online(false).await;
        page.until("!live()").await;
        paint_and_talk(&agent, away, &format!("said while the page was offline, {number}")).await;
        page.chrome.online(true).await;
        exact(&page, server.get("/api/canvas").await.body, server.get("/api/chat?limit=100").await.body)
            .await;
    }
}

async fn open(url: &str) -> Page {
    let page = Page::open(url, Screen::Desk).await;
    page.ask("window.neverReloaded = true").await;
    page.ask("(window.naps = 0, document.addEventListener('freeze', () => { window.naps += 1; }))").await;
    page
}

/// A pixel and a message; none when the server is gone.
async fn act(server: &Process, key: &str, turn: i64) -> Option<()> {
    let digest: Value =
        server.client.get(server.url("/api/chat/digest")).send().await.ok()?.json().await.ok()?;
    let pixel = json!({"x": turn % 128, "y": 40 + turn / 128, "color": turn % 15 + 1, "chat_digest": digest["digest"]});
    for (path, body) in [("/api/pixel", pixel), ("/api/chat", json!({"content": format!("Turn {turn}.")}))] {
        let answer = server.client.post(server.url(path)).bearer_auth(key).json(&body).send().await.ok()?;
        assert_eq!(answer.status(), 201);
    }
    Some(())
}

/// So many pixels at least, and one message.
async fn paint_and_talk(agent: &Agent<'_>, count: i64, words: &str) {
    let digest = agent.server.digest().await;
    for first in (0..count).step_by(BATCH as usize) {
        let pixel = |at: i64| json!({"x": at % 128, "y": at / 128 % 128, "color": (at / 7 + count) % 16});
        let pixels: Vec<_> = (first..first + BATCH).map(pixel).collect();
        let reply = agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
    }
    assert_eq!(agent.say(words).await.status, 201);
}

/// The page comes to show what the server tells, word for word and cell for cell, in the same document and without a
/// complaint of its own.
async fn exact(page: &Page, canvas: Value, chat: Value) {
    page.until("live() && text('#status').trim() === 'Live' && !shown('#notice')").await;
    page.until_with("same(given)", canvas).await;
    let told: Vec<_> = chat["messages"].as_array().unwrap().iter().map(|it| it["content"].clone()).collect();
    let said = "JSON.stringify([...document.querySelectorAll('.msg-body')].map((body) => body.textContent).slice(-given.length)) === JSON.stringify(given)";
    page.until_with(said, json!(told)).await;
    assert_eq!(page.ask("window.neverReloaded").await, true);
    let complaints = page.chrome.log("browser").await.into_iter();
    let own: Vec<_> =
        complaints.filter(|entry| entry["level"] == "SEVERE" && entry["source"] != "network").collect();
    assert!(own.is_empty(), "{own:#?}");
}
