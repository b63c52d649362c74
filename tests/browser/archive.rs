//! The page of a season that has ended: its canvas, chat, time bar and cards, and nothing of the present one.

use serde_json::{Value, json};

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::fixtures::{UNLIMITED, next_season};
use super::page::Page;
use super::support::{Agent, Server};

const END: char = '\u{e010}';
const HOME: char = '\u{e011}';
const LEFT: char = '\u{e012}';
/// The number of messages in the ended season, more than three pages have.
const LINES: i64 = 170;

/// A server whose first season, of 128 × 128 pixels, has ended; the second has 48 × 48.
struct Ended {
    server: Server,
    /// The last event of the first season.
    last: i64,
    /// The first message.
    first_message: String,
}

async fn ended_season() -> Ended {
    let server = Server::start_with(&UNLIMITED).await;
    let (quokka, brushtail) =
        (server.register_agent("quokka.7").await, server.register_agent("Brushtail").await);
    for hour in 0..3 {
        paint_row(&quokka, hour * 10, 3).await;
        server.advance_clock(3_600);
        paint_row(&brushtail, hour * 10 + 5, 5).await;
    }
    assert_eq!(brushtail.paint(100, 0, 8).await.status, 201);
    let first_message = quokka.post_message("Line 0.").await.body["message"]["id"].clone();
    for line in 1..LINES {
        assert_eq!(quokka.post_message(&format!("Line {line}.")).await.status, 201);
    }
    server.advance_clock(3_600);
    assert_eq!(quokka.paint(120, 120, 12).await.status, 201);
    let last = server.head().await;
    next_season(&server, 48).await;
    paint_row(&quokka, 5, 13).await;
    assert_eq!(quokka.post_message("In the new season.").await.status, 201);
    let first_message = first_message.as_str().unwrap().to_owned();
    Ended { server, last, first_message }
}

/// Paints ten pixels on each of two rows.
async fn paint_row(agent: &Agent<'_>, top: i64, color: i64) {
    let cell = |at: i64| json!({"x": 20 + at % 10, "y": top + at / 10, "color": color + at % 3});
    let pixels: Vec<_> = (0..20).map(cell).collect();
    let body = json!({"pixels": pixels, "chat_digest": agent.server.digest().await});
    let reply = agent.post("/api/pixels", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
}

/// Opens the page of the first season.
async fn open_archive(ended: &Ended, screen: Screen, suffix: &str) -> Page {
    let page = Page { chrome: Chrome::start(screen).await };
    page.visit(&ended.server.url(&format!("/seasons/1{suffix}"))).await;
    page
}

async fn assert_shows_end(page: &Page, ended: &Ended) {
    page.wait_until("one('#status').dataset.state === 'ended' && !one('#time').hasAttribute('data-past')")
        .await;
    let canvas = ended.server.get(&format!("/api/canvas?at={}", ended.last)).await.body;
    page.wait_until_with("same(given)", canvas).await;
    let chat = ended.server.get("/api/chat?season=1").await.body;
    page.wait_until_with("lines() === given.messages.map(({ content }) => content).join()", chat).await;
}

async fn assert_shows_moment(page: &Page, ended: &Ended, seq: i64) {
    let canvas = ended.server.get(&format!("/api/canvas?at={seq}")).await.body;
    page.wait_until_with("same(given)", canvas).await;
    let chat = ended.server.get(&format!("/api/chat?season=1&at={seq}")).await.body;
    page.wait_until_with("lines() === given.messages.map(({ content }) => content).join()", chat).await;
    page.wait_until(
        "one('#status').dataset.state === 'past' && text('#canvas-info').startsWith('As it was')",
    )
    .await;
}

#[tokio::test]
async fn ended_season_has_its_canvas_its_chat_and_its_facts() {
    let ended = ended_season().await;
    let page = open_archive(&ended, Screen::Desktop, "").await;
    assert_shows_end(&page, &ended).await;
    assert_eq!(page.evaluate("text('#status').trim()").await, "Ended");
    assert_eq!(page.evaluate("text('.intro p').startsWith('This season has ended.')").await, true);
    assert_eq!(page.evaluate("text('#season-title')").await, "Season 1");
    let facts = "[...document.querySelectorAll('.title-card dt')].map((name) => [name.textContent, name.nextElementSibling.textContent.trim() !== ''])";
    let named = ["Opened", "Ended", "Pixels placed", "Messages"].map(|name| json!([name, true]));
    assert_eq!(page.evaluate(facts).await, json!(named));
    assert_eq!(
        page.evaluate("[text('#fact-pixels'), one('#painters').children.length]").await,
        json!(["122", 2])
    );
    assert_eq!(page.evaluate("text('#painters li:first-child .name')").await, "Brushtail");
    assert_eq!(page.evaluate("!!one('textarea, form, #pass, #notify')").await, false, "nobody can write");
    assert_eq!(page.evaluate("!!one('#follow')").await, false, "there are no latest pixels");
    let download =
        "(one('#download').dispatchEvent(new Event('pointerdown')), one('#download').getAttribute('href'))";
    assert_eq!(page.evaluate(download).await, format!("/api/canvas.png?scale=8&at={}", ended.last));

    // The whole chat, to the first message.
    page.wait_until("(one('#log').scrollTop = 0, text('#log-start') === 'Start of the chat')").await;
    let expected: Vec<_> = (0..LINES).map(|line| format!("Line {line}.")).collect();
    page.wait_until_with("lines() === given.join()", json!(expected)).await;

    // Every request is about this season, and there is no stream.
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    let requests = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name.replace(location.origin, '')).filter((path) => path.startsWith('/api/'))").await;
    let requests: Vec<String> = serde_json::from_value(requests).unwrap();
    let at_end = format!("/api/canvas?at={}", ended.last);
    let is_of_season = |path: &String| {
        path.contains("season=1")
            || path.starts_with("/api/seasons/1/")
            || *path == at_end
            || path.starts_with("/api/agents/")
    };
    assert!(requests.iter().all(is_of_season) && requests.len() > 3, "{requests:#?}");
}

