//! The pixel card: its content, its position, and its use by keyboard.

use serde_json::{Value, json};

use super::chrome::Screen;
use super::keyboard::{ENTER, ESCAPE, RIGHT};
use super::page::Page;
use super::support::{Agent, PASSWORD, Server};

const UNLIMITED: [(&str, &str); 5] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "100"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_SYSTEM_MESSAGES", "false"),
];
const MARKUP: &str = "<img src=x onerror=\"document.title='taken'\">";

async fn paint(agent: &Agent<'_>, x: i64, y: i64, color: i64) {
    let reply = agent.paint(x, y, color).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
}

async fn post_intent(agent: &Agent<'_>, content: &str, region: Value) {
    let intent = json!({"type": "intent", "content": content, "region": region, "color_palette": [5]});
    let reply = agent.post("/api/chat", intent).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
}

/// Opens a page with the card of a pixel.
async fn page_with_card(server: &Server, (x, y): (i64, i64), screen: Screen) -> Page {
    let page = Page::open(&server.url(&format!("/#pixel={x}.{y}")), screen).await;
    page.wait_until("shown('#inspect') && shown('#inspect .card-agent')").await;
    page
}

#[tokio::test]
async fn card_shows_painter_message_intents_and_earlier_painters() {
    let server = Server::start_with(&UNLIMITED).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_intent(&bob, "A roof for all of us", json!({"x1": 60, "y1": 60, "x2": 70, "y2": 70})).await;
    post_intent(&bob, "Somewhere else", json!({"x1": 0, "y1": 0, "x2": 9, "y2": 9})).await;
    for color in 0..5 {
        paint(&bob, 65, 64, color).await;
    }
    assert_eq!(ada.post_message(MARKUP).await.status, 201);
    paint(&ada, 65, 64, 5).await;

    let page = page_with_card(&server, (65, 64), Screen::Desktop).await;
    assert_eq!(page.evaluate("text('#inspect-title')").await, "x 65  y 64");
    assert_eq!(page.evaluate("text('#inspect .card-agent')").await, "Ada");
    let profile = page.evaluate("one('#inspect .card-agent a').getAttribute('href')").await;
    assert_eq!(profile, format!("/agents/{}", ada.id));
    assert_eq!(
        page.evaluate("/^Red, (just now|\\d+ seconds ago)/.test(text('#inspect .card-time'))").await,
        true
    );
    assert_eq!(page.evaluate("text('#inspect blockquote')").await, MARKUP, "words stay words");
    assert_ne!(page.evaluate("document.title").await, "taken");
    let intents = page
        .evaluate(
            "[...document.querySelectorAll('#inspect .intents .intent-text')].map((node) => node.textContent)",
        )
        .await;
    assert_eq!(intents, json!(["A roof for all of us"]));
    let history_script = "[...document.querySelectorAll('#inspect .history li')].map((row) => row.querySelector('.name').textContent)";
    assert_eq!(page.evaluate(history_script).await, json!(["Ada", "Bob", "Bob", "Bob", "Bob", "Bob"]));
    assert_eq!(page.evaluate("document.querySelectorAll('#inspect .chips .swatch').length").await, 6);
    page.wait_until("!one('#inspect .older li').checkVisibility()").await;
    page.evaluate("one('#inspect summary').click()").await;
    page.wait_until("one('#inspect .older li').checkVisibility()").await;
}

#[tokio::test]
async fn message_link_opens_the_message_in_the_chat() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.post_message("This is the lantern.").await.status, 201);
    paint(&ada, 65, 64, 5).await;
    for screen in [Screen::Desktop, Screen::Phone] {
        let page = page_with_card(&server, (65, 64), screen).await;
        page.evaluate("one('#inspect .quote .link').click()").await;
        page.wait_until("document.activeElement?.matches('.msg') && text('.msg:focus .msg-body') === 'This is the lantern.'").await;
        // On a phone the card replaces the other sheet.
        assert_eq!(page.evaluate("shown('#inspect')").await, screen == Screen::Desktop);
    }
}

#[tokio::test]
async fn card_updates_and_keeps_the_focus() {
    let server = Server::start_with(&UNLIMITED).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    paint(&ada, 65, 64, 5).await;
    let page = page_with_card(&server, (65, 64), Screen::Desktop).await;
    page.evaluate("one('#inspect [data-focus-key=copy]').focus()").await;
    paint(&bob, 65, 64, 6).await;
    page.wait_until(
        "text('#inspect .card-agent') === 'Bob' && text('#inspect .card-time').startsWith('Orange')",
    )
    .await;
    assert_eq!(page.evaluate("document.activeElement.dataset.focusKey").await, "copy");
    assert_eq!(bob.post_message("Orange, as promised.").await.status, 201);
    page.wait_until("text('#inspect blockquote') === 'Orange, as promised.'").await;
    post_intent(&ada, "Red again soon", json!({"x1": 65, "y1": 64, "x2": 65, "y2": 64})).await;
    page.wait_until("text('#inspect .intents .intent-text') === 'Red again soon'").await;
    assert_eq!(page.evaluate("document.activeElement.dataset.focusKey").await, "copy");
}

