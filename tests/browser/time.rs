//! The bar of time: any moment of the season, played on from there, and now again as it is by then.

use std::ops::Range;

use serde_json::{Value, json};

use super::chrome::Screen;
use super::page::Page;
use super::support::{Agent, PASSWORD, Server};
use super::world::next_season;

const SPACE: char = ' ';
const LEFT: char = '\u{e012}';
const END: char = '\u{e010}';
const HOME: char = '\u{e011}';

/// Three hours in which an agent paints and talks now and then.
async fn season() -> Server {
    let server = Server::with(&[
        ("CARAPLACE_CHARGE_SECONDS", "0"),
        ("CARAPLACE_MESSAGE_SECONDS", "0"),
        ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
        ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ])
    .await;
    let agent = server.agent("Brushtail").await;
    for hour in 0..3 {
        live(&agent, hour * 6..hour * 6 + 6).await;
        server.wait(3600);
    }
    live(&agent, 18..20).await;
    server
}

/// One pixel and one line for each of these numbers.
async fn live(agent: &Agent<'_>, steps: Range<i64>) {
    for step in steps {
        assert_eq!(agent.paint(10 + step, 20 + step, 1 + step % 15).await.status, 201);
        let said = agent.say(&format!("Line {step}.")).await;
        assert_eq!(said.status, 201, "{}", said.body);
    }
}

async fn shows_moment(page: &Page, server: &Server, seq: i64) {
    let canvas = server.get(&format!("/api/canvas?at={seq}")).await.body;
    page.until_with("same(given)", canvas).await;
    let chat = server.get(&format!("/api/chat?at={seq}")).await.body;
    page.until_with("lines() === given.messages.map(({ content }) => content).join()", chat).await;
    assert_eq!(page.ask("text('#status').trim()").await, "Past");
    assert_eq!(page.ask("live()").await, false);
}

async fn shows_now(page: &Page, server: &Server) {
    page.until("live() && text('#status').trim() === 'Live' && !one('#time').hasAttribute('data-past')")
        .await;
    page.until_with("same(given)", server.get("/api/canvas").await.body).await;
    let chat = server.get("/api/chat").await.body;
    page.until_with("lines() === given.messages.map(({ content }) => content).join()", chat).await;
    assert_eq!(page.ask("location.hash").await, "");
}

/// Moves the slider to a share of the season, as a hand does.
async fn scrub(page: &Page, to: f64) {
    let script = "(one('#time-slider').value = given, one('#time-slider').dispatchEvent(new Event('input')))";
    page.ask_about(script, json!(to)).await;
}

#[tokio::test]
async fn seq_in_address_shows_that_point_and_live_button_returns() {
    let server = season().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("one('#time').hasAttribute('data-ready')").await;
    page.ask("location.hash = 'at=14'").await;
    shows_moment(&page, &server, 14).await;
    assert_eq!(
        page.ask("one('#stage').hasAttribute('data-past') && text('#medium').startsWith('As it was')").await,
        true
    );
    assert_eq!(page.ask("text('#fact-watching')").await, "–");
    assert_eq!(page.ask(DOWNLOAD).await, "/api/canvas.png?scale=8&at=14");
    page.ask("location.hash = 'at=3'").await;
    shows_moment(&page, &server, 3).await;
    page.ask("location.hash = 'at=1'").await;
    shows_moment(&page, &server, 1).await;

    // What happens meanwhile is counted, not shown, and is there at once on the way back.
    let agent = server.agent("Latecomer").await;
    live(&agent, 20..23).await;
    page.until("text('#time-missed') === '+3'").await;
    shows_moment(&page, &server, 1).await;
    page.ask("one('#time-live').click()").await;
    shows_now(&page, &server).await;
    assert_eq!(page.ask("text('#medium').startsWith('Sixteen colours')").await, true);
    assert_eq!(page.ask(DOWNLOAD).await, "/api/canvas.png?scale=8");
    live(&agent, 23..25).await;
    shows_now(&page, &server).await;
}

