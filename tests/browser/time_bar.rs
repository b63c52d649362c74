//! The time bar: any time of the season, playback from there, and the return to the live canvas.

use std::ops::Range;

use serde_json::{Value, json};

use super::chrome::Screen;
use super::fixtures::next_season;
use super::page::Page;
use super::support::{Agent, PASSWORD, Server};

const SPACE: char = ' ';
const LEFT: char = '\u{e012}';
const END: char = '\u{e010}';
const HOME: char = '\u{e011}';

/// Starts a server with a history of three hours in which an agent paints and posts.
async fn server_with_history() -> Server {
    let server = Server::start_with(&[
        ("CARAPLACE_CHARGE_SECONDS", "0"),
        ("CARAPLACE_MESSAGE_SECONDS", "0"),
        ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
        ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ])
    .await;
    let agent = server.register_agent("Brushtail").await;
    for hour in 0..3 {
        place_and_post(&agent, hour * 6..hour * 6 + 6).await;
        server.advance_clock(3600);
    }
    place_and_post(&agent, 18..20).await;
    server
}

/// Paints a pixel and posts a message for each of these numbers.
async fn place_and_post(agent: &Agent<'_>, steps: Range<i64>) {
    for step in steps {
        assert_eq!(agent.paint(10 + step, 20 + step, 1 + step % 15).await.status, 201);
        let reply = agent.post_message(&format!("Line {step}.")).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
    }
}

async fn assert_shows_past(page: &Page, server: &Server, seq: i64) {
    let canvas = server.get(&format!("/api/canvas?at={seq}")).await.body;
    page.wait_until_with("same(given)", canvas).await;
    let chat = server.get(&format!("/api/chat?at={seq}")).await.body;
    page.wait_until_with("lines() === given.messages.map(({ content }) => content).join()", chat).await;
    assert_eq!(page.evaluate("text('#status').trim()").await, "Past");
    assert_eq!(page.evaluate("live()").await, false);
}

async fn assert_shows_live(page: &Page, server: &Server) {
    page.wait_until("live() && text('#status').trim() === 'Live' && !one('#time').hasAttribute('data-past')")
        .await;
    page.wait_until_with("same(given)", server.get("/api/canvas").await.body).await;
    let chat = server.get("/api/chat").await.body;
    page.wait_until_with("lines() === given.messages.map(({ content }) => content).join()", chat).await;
    assert_eq!(page.evaluate("location.hash").await, "");
}

/// Moves the slider to a share of the season by mouse.
async fn move_slider(page: &Page, position: f64) {
    let script = "(one('#time-slider').value = given, one('#time-slider').dispatchEvent(new Event('input')))";
    page.evaluate_with(script, json!(position)).await;
}

#[tokio::test]
async fn seq_in_url_shows_that_point_and_live_button_returns() {
    let server = server_with_history().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    page.evaluate("location.hash = 'at=14'").await;
    assert_shows_past(&page, &server, 14).await;
    assert_eq!(
        page.evaluate(
            "one('#canvas-area').hasAttribute('data-past') && text('#canvas-info').startsWith('As it was')"
        )
        .await,
        true
    );
    assert_eq!(page.evaluate("text('#painters-title')").await, "Painted then");
    assert_eq!(page.evaluate(DOWNLOAD_URL_SCRIPT).await, "/api/canvas.png?scale=8&at=14");
    page.evaluate("location.hash = 'at=3'").await;
    assert_shows_past(&page, &server, 3).await;
    page.evaluate("location.hash = 'at=1'").await;
    assert_shows_past(&page, &server, 1).await;

    // New events are counted but not shown, and appear on the return to the live canvas.
    let agent = server.register_agent("Latecomer").await;
    place_and_post(&agent, 20..23).await;
    page.wait_until("text('#time-missed') === '+3'").await;
    assert_shows_past(&page, &server, 1).await;
    page.evaluate("one('#time-live').click()").await;
    assert_shows_live(&page, &server).await;
    assert_eq!(page.evaluate("text('#canvas-info').startsWith('Sixteen colours')").await, true);
    assert_eq!(page.evaluate(DOWNLOAD_URL_SCRIPT).await, "/api/canvas.png?scale=8");
    place_and_post(&agent, 23..25).await;
    assert_shows_live(&page, &server).await;
}