#[tokio::test]
async fn open_card_reloads_after_reconnect_and_in_a_new_season() {
    let password = ("CARAPLACE_ADMIN_PASSWORD", PASSWORD);
    let server = Server::start_with(&[UNLIMITED.as_slice(), &[password]].concat()).await;
    paint(&server.register_agent("Ada").await, 65, 64, 5).await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.block_urls(&["*/api/pixel*"]).await;
    page.evaluate("location.hash = 'pixel=65.64'").await;
    page.wait_until("text('#inspect').includes('did not load')").await;
    page.block_urls(&[]).await;
    page.chrome.set_online(false).await;
    page.wait_until("!live()").await;
    page.chrome.set_online(true).await;
    page.wait_until("live() && text('#inspect .card-agent') === 'Ada'").await;

    let operator = server.sign_in_operator().await;
    let season = json!({"after": 1, "title": "Spring", "reason": "it is time"});
    assert_eq!(operator.post("/api/admin/seasons", season).await.status, 201);
    page.wait_until("text('#inspect .card-agent') === 'Not painted yet'").await;
    let smaller_season =
        json!({"after": 2, "title": "Summer", "reason": "it is time", "width": 12, "height": 10});
    assert_eq!(operator.post("/api/admin/seasons", smaller_season).await.status, 201);
    page.wait_until("!shown('#inspect') && text('#season-title') === 'Summer'").await;
}

#[tokio::test]
async fn hidden_messages_disappear_from_card_and_history() {
    let password = ("CARAPLACE_ADMIN_PASSWORD", PASSWORD);
    let server = Server::start_with(&[UNLIMITED.as_slice(), &[password]].concat()).await;
    let ada = server.register_agent("Ada").await;
    let message = ada.post_message("Buy my paint!").await.body;
    paint(&ada, 65, 64, 5).await;
    let seq_before = server.head().await;
    paint(&ada, 3, 3, 5).await;
    let page = page_with_card(&server, (65, 64), Screen::Desktop).await;
    page.evaluate_with("location.hash += `&at=${given}`", json!(seq_before)).await;
    page.wait_until("text('#status').trim() === 'Past' && lines() === 'Buy my paint!'").await;
    page.wait_until("text('#inspect blockquote') === 'Buy my paint!'").await;
    let operator = server.sign_in_operator().await;
    let message_path = format!("/api/admin/messages/{}", message["message"]["id"].as_str().unwrap());
    let reason = json!({"reason": "an advertisement"});
    assert_eq!(operator.post(&format!("{message_path}/hide"), reason.clone()).await.status, 200);
    page.wait_until("lines() === '' && shown('#inspect .card-agent') && !one('#inspect blockquote')").await;
    assert_eq!(page.evaluate("text('#status').trim()").await, "Past");
    assert_eq!(operator.post(&format!("{message_path}/restore"), reason).await.status, 200);
    page.wait_until("text('#inspect blockquote') === 'Buy my paint!'").await;
}

#[tokio::test]
async fn card_never_covers_its_pixel() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.post_message(&"A long tale about a short stroke. ".repeat(8)).await.status, 201);
    let points = [(0, 0), (127, 0), (0, 127), (127, 127), (64, 64), (70, 20), (64, 120)];
    for (x, y) in points {
        paint(&ada, x, y, 5).await;
    }
    for screen in [Screen::Desktop, Screen::Phone] {
        let page = page_with_card(&server, (0, 0), screen).await;
        for (x, y) in points {
            page.evaluate_with("location.hash = `pixel=${given.x}.${given.y}`", json!({"x": x, "y": y}))
                .await;
            page.wait_until_with(
                "text('#inspect-title') === given && shown('#inspect .quote')",
                json!(format!("x {x}  y {y}")),
            )
            .await;
            let covered = page.evaluate_with(IS_COVERED_SCRIPT, json!({"x": x, "y": y})).await;
            assert_eq!(covered, false, "{x}, {y} lies under the card");
            assert_eq!(page.evaluate("outside('#inspect, #inspect *')").await, json!([]));
        }
    }
}

/// True if the centre of a pixel is below the card while the whole canvas is in view.
const IS_COVERED_SCRIPT: &str = "(() => {
    const [art, card] = ['#pixels', '#inspect'].map((name) => one(name).getBoundingClientRect());
    const x = art.left + (given.x + 0.5) * art.width / 128;
    const y = art.top + (given.y + 0.5) * art.height / 128;
    return x >= card.left && x <= card.right && y >= card.top && y <= card.bottom;
})()";

#[tokio::test]
async fn card_stays_put_where_it_must_cover_the_pixel() {
    let server = Server::start_with(&UNLIMITED).await;
    paint(&server.register_agent("Ada").await, 65, 64, 5).await;
    let page = page_with_card(&server, (65, 64), Screen::Phone).await;
    // On such a low screen the sheet covers the pixel at either edge.
    page.chrome.emulate_screen(390, 420, true).await;
    let mut edges = Vec::new();
    for zoom in 20..26 {
        page.evaluate_with("location.hash = `x=65&y=64&z=${given}`", json!(zoom)).await;
        page.wait_until_with("text('#zoom-level') === `${given}×`", json!(zoom)).await;
        page.wait_for_paint().await;
        assert_eq!(page.evaluate("shown('#inspect')").await, true);
        edges.push(page.evaluate("one('#inspect').dataset.edge ?? 'bottom'").await);
    }
    edges.dedup();
    assert_eq!(edges.len(), 1, "{edges:?}");
}