#[tokio::test]
async fn address_opens_in_the_past_and_slider_moves_freely() {
    let server = season().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.chrome.goto("about:blank").await;
    page.chrome.goto(&server.url("/#at=20")).await;
    page.until("text('#status').trim() === 'Past'").await;
    shows_moment(&page, &server, 20).await;
    let mut seen = Vec::new();
    for share in [0.8, 0.2, 0.5] {
        scrub(&page, share).await;
        page.until_with(
            "location.hash !== given && /^#at=\\d+$/.test(location.hash)",
            page.ask("location.hash").await,
        )
        .await;
        let hash = page.ask("location.hash").await;
        let seq = hash.as_str().and_then(|hash| hash.strip_prefix("#at=")).and_then(|seq| seq.parse().ok());
        seen.push(seq.unwrap());
        shows_moment(&page, &server, seq.unwrap()).await;
    }
    assert!(seen[0] > seen[2] && seen[2] > seen[1], "{seen:?}");
    scrub(&page, 1.0).await;
    shows_now(&page, &server).await;
}

#[tokio::test]
async fn season_plays_to_now_with_chat_in_sync() {
    let server = season().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("one('#time').hasAttribute('data-ready')").await;
    page.ask(WATCH_CHAT).await;
    page.ask("(one('#time-speed').value = '1000', one('#time-play').click())").await;
    page.until("remarks.some((remark) => remark.startsWith('Skipped'))").await;
    let agent = server.agent("Latecomer").await;
    live(&agent, 20..22).await;
    shows_now(&page, &server).await;
    let said = page.ask("heard").await;
    let lines: Vec<_> = (0..22).map(|step| format!("Line {step}.")).collect();
    let heard: Vec<String> = serde_json::from_value(said).unwrap();
    let first: Vec<_> = heard.iter().filter(|line| line.starts_with("Line")).cloned().collect();
    assert_eq!(first, lines);
}

/// Where the picture for download comes from, once a finger is on it.
const DOWNLOAD: &str =
    "(one('#download').dispatchEvent(new Event('pointerdown')), one('#download').getAttribute('href'))";

/// Writes down each line of chat when it first comes after the play has emptied the chat, and each remark.
const WATCH_CHAT: &str = "(window.heard = [], window.remarks = [], \
    new MutationObserver(() => { heard.push(...[...document.querySelectorAll('.msg-body')].map((body) => body.textContent).filter((body) => !heard.includes(body))); }).observe(one('#messages'), { childList: true }), \
    new MutationObserver(() => remarks.push(text('#time-remark'))).observe(one('#time-remark'), { childList: true }))";

#[tokio::test]
async fn keys_move_the_slider_and_space_bar_plays() {
    let server = season().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("one('#time').hasAttribute('data-ready')").await;
    assert_eq!(page.ask("one('#time-slider').getAttribute('aria-valuetext')").await, "Now, live");
    page.ask("one('#time-slider').focus()").await;
    page.chrome.press(&[HOME]).await;
    page.until("text('#status').trim() === 'Past' && one('#time-slider').getAttribute('aria-valuetext').endsWith(', past')").await;
    let blank = server.get("/api/canvas?at=1").await.body;
    page.until_with("same(given)", blank).await;
    page.chrome.press(&[END]).await;
    shows_now(&page, &server).await;
    page.ask("one('#time-slider').focus()").await;
    page.chrome.press(&[LEFT]).await;
    page.until("text('#status').trim() === 'Past'").await;
    page.ask("one('#time-play').focus()").await;
    page.chrome.press(&[SPACE]).await;
    // A minute back, and nothing left to tell: now is reached.
    shows_now(&page, &server).await;
}

