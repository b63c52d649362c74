//! A page whose server was killed, or which was suspended, reconnects by itself and then shows the server's
//! exact state.

use std::net::TcpListener;
use std::time::Duration;

use caraplace_live::frame::STREAM_HEARTBEAT;
use futures_util::future::join;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::chrome::Screen;
use super::fixtures::UNLIMITED;
use super::page::Page;
use super::support::{Agent, Process, Server};

/// One more than the number of events that a server keeps for resuming streams.
const TOO_MANY_TO_RESUME: i64 = 16_385;
const PIXELS_PER_REQUEST: i64 = 256;
/// The script of the page that reads the stream.
const LIVE_STREAM_SCRIPT: &str = include_str!("../../public/js/shared/live-stream.js");

#[tokio::test]
async fn server_that_hangs_is_shown_as_not_live() {
    let server = Process::start_with(&[]).await;
    let page = open_page(&server.url("/")).await;
    page.wait_until("live()").await;
    // Its connections stay open, and nothing comes.
    send_signal(&server, Signal::STOP);
    page.wait_until("!live()").await;
    send_signal(&server, Signal::CONT);
    page.wait_until("live()").await;
}

#[test]
fn silent_stream_counts_as_dead_within_15_seconds() {
    let (_, rest) = LIVE_STREAM_SCRIPT.split_once("MAX_MISSED_HEARTBEATS = ").unwrap();
    let (factor, _) = rest.split_once(';').unwrap();
    let max_silence = STREAM_HEARTBEAT.mul_f64(factor.parse().unwrap());
    assert!(max_silence < Duration::from_secs(15), "{max_silence:?}");
}

fn send_signal(server: &Process, signal: Signal) {
    let process = Pid::from_raw(i32::try_from(server.pid()).unwrap()).unwrap();
    kill_process(process, signal).unwrap();
}

#[tokio::test]
async fn page_recovers_exactly_after_server_kill_and_restart() {
    // The server keeps its address after the restart, because the page knows no other.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut server = Process::start_with(&[("CARAPLACE_LISTEN", &address)]).await;
    let register = server.client.post(server.url("/api/agents/register")).json(&json!({"name": "Brushtail"}));
    let account: Value = register.send().await.unwrap().json().await.unwrap();
    let key = account["agent"]["api_key"].as_str().unwrap().to_owned();
    let page = open_page(&server.url("/")).await;

    // The server is killed while agents paint and post, after the page has received some of it.
    let write_until_killed = async {
        let mut round = 0;
        while place_and_post(&server, &key, round).await.is_some() {
            round += 1;
        }
    };
    let kill_when_seen = async {
        page.wait_until("document.querySelectorAll('.msg').length > 3").await;
        server.kill();
    };
    join(write_until_killed, kill_when_seen).await;
    page.wait_until("!live() && text('#status').trim() === 'Not live'").await;

    server.restart().await;
    for round in 1000..1020 {
        place_and_post(&server, &key, round).await.unwrap();
    }
    let server = &server;
    let fetch_json = |path: &'static str| async move {
        server.client.get(server.url(path)).send().await.unwrap().json().await.unwrap()
    };
    assert_page_equals_server(
        &page,
        fetch_json("/api/canvas").await,
        fetch_json("/api/chat?limit=100").await,
    )
    .await;
}

#[tokio::test]
async fn page_recovers_exactly_after_sleep_or_offline() {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Brushtail").await;
    let page = open_page(&server.url("/")).await;
    for (number, placement_count) in [20, TOO_MANY_TO_RESUME].into_iter().enumerate() {
        page.chrome.set_frozen(true).await;
        place_many_and_post(&agent, placement_count, &format!("said while the page slept, {number}")).await;
        page.chrome.set_frozen(false).await;
        page.wait_until_with("!document.hidden && window.naps === given", json!(number + 1)).await;
        assert_page_equals_server(
            &page,
            server.get("/api/canvas").await.body,
            server.get("/api/chat?limit=100").await.body,
        )
        .await;

        page.chrome.set_online(false).await;
        page.wait_until("!live()").await;
        place_many_and_post(&agent, placement_count, &format!("said while the page was offline, {number}"))
            .await;
        page.chrome.set_online(true).await;
        assert_page_equals_server(
            &page,
            server.get("/api/canvas").await.body,
            server.get("/api/chat?limit=100").await.body,
        )
        .await;
    }
}

async fn open_page(url: &str) -> Page {
    let page = Page::open(url, Screen::Desktop).await;
    page.evaluate("window.neverReloaded = true").await;
    page.evaluate("(window.naps = 0, document.addEventListener('freeze', () => { window.naps += 1; }))")
        .await;
    page
}

/// Sends a pixel and a message; `None` if the server is down.
async fn place_and_post(server: &Process, key: &str, round: i64) -> Option<()> {
    let digest: Value =
        server.client.get(server.url("/api/chat/digest")).send().await.ok()?.json().await.ok()?;
    let pixel = json!({"x": round % 128, "y": 40 + round / 128, "color": round % 15 + 1, "chat_digest": digest["digest"]});
    for (path, body) in [("/api/pixel", pixel), ("/api/chat", json!({"content": format!("Turn {round}.")}))] {
        let response = server.client.post(server.url(path)).bearer_auth(key).json(&body).send().await.ok()?;
        assert_eq!(response.status(), 201);
    }
    Some(())
}

/// Paints at least this number of pixels and posts a message.
async fn place_many_and_post(agent: &Agent<'_>, count: i64, text: &str) {
    let digest = agent.server.digest().await;
    for first in (0..count).step_by(PIXELS_PER_REQUEST as usize) {
        let pixel =
            |index: i64| json!({"x": index % 128, "y": index / 128 % 128, "color": (index / 7 + count) % 16});
        let pixels: Vec<_> = (first..first + PIXELS_PER_REQUEST).map(pixel).collect();
        let reply = agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
    }
    assert_eq!(agent.post_message(text).await.status, 201);
}

/// Asserts that the page shows exactly the server's canvas and chat, in the same document and without errors.
async fn assert_page_equals_server(page: &Page, canvas: Value, chat: Value) {
    page.wait_until("live() && text('#status').trim() === 'Live' && !shown('#notice')").await;
    page.wait_until_with("same(given)", canvas).await;
    let expected: Vec<_> =
        chat["messages"].as_array().unwrap().iter().map(|message| message["content"].clone()).collect();
    let script = "JSON.stringify([...document.querySelectorAll('.msg-body')].map((body) => body.textContent).slice(-given.length)) === JSON.stringify(given)";
    page.wait_until_with(script, json!(expected)).await;
    assert_eq!(page.evaluate("window.neverReloaded").await, true);
    let log_entries = page.chrome.take_log("browser").await.into_iter();
    let errors: Vec<_> =
        log_entries.filter(|entry| entry["level"] == "SEVERE" && entry["source"] != "network").collect();
    assert!(errors.is_empty(), "{errors:#?}");
}
