//! The card: what it tells of a pixel and of a painter, where it lies, and that keys alone are enough.

use serde_json::{Value, json};

use super::chrome::Screen;
use super::keyboard::{ENTER, ESCAPE, RIGHT};
use super::page::Page;
use super::support::{Agent, PASSWORD, Server};

const FREE: [(&str, &str); 5] = [
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

async fn plan(agent: &Agent<'_>, content: &str, region: Value) {
    let said = json!({"type": "intent", "content": content, "region": region, "color_palette": [5]});
    let reply = agent.post("/api/chat", said).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
}

/// A page on which the card of a pixel is open.
async fn opened(server: &Server, (x, y): (i64, i64), screen: Screen) -> Page {
    let page = Page::open(&server.url(&format!("/#pixel={x}.{y}")), screen).await;
    page.until("shown('#inspect') && shown('#inspect .who')").await;
    page
}

#[tokio::test]
async fn card_shows_painter_message_intents_and_earlier_painters() {
    let server = Server::with(&FREE).await;
    let (ada, bob) = (server.agent("Ada").await, server.agent("Bob").await);
    plan(&bob, "A roof for all of us", json!({"x1": 60, "y1": 60, "x2": 70, "y2": 70})).await;
    plan(&bob, "Somewhere else", json!({"x1": 0, "y1": 0, "x2": 9, "y2": 9})).await;
    for color in 0..5 {
        paint(&bob, 65, 64, color).await;
    }
    assert_eq!(ada.say(MARKUP).await.status, 201);
    paint(&ada, 65, 64, 5).await;

    let page = opened(&server, (65, 64), Screen::Desk).await;
    assert_eq!(page.ask("text('#inspect-title')").await, "x 65  y 64");
    assert_eq!(page.ask("text('#inspect .who')").await, "Ada");
    let profile = page.ask("one('#inspect .who a').getAttribute('href')").await;
    assert_eq!(profile, format!("/agents/{}", ada.id));
    assert_eq!(page.ask("text('#inspect .when').startsWith('Red, just now')").await, true);
    assert_eq!(page.ask("text('#inspect blockquote')").await, MARKUP, "words stay words");
    assert_ne!(page.ask("document.title").await, "taken");
    let plans = page
        .ask("[...document.querySelectorAll('#inspect .plans .words')].map((node) => node.textContent)")
        .await;
    assert_eq!(plans, json!(["A roof for all of us"]));
    let before = "[...document.querySelectorAll('#inspect .before li')].map((row) => row.querySelector('.name').textContent)";
    assert_eq!(page.ask(before).await, json!(["Ada", "Bob", "Bob", "Bob", "Bob", "Bob"]));
    assert_eq!(page.ask("document.querySelectorAll('#inspect .chips .swatch').length").await, 6);
    page.until("!one('#inspect .rest li').checkVisibility()").await;
    page.ask("one('#inspect summary').click()").await;
    page.until("one('#inspect .rest li').checkVisibility()").await;
}

#[tokio::test]
async fn message_link_opens_the_message_in_the_chat() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    assert_eq!(ada.say("This is the lantern.").await.status, 201);
    paint(&ada, 65, 64, 5).await;
    for screen in [Screen::Desk, Screen::Phone] {
        let page = opened(&server, (65, 64), screen).await;
        page.ask("one('#inspect .said .link').click()").await;
        page.until("document.activeElement?.matches('.msg') && text('.msg:focus .msg-body') === 'This is the lantern.'").await;
        // One sheet at a time: on a phone the card makes room.
        assert_eq!(page.ask("shown('#inspect')").await, screen == Screen::Desk);
    }
}

#[tokio::test]
async fn card_updates_and_keeps_the_focus() {
    let server = Server::with(&FREE).await;
    let (ada, bob) = (server.agent("Ada").await, server.agent("Bob").await);
    paint(&ada, 65, 64, 5).await;
    let page = opened(&server, (65, 64), Screen::Desk).await;
    page.ask("one('#inspect [data-key=copy]').focus()").await;
    paint(&bob, 65, 64, 6).await;
    page.until("text('#inspect .who') === 'Bob' && text('#inspect .when').startsWith('Orange')").await;
    assert_eq!(page.ask("document.activeElement.dataset.key").await, "copy");
    assert_eq!(bob.say("Orange, as promised.").await.status, 201);
    page.until("text('#inspect blockquote') === 'Orange, as promised.'").await;
    plan(&ada, "Red again soon", json!({"x1": 65, "y1": 64, "x2": 65, "y2": 64})).await;
    page.until("text('#inspect .plans .words') === 'Red again soon'").await;
    assert_eq!(page.ask("document.activeElement.dataset.key").await, "copy");
}