#[tokio::test]
async fn all_controls_are_reachable_on_a_small_screen() {
    let server = season().await;
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    page.until("one('#time').hasAttribute('data-ready')").await;
    let boxes = page
        .ask("['#time-play', '#time-slider', '#time-speed', '#time-live'].map((id) => { const { left, right, height } = one(id).getBoundingClientRect(); return [left >= 0 && right <= innerWidth, height >= 44]; })")
        .await;
    assert_eq!(boxes, Value::from(vec![json!([true, true]); 4]));
}

#[tokio::test]
async fn failed_load_of_a_past_point_keeps_the_shown_one() {
    let server = season().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("one('#time').hasAttribute('data-ready')").await;
    page.cut(&["*/api/canvas?at=*"]).await;
    scrub(&page, 0.2).await;
    page.until("text('#time-remark').startsWith('This moment cannot be shown')").await;
    page.until("one('#time-slider').value === one('#time-slider').max").await;
    assert_eq!(page.ask("text('#medium').startsWith('As it was')").await, false);
    live(&server.agent("Latecomer").await, 20..22).await;
    shows_now(&page, &server).await;

    page.cut(&[]).await;
    page.ask("location.hash = 'at=14'").await;
    shows_moment(&page, &server, 14).await;
    page.cut(&["*/api/canvas?at=*"]).await;
    scrub(&page, 0.1).await;
    page.until("one('#time-slider').value > 0.2 && location.hash === '#at=14'").await;
    shows_moment(&page, &server, 14).await;
    assert_eq!(page.ask("one('#time-play').getAttribute('aria-label')").await, "Play on from here");
}

#[tokio::test]
async fn failed_chat_load_is_repeated_without_later_messages() {
    let server = season().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("one('#time').hasAttribute('data-ready')").await;
    page.cut(&["*/api/chat?*at=*"]).await;
    page.ask("location.hash = 'at=15'").await;
    page.until("text('#status').trim() === 'Past'").await;
    page.ask("(one('#time-speed').value = '1', one('#time-play').click())").await;
    // The rest of the hour has been told by then, and waits for the page of chat that it goes on from.
    page.until("one('#time-slider').value > 0.5").await;
    page.ask("location.hash = 'at=5'").await;
    page.cut(&[]).await;
    shows_moment(&page, &server, 5).await;
}

#[tokio::test]
async fn address_is_kept_until_the_timeline_loads() {
    let server = season().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.cut(&["*/api/timeline*"]).await;
    page.visit(&server.url("/#at=14")).await;
    assert_eq!(page.ask("one('#time').hasAttribute('data-ready')").await, false);
    page.cut(&[]).await;
    shows_moment(&page, &server, 14).await;
}

#[tokio::test]
async fn past_shows_paint_even_if_another_view_is_selected() {
    let server = season().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("one('#time').hasAttribute('data-ready')").await;
    page.ask("location.hash = 'at=14'").await;
    shows_moment(&page, &server, 14).await;
    page.ask("choose('#look', 'painter')").await;
    page.until("one('#look').disabled").await;
    page.settle().await;
    shows_moment(&page, &server, 14).await;
    page.ask("one('#time-live').click()").await;
    page.until("live() && !one('#look').disabled && shown('#legend')").await;
}

#[tokio::test]
async fn point_of_another_season_is_not_drawn() {
    let server = season().await;
    next_season(&server, 48).await;
    live(&server.agent("Latecomer").await, 20..24).await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    let elsewhere = "text('#time-remark') === 'That moment belongs to another season.' && shown('#time-remark a[href=\"/seasons\"]')";
    page.visit(&server.url("/#at=14")).await;
    page.until(elsewhere).await;
    shows_now(&page, &server).await;
    let seq = server.head().await - 2;
    page.ask_about("location.hash = `at=${given}`", json!(seq)).await;
    shows_moment(&page, &server, seq).await;
    assert_eq!(page.ask("text('#time-remark')").await, "");
    page.ask("location.hash = 'at=14'").await;
    page.until(elsewhere).await;
    shows_now(&page, &server).await;
}