#[tokio::test]
async fn url_opens_in_the_past_and_slider_moves_freely() {
    let server = server_with_history().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.chrome.goto("about:blank").await;
    page.chrome.goto(&server.url("/#at=20")).await;
    page.wait_until("text('#status').trim() === 'Past'").await;
    assert_shows_past(&page, &server, 20).await;
    let mut seqs = Vec::new();
    for position in [0.8, 0.2, 0.5] {
        move_slider(&page, position).await;
        page.wait_until_with(
            "location.hash !== given && /^#at=\\d+$/.test(location.hash)",
            page.evaluate("location.hash").await,
        )
        .await;
        let hash = page.evaluate("location.hash").await;
        let seq = hash.as_str().and_then(|hash| hash.strip_prefix("#at=")).and_then(|seq| seq.parse().ok());
        seqs.push(seq.unwrap());
        assert_shows_past(&page, &server, seq.unwrap()).await;
    }
    assert!(seqs[0] > seqs[2] && seqs[2] > seqs[1], "{seqs:?}");
    move_slider(&page, 1.0).await;
    assert_shows_live(&page, &server).await;
}

#[tokio::test]
async fn season_plays_to_now_with_chat_in_sync() {
    let server = server_with_history().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    page.evaluate(WATCH_CHAT_SCRIPT).await;
    page.evaluate("(one('#time-speed').value = '10', one('#time-play').click())").await;
    page.wait_until("remarks.some((remark) => remark.startsWith('Skipped'))").await;
    let agent = server.register_agent("Latecomer").await;
    place_and_post(&agent, 20..22).await;
    assert_shows_live(&page, &server).await;
    let seen_json = page.evaluate("heard").await;
    let expected: Vec<_> = (0..22).map(|step| format!("Line {step}.")).collect();
    let seen_lines: Vec<String> = serde_json::from_value(seen_json).unwrap();
    let seen_chat_lines: Vec<_> =
        seen_lines.iter().filter(|line| line.starts_with("Line")).cloned().collect();
    assert_eq!(seen_chat_lines, expected);
}

/// The address of the image download while a finger is on its button.
const DOWNLOAD_URL_SCRIPT: &str =
    "(one('#download').dispatchEvent(new Event('pointerdown')), one('#download').getAttribute('href'))";

/// Records each message that appears after the playback has cleared the chat, and each remark.
const WATCH_CHAT_SCRIPT: &str = "(window.heard = [], window.remarks = [], \
    new MutationObserver(() => { heard.push(...[...document.querySelectorAll('.msg-body')].map((body) => body.textContent).filter((body) => !heard.includes(body))); }).observe(one('#messages'), { childList: true }), \
    new MutationObserver(() => remarks.push(text('#time-message'))).observe(one('#time-message'), { childList: true }))";

#[tokio::test]
async fn keys_move_the_slider_and_space_bar_plays() {
    let server = server_with_history().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    assert_eq!(page.evaluate("one('#time-slider').getAttribute('aria-valuetext')").await, "Now, live");
    page.evaluate("one('#time-slider').focus()").await;
    page.chrome.press(&[HOME]).await;
    page.wait_until("text('#status').trim() === 'Past' && one('#time-slider').getAttribute('aria-valuetext').endsWith(', past')").await;
    let blank_canvas = server.get("/api/canvas?at=1").await.body;
    page.wait_until_with("same(given)", blank_canvas).await;
    page.chrome.press(&[END]).await;
    assert_shows_live(&page, &server).await;
    page.evaluate("one('#time-slider').focus()").await;
    page.chrome.press(&[LEFT]).await;
    page.wait_until("text('#status').trim() === 'Past'").await;
    page.evaluate("one('#time-play').focus()").await;
    page.chrome.press(&[SPACE]).await;
    // One minute back there are no more events, so the playback reaches the live canvas.
    assert_shows_live(&page, &server).await;
}