#[tokio::test]
async fn open_card_reloads_after_reconnect_and_in_a_new_season() {
    let password = ("CARAPLACE_ADMIN_PASSWORD", PASSWORD);
    let server = Server::with(&[FREE.as_slice(), &[password]].concat()).await;
    paint(&server.agent("Ada").await, 65, 64, 5).await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.cut(&["*/api/pixel*"]).await;
    page.ask("location.hash = 'pixel=65.64'").await;
    page.until("text('#inspect').includes('cannot be looked up')").await;
    page.cut(&[]).await;
    page.chrome.online(false).await;
    page.until("!live()").await;
    page.chrome.online(true).await;
    page.until("live() && text('#inspect .who') === 'Ada'").await;

    let office = server.operator().await;
    let season = json!({"after": 1, "title": "Spring", "why": "it is time"});
    assert_eq!(office.post("/api/admin/seasons", season).await.status, 201);
    page.until("text('#inspect .who') === 'Bare canvas'").await;
    let smaller = json!({"after": 2, "title": "Summer", "why": "it is time", "width": 12, "height": 10});
    assert_eq!(office.post("/api/admin/seasons", smaller).await.status, 201);
    page.until("!shown('#inspect') && text('#season-title') === 'Summer'").await;
}

#[tokio::test]
async fn hidden_messages_disappear_from_card_and_history() {
    let password = ("CARAPLACE_ADMIN_PASSWORD", PASSWORD);
    let server = Server::with(&[FREE.as_slice(), &[password]].concat()).await;
    let ada = server.agent("Ada").await;
    let said = ada.say("Buy my paint!").await.body;
    paint(&ada, 65, 64, 5).await;
    let then = server.head().await;
    paint(&ada, 3, 3, 5).await;
    let page = opened(&server, (65, 64), Screen::Desk).await;
    page.ask_about("location.hash += `&at=${given}`", json!(then)).await;
    page.until("text('#status').trim() === 'Past' && lines() === 'Buy my paint!'").await;
    page.until("text('#inspect blockquote') === 'Buy my paint!'").await;
    let office = server.operator().await;
    let message = format!("/api/admin/messages/{}", said["message"]["id"].as_str().unwrap());
    let why = json!({"why": "an advertisement"});
    assert_eq!(office.post(&format!("{message}/hide"), why.clone()).await.status, 200);
    page.until("lines() === '' && shown('#inspect .who') && !one('#inspect blockquote')").await;
    assert_eq!(page.ask("text('#status').trim()").await, "Past");
    assert_eq!(office.post(&format!("{message}/restore"), why).await.status, 200);
    page.until("text('#inspect blockquote') === 'Buy my paint!'").await;
}

#[tokio::test]
async fn card_never_covers_its_pixel() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    assert_eq!(ada.say(&"A long tale about a short stroke. ".repeat(8)).await.status, 201);
    let spots = [(0, 0), (127, 0), (0, 127), (127, 127), (64, 64), (70, 20), (64, 120)];
    for (x, y) in spots {
        paint(&ada, x, y, 5).await;
    }
    for screen in [Screen::Desk, Screen::Phone] {
        let page = opened(&server, (0, 0), screen).await;
        for (x, y) in spots {
            page.ask_about("location.hash = `pixel=${given.x}.${given.y}`", json!({"x": x, "y": y})).await;
            page.until_with(
                "text('#inspect-title') === given && shown('#inspect .said')",
                json!(format!("x {x}  y {y}")),
            )
            .await;
            let covered = page.ask_about(COVERED, json!({"x": x, "y": y})).await;
            assert_eq!(covered, false, "{x}, {y} lies under the card");
            assert_eq!(page.ask("outside('#inspect, #inspect *')").await, json!([]));
        }
    }
}

/// Whether the middle of a pixel lies under the card, while the whole canvas is in view.
const COVERED: &str = "(() => {
    const [art, card] = ['#art', '#inspect'].map((name) => one(name).getBoundingClientRect());
    const x = art.left + (given.x + 0.5) * art.width / 128;
    const y = art.top + (given.y + 0.5) * art.height / 128;
    return x >= card.left && x <= card.right && y >= card.top && y <= card.bottom;
})()";

#[tokio::test]
async fn card_stays_put_where_it_must_cover_the_pixel() {
    let server = Server::with(&FREE).await;
    paint(&server.agent("Ada").await, 65, 64, 5).await;
    let page = opened(&server, (65, 64), Screen::Phone).await;
    // So low a screen that the sheet covers the pixel at either edge.
    page.chrome.hold(390, 420, true).await;
    let mut edges = Vec::new();
    for zoom in 20..26 {
        page.ask_about("location.hash = `x=65&y=64&z=${given}`", json!(zoom)).await;
        page.until_with("text('#zoom-level') === `${given}×`", json!(zoom)).await;
        page.settle().await;
        assert_eq!(page.ask("shown('#inspect')").await, true);
        edges.push(page.ask("one('#inspect').dataset.edge ?? 'bottom'").await);
    }
    edges.dedup();
    assert_eq!(edges.len(), 1, "{edges:?}");
}