#[tokio::test]
async fn time_bar_spans_the_season() {
    let ended = ended_season().await;
    let page = open_archive(&ended, Screen::Desktop, "").await;
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    let spoken = "one('#time-slider').getAttribute('aria-valuetext')";
    assert_eq!(page.evaluate(spoken).await, "End of the season");
    assert_eq!(page.evaluate("text('#time-live').trim()").await, "End");
    page.evaluate("one('#time-slider').focus()").await;
    page.chrome.press(&[HOME]).await;
    assert_shows_moment(&page, &ended, 1).await;
    page.evaluate("location.hash = 'at=50'").await;
    assert_shows_moment(&page, &ended, 50).await;
    assert_eq!(
        page.evaluate("[text('#fact-pixels').startsWith('about '), text('#painters-title')]").await,
        json!([true, "Painted then"])
    );
    page.wait_until("[...document.querySelectorAll('.painters ol:not([hidden]) .name')].map((name) => name.textContent).join() === 'quokka.7,Brushtail'").await;
    page.evaluate("one('#time-slider').focus()").await;
    page.chrome.press(&[END]).await;
    assert_shows_end(&page, &ended).await;
    assert_eq!(
        page.evaluate("[text('#fact-pixels'), text('#painters-title')]").await,
        json!(["122", "Top agents"])
    );
    page.chrome.press(&[LEFT]).await;
    page.wait_until("one('#status').dataset.state === 'past'").await;

    // Playing on from there ends with the season, not with the present.
    page.evaluate("(one('#time-speed').value = '10', one('#time-play').click())").await;
    assert_shows_end(&page, &ended).await;
    // A moment of another season is not drawn.
    page.evaluate_with("location.hash = `at=${given}`", json!(ended.last + 3)).await;
    page.wait_until("text('#time-message') === 'That moment belongs to another season.'").await;
    assert_shows_end(&page, &ended).await;
}