#[tokio::test]
async fn name_opens_agent_card_and_highlights_its_pixels() {
    let server = Server::start_with(&UNLIMITED).await;
    let body = json!({"name": "Ada", "description": MARKUP, "model": "abacus"});
    let reply = server.post("/api/agents/register", body).await;
    let field = |name: &str| reply.body["agent"][name].as_str().unwrap().to_owned();
    let (ada, bob) = (
        Agent { server: &server, id: field("id"), key: field("api_key") },
        server.register_agent("Bob").await,
    );
    paint(&ada, 65, 64, 4).await;
    paint(&bob, 65, 64, 5).await;
    paint(&ada, 3, 3, 5).await;
    let page = page_with_card(&server, (65, 64), Screen::Desktop).await;
    page.evaluate("one('#inspect [data-focus-key=owner-1]').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("text('#inspect-title') === 'Painter' && text('#inspect .card-agent') === 'Ada'").await;
    page.wait_until_with("location.hash.includes(`agent=${given}`)", json!(ada.id)).await;
    assert_eq!(page.evaluate("text('#inspect .description')").await, MARKUP, "words stay words");
    assert_eq!(page.evaluate("text('#inspect .agent-facts').startsWith('Pixels placed2')").await, true);
    assert_eq!(
        page.evaluate("one('#inspect [data-focus-key=highlight]').getAttribute('aria-pressed')").await,
        "true"
    );
    page.evaluate("one('#inspect [data-focus-key=highlight]').click()").await;
    page.wait_until("!location.hash.includes('agent=')").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('#inspect')").await;
}

#[tokio::test]
async fn address_and_card_show_when_the_highlight_ends() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    paint(&ada, 65, 64, 4).await;
    let page = page_with_card(&server, (65, 64), Screen::Desktop).await;
    let is_highlighted =
        "location.hash.includes('agent=') && one('[data-focus-key=highlight]').ariaPressed === 'true'";
    let is_not_highlighted =
        "!location.hash.includes('agent=') && one('[data-focus-key=highlight]').ariaPressed === 'false'";
    let highlight = async || {
        page.evaluate("one('[data-focus-key=highlight]').click()").await;
        page.wait_until(&format!("{is_highlighted} && shown('.chip')")).await;
    };
    highlight().await;
    page.evaluate("choose('#lens', 'age')").await;
    page.wait_until(&format!("{is_not_highlighted} && text('#legend').startsWith('now')")).await;
    highlight().await;
    page.evaluate("one('.chip button').click()").await;
    page.wait_until(is_not_highlighted).await;
    page.chrome.devtools("Network.enable", json!({})).await;
    page.chrome.devtools("Network.setBlockedURLs", json!({"urls": ["*/api/canvas/heat*"]})).await;
    page.evaluate("one('[data-focus-key=highlight]').click()").await;
    page.wait_until(&format!(
        "{is_not_highlighted} && text('#legend') === 'This lens did not load. Choose it again to retry.'"
    ))
    .await;
}

#[tokio::test]
async fn escape_closes_the_card_and_restores_focus() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    // One step right of the centre, where the arrow keys start.
    paint(&ada, 65, 64, 5).await;
    assert_eq!(ada.post_message("Hello from the middle.").await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.evaluate("one('#pixels').focus()").await;
    page.chrome.press(&[RIGHT]).await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("text('#inspect .card-agent') === 'Ada'").await;
    assert_eq!(page.evaluate("focused()").await, "pixels", "arrows go on from pixel to pixel");
    page.evaluate("one('#inspect .icon-button').focus()").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('#inspect') && focused() === 'pixels'").await;
    // A card that was opened from the chat returns the focus to it.
    page.evaluate("one('.msg .author').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("text('#inspect .card-agent') === 'Ada' && focused() === 'inspect'").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('#inspect') && document.activeElement.matches('.msg .author')").await;
}

#[tokio::test]
async fn a_copied_link_leads_to_the_pixel_and_opens_its_card() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    paint(&ada, 9, 100, 5).await;
    let page = page_with_card(&server, (9, 100), Screen::Desktop).await;
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }").await;
    let button = "#inspect [data-focus-key=copy]";
    page.click_and_wait_until(button, &format!("window.copied && text('{button}') === 'Copied'")).await;
    let link = page.evaluate("window.copied").await;
    page.chrome.goto("about:blank").await;
    page.chrome.goto(link.as_str().unwrap()).await;
    page.wait_until("text('#inspect .card-agent') === 'Ada' && one('#pixels').hasAttribute('data-zoomed')")
        .await;
    page.evaluate("one('#inspect .icon-button').click()").await;
    page.wait_until("!location.hash.includes('pixel')").await;
}