#[tokio::test]
async fn name_opens_agent_card_and_highlights_its_pixels() {
    let server = Server::with(&FREE).await;
    let body = json!({"name": "Ada", "description": MARKUP, "model": "abacus"});
    let reply = server.post("/api/agents/register", body).await;
    let word = |name: &str| reply.body["agent"][name].as_str().unwrap().to_owned();
    let (ada, bob) =
        (Agent { server: &server, id: word("id"), key: word("api_key") }, server.agent("Bob").await);
    paint(&ada, 65, 64, 4).await;
    paint(&bob, 65, 64, 5).await;
    paint(&ada, 3, 3, 5).await;
    let page = opened(&server, (65, 64), Screen::Desk).await;
    page.ask("one('#inspect [data-key=owner-1]').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.until("text('#inspect-title') === 'Painter' && text('#inspect .who') === 'Ada'").await;
    page.until_with("location.hash.includes(`agent=${given}`)", json!(ada.id)).await;
    assert_eq!(page.ask("text('#inspect .about')").await, MARKUP, "words stay words");
    assert_eq!(page.ask("text('#inspect .deeds').startsWith('Pixels placed2')").await, true);
    assert_eq!(page.ask("one('#inspect [data-key=light]').getAttribute('aria-pressed')").await, "true");
    page.ask("one('#inspect [data-key=light]').click()").await;
    page.until("!location.hash.includes('agent=')").await;
    page.chrome.press(&[ESCAPE]).await;
    page.until("!shown('#inspect')").await;
}

#[tokio::test]
async fn address_and_card_show_when_the_highlight_ends() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    paint(&ada, 65, 64, 4).await;
    let page = opened(&server, (65, 64), Screen::Desk).await;
    let lit = "location.hash.includes('agent=') && one('[data-key=light]').ariaPressed === 'true'";
    let dark = "!location.hash.includes('agent=') && one('[data-key=light]').ariaPressed === 'false'";
    let turn_on = async || {
        page.ask("one('[data-key=light]').click()").await;
        page.until(&format!("{lit} && shown('.chip')")).await;
    };
    turn_on().await;
    page.ask("choose('#look', 'age')").await;
    page.until(&format!("{dark} && text('#legend').startsWith('now')")).await;
    turn_on().await;
    page.ask("one('.chip button').click()").await;
    page.until(dark).await;
    page.chrome.devtools("Network.enable", json!({})).await;
    page.chrome.devtools("Network.setBlockedURLs", json!({"urls": ["*/api/canvas/heat*"]})).await;
    page.ask("one('[data-key=light]').click()").await;
    page.until(&format!("{dark} && text('#legend') === 'This view did not load.'")).await;
}

#[tokio::test]
async fn escape_closes_the_card_and_restores_focus() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    // One step right of the middle, where the arrow keys begin.
    paint(&ada, 65, 64, 5).await;
    assert_eq!(ada.say("Hello from the middle.").await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.ask("one('#art').focus()").await;
    page.chrome.press(&[RIGHT]).await;
    page.chrome.press(&[ENTER]).await;
    page.until("text('#inspect .who') === 'Ada'").await;
    assert_eq!(page.ask("focused()").await, "art", "arrows go on from pixel to pixel");
    page.ask("one('#inspect .icon-button').focus()").await;
    page.chrome.press(&[ESCAPE]).await;
    page.until("!shown('#inspect') && focused() === 'art'").await;
    // From the chat the card takes the focus, and gives it back there.
    page.ask("one('.msg .author').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.until("text('#inspect .who') === 'Ada' && focused() === 'inspect'").await;
    page.chrome.press(&[ESCAPE]).await;
    page.until("!shown('#inspect') && document.activeElement.matches('.msg .author')").await;
}

#[tokio::test]
async fn a_copied_link_leads_to_the_pixel_and_opens_its_card() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    paint(&ada, 9, 100, 5).await;
    let page = opened(&server, (9, 100), Screen::Desk).await;
    page.ask("navigator.clipboard.writeText = async (text) => { window.copied = text; }").await;
    page.ask("one('#inspect [data-key=copy]').click()").await;
    page.until("window.copied && text('#inspect [data-key=copy]') === 'Copied'").await;
    let link = page.ask("window.copied").await;
    page.chrome.goto("about:blank").await;
    page.chrome.goto(link.as_str().unwrap()).await;
    page.until("text('#inspect .who') === 'Ada' && one('#art').hasAttribute('data-zoomed')").await;
    page.ask("one('#inspect .icon-button').click()").await;
    page.until("!location.hash.includes('pixel')").await;
}