#[tokio::test]
async fn all_controls_are_reachable_on_a_small_screen() {
    let server = server_with_history().await;
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    let boxes = page
        .evaluate("['#time-play', '#time-slider', '#time-range', '#time-speed', '#time-chapters', '#time-live'].map((id) => { const { left, right, height } = one(id).getBoundingClientRect(); return [left >= 0 && right <= innerWidth, height >= 44]; })")
        .await;
    assert_eq!(boxes, Value::from(vec![json!([true, true]); 6]));
}

#[tokio::test]
async fn failed_load_of_a_past_point_keeps_the_shown_one() {
    let server = server_with_history().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    page.block_urls(&["*/api/canvas?at=*"]).await;
    move_slider(&page, 0.2).await;
    page.wait_until("text('#time-message').startsWith('This moment did not load')").await;
    page.wait_until("one('#time-slider').value === one('#time-slider').max").await;
    assert_eq!(page.evaluate("text('#canvas-info').startsWith('As it was')").await, false);
    place_and_post(&server.register_agent("Latecomer").await, 20..22).await;
    assert_shows_live(&page, &server).await;

    page.block_urls(&[]).await;
    page.evaluate("location.hash = 'at=14'").await;
    assert_shows_past(&page, &server, 14).await;
    page.block_urls(&["*/api/canvas?at=*"]).await;
    move_slider(&page, 0.1).await;
    page.wait_until("one('#time-slider').value > 0.2 && location.hash === '#at=14'").await;
    assert_shows_past(&page, &server, 14).await;
    assert_eq!(page.evaluate("one('#time-play').title").await, "Play on from here");
}

#[tokio::test]
async fn failed_chat_load_is_repeated_without_later_messages() {
    let server = server_with_history().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    page.block_urls(&["*/api/chat?*at=*"]).await;
    page.evaluate("location.hash = 'at=15'").await;
    page.wait_until("text('#status').trim() === 'Past'").await;
    page.evaluate("(one('#time-speed').value = '180', one('#time-play').click())").await;
    // The rest of the hour has been shown by then, and the playback waits for the next page of chat.
    page.wait_until("one('#time-slider').value > 0.5").await;
    page.evaluate("location.hash = 'at=5'").await;
    page.block_urls(&[]).await;
    assert_shows_past(&page, &server, 5).await;
}

#[tokio::test]
async fn address_is_kept_until_the_timeline_loads() {
    let server = server_with_history().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.block_urls(&["*/api/timeline*"]).await;
    page.ignore_first_view().await;
    page.visit(&server.url("/#at=14")).await;
    assert_eq!(page.evaluate("one('#time').hasAttribute('data-ready')").await, false);
    page.block_urls(&[]).await;
    assert_shows_past(&page, &server, 14).await;
}

#[tokio::test]
async fn point_of_another_season_is_not_drawn() {
    let server = server_with_history().await;
    next_season(&server, 48).await;
    place_and_post(&server.register_agent("Latecomer").await, 20..24).await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    let is_other_season_script = "text('#time-message') === 'That moment belongs to another season.' && shown('#time-message a[href=\"/seasons\"]')";
    page.visit(&server.url("/#at=14")).await;
    page.wait_until(is_other_season_script).await;
    assert_shows_live(&page, &server).await;
    let seq = server.head().await - 2;
    page.evaluate_with("location.hash = `at=${given}`", json!(seq)).await;
    assert_shows_past(&page, &server, seq).await;
    assert_eq!(page.evaluate("text('#time-message')").await, "");
    page.evaluate("location.hash = 'at=14'").await;
    page.wait_until(is_other_season_script).await;
    assert_shows_live(&page, &server).await;
}