#[tokio::test]
async fn link_opens_a_moment_a_pixel_or_an_old_message() {
    let ended = ended_season().await;
    let page = open_archive(&ended, Screen::Desktop, "#at=45").await;
    assert_shows_moment(&page, &ended, 45).await;
    page.visit(&ended.server.url(&format!("/seasons/1?message={}", ended.first_message))).await;
    page.wait_until("text('.msg:focus .msg-body') === 'Line 0.'").await;
    page.visit(&ended.server.url("/seasons/1#x=21&y=0&z=20&pixel=21.0")).await;
    page.wait_until("shown('#inspect .card-agent .name') && text('#zoom-level') === '20×'").await;
    assert_eq!(page.evaluate("text('#inspect .card-agent .name')").await, "quokka.7");
}

#[tokio::test]
async fn cards_and_lenses_show_the_end_of_the_season() {
    let ended = ended_season().await;
    // In the present season, quokka.7 has painted this pixel, and it has another colour.
    let page = open_archive(&ended, Screen::Desktop, "#pixel=21.6").await;
    page.wait_until("shown('#inspect .card-agent .name')").await;
    assert_eq!(page.evaluate("text('#inspect .card-agent .name')").await, "Brushtail");
    assert_eq!(page.evaluate("!!one('[data-focus-key=report]')").await, false, "a report is about today");
    page.evaluate("one('[data-focus-key=highlight]').click()").await;
    page.wait_until("shown('#legend[data-agent]') && /^61 pixels of /.test(text('#legend'))").await;
    page.evaluate("choose('#lens', 'painter')").await;
    page.wait_until("text('.legend-button') === '2 painters'").await;
    page.evaluate("one('.legend-button').click()").await;
    page.wait_until(
        "text('#painter-list').includes('Brushtail') && text('#painter-list').includes('quokka.7')",
    )
    .await;
    page.evaluate("choose('#lens', 'age')").await;
    page.wait_until(
        "text('#legend').startsWith('the end') && text('#legend').endsWith('hours before the end')",
    )
    .await;
    page.evaluate("choose('#lens', 'contested')").await;
    page.wait_until("text('#legend').startsWith('1 placement')").await;
}

#[tokio::test]
async fn page_recovers_from_a_failed_load() {
    let ended = ended_season().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.block_urls(&["*/api/canvas?at=*"]).await;
    page.chrome.goto(&ended.server.url("/seasons/1")).await;
    page.wait_until("shown('#notice') && text('#notice-text') === 'The canvas of this season did not load.'")
        .await;
    page.block_urls(&[]).await;
    page.evaluate("one('#retry').click()").await;
    assert_shows_end(&page, &ended).await;
    assert_eq!(page.evaluate("shown('#notice')").await, false);
}

#[tokio::test]
async fn works_on_a_phone_and_for_everyone() {
    let ended = ended_season().await;
    let page = Page { chrome: Chrome::start(Screen::Phone).await };
    install_axe(&page.chrome).await;
    page.visit(&ended.server.url("/seasons/1")).await;
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    let boxes = page
        .evaluate("['#time-play', '#time-slider', '#time-range', '#time-speed', '#time-chapters', '#time-live'].map((id) => { const { left, right, height } = one(id).getBoundingClientRect(); return [left >= 0 && right <= innerWidth, height >= 44]; })")
        .await;
    assert_eq!(boxes, Value::from(vec![json!([true, true]); 6]));
    let heights = "[...document.querySelectorAll('.painters a')].map((link) => link.getBoundingClientRect().height >= 44)";
    assert_eq!(page.evaluate(heights).await, json!([true, true]), "the top agents");
    assert_accessible(&page, "ended season on a phone").await;
    page.evaluate("one('#sheet-toggle[aria-expanded=false]').click()").await;
    page.wait_until("shown('.msg')").await;
    assert_accessible(&page, "its chat").await;
    page.chrome.emulate_screen(1440, 900, false).await;
    page.visit(&ended.server.url("/seasons/1#at=50")).await;
    page.wait_until("one('#status').dataset.state === 'past'").await;
    assert_accessible(&page, "a moment of an ended season").await;
    page.visit(&ended.server.url("/seasons/1#pixel=21.6")).await;
    page.wait_until("shown('#inspect .card-agent .name')").await;
    assert_accessible(&page, "a pixel of an ended season").await;
}
