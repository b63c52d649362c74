//! Events appear on an open page without a reload.

use serde_json::json;

use super::chrome::Screen;
use super::fixtures::UNLIMITED;
use super::page::Page;
use super::support::{Agent, Server};

#[tokio::test]
async fn a_pixel_and_a_message_arrive_on_an_open_page() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.evaluate("window.neverReloaded = true").await;
    let agent = server.register_agent("Brushtail").await;
    agent.earn_message_credits().await;
    assert_eq!(agent.paint(100, 30, 6).await.status, 201);
    assert_eq!(agent.post_message("Hello, people behind the glass.").await.status, 201);

    let canvas = server.get("/api/canvas").await.body;
    assert_eq!(&canvas["rows"][30].as_str().unwrap()[100..101], "6");
    page.wait_until_with("same(given)", canvas).await;
    page.wait_until("text('#messages .msg:last-child .msg-body') === 'Hello, people behind the glass.'")
        .await;
    assert_eq!(page.evaluate("text('#messages .msg:last-child .name')").await, "Brushtail");
    page.wait_until("text('#fact-pixels') === '6'").await;
    assert_eq!(page.evaluate("window.neverReloaded && live()").await, true);
}

/// The centre of the element with the given selector, in CSS pixels.
const CENTER_SCRIPT: &str = "(({left, top, width, height}) => ({x: left + width / 2, y: top + height / 2}))(one(given).getBoundingClientRect())";
/// True while the canvas is on the screen as a whole.
const CANVAS_IS_IN_SIGHT: &str =
    "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(one('#pixels').getBoundingClientRect())";
/// True while the pixels of the given agent are highlighted and its card is open.
const IS_HIGHLIGHTED: &str = "shown('.chip') && new URLSearchParams(location.hash.slice(1)).get('agent') === given && shown('#inspect .card-agent')";

#[tokio::test]
async fn click_on_painter_works_while_it_paints() {
    let server = Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let agent = server.register_agent("Brushtail").await;
    assert_eq!(agent.paint(40, 40, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("text('#painters button.num') === '40, 40'").await;
    click_while_painting(&page, &agent, "#painters button:first-child", 70).await;
    page.wait_until_with(IS_HIGHLIGHTED, json!(agent.id)).await;
    assert_eq!(page.evaluate("location.hash.includes('x=')").await, false, "the view stays where it was");
    page.evaluate("one('#inspect header button').click()").await;
    page.wait_until("!shown('#inspect')").await;
    click_while_painting(&page, &agent, "#painters .num", 80).await;
    page.wait_until("/[#&]x=80&y=60&/.test(location.hash)").await;
}

/// Clicks an element of the list of painters, whose agent paints a pixel of row 60 between the press and the
/// release.
async fn click_while_painting(page: &Page, agent: &Agent<'_>, selector: &str, x: i64) {
    let point = page.evaluate_with(CENTER_SCRIPT, json!(selector)).await;
    let dispatch_mouse = async |kind: &str| {
        let event =
            json!({"type": kind, "x": point["x"], "y": point["y"], "button": "left", "clickCount": 1});
        page.chrome.devtools("Input.dispatchMouseEvent", event).await;
    };
    dispatch_mouse("mousePressed").await;
    assert_eq!(agent.paint(x, 60, 5).await.status, 201);
    page.wait_until_with("text('#painters .num') === `${given}, 60`", json!(x)).await;
    dispatch_mouse("mouseReleased").await;
}

#[tokio::test]
async fn jump_on_phone_scrolls_to_canvas_and_ends_following() {
    let server = Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let agent = server.register_agent("Brushtail").await;
    assert_eq!(agent.paint(70, 60, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    page.wait_until("one('#painters button')").await;
    page.evaluate("one('#follow').click()").await;
    page.wait_until("one('#follow').ariaPressed === 'true'").await;
    scroll_to_painters(&page).await;
    page.evaluate("one('#painters .num').click()").await;
    page.wait_until(CANVAS_IS_IN_SIGHT).await;
    page.wait_until("one('#follow').ariaPressed === 'false' && location.hash.startsWith('#x=70&y=60&')")
        .await;
}

#[tokio::test]
async fn name_of_painter_on_phone_shows_its_highlighted_pixels_and_its_card() {
    let server = Server::start().await;
    let agent = server.register_agent("Brushtail").await;
    assert_eq!(agent.paint(70, 60, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    page.wait_until("one('#painters button')").await;
    scroll_to_painters(&page).await;
    page.evaluate("one('#painters button').click()").await;
    page.wait_until_with(IS_HIGHLIGHTED, json!(agent.id)).await;
    page.wait_until(CANVAS_IS_IN_SIGHT).await;
    let bottom = "one('#inspect').getBoundingClientRect().bottom";
    assert_eq!(page.evaluate(&format!("{bottom} <= innerHeight && focused() === 'inspect'")).await, true);
    let labels = page.evaluate("[...document.querySelectorAll('#painters button')].map((button) => button.ariaLabel ?? button.textContent)").await;
    assert_eq!(labels, json!(["Brushtail", "Show pixel 70, 60"]));
}

/// Scrolls to the list of painters, until the canvas is partly out of sight.
async fn scroll_to_painters(page: &Page) {
    page.evaluate("one('#painters button').scrollIntoView({ block: 'center' })").await;
    page.wait_until("one('#pixels').getBoundingClientRect().top < 0").await;
}

#[tokio::test]
async fn five_painters_have_rows_and_the_others_are_counted_at_load() {
    let server = Server::start_with(&UNLIMITED).await;
    for x in 0..6 {
        let agent = server.register_agent(&format!("Quoll {x}")).await;
        assert_eq!(agent.paint(x, 1, 5).await.status, 201);
        server.advance_clock(1);
    }
    // More pixels than the list of recent ones has.
    let agent = server.register_agent("Brushtail").await;
    let pixels: Vec<_> = (0..60).map(|x| json!({"x": x, "y": 2, "color": 6})).collect();
    let body = json!({"pixels": pixels, "chat_digest": server.digest().await});
    assert_eq!(agent.post("/api/pixels", body).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("text('#painters .empty') === 'and 2 others'").await;
    let names = page
        .evaluate("[...document.querySelectorAll('#painters .name')].map((name) => name.textContent).sort()")
        .await;
    assert_eq!(names, json!(["Brushtail", "Quoll 2", "Quoll 3", "Quoll 4", "Quoll 5"]));
}

#[tokio::test]
async fn page_opened_later_shows_earlier_events() {
    let server = Server::start().await;
    let agent = server.register_agent("Brushtail").await;
    agent.earn_message_credits().await;
    let intent = json!({"content": "I take the corner.", "type": "intent", "region": {"x1": 0, "y1": 0, "x2": 9, "y2": 9}});
    assert_eq!(agent.post("/api/chat", intent).await.status, 201);

    let page = Page::open(&server.url("/#x=5&y=5&z=40"), Screen::Desktop).await;
    page.wait_until("text('.intent-map .coordinates') === '0, 0 to 9, 9'").await;
    page.wait_until("text('#zoom-level') === '40×'").await;
    page.evaluate("one('#zoom-fit').click()").await;
    page.wait_until_with("same(given)", server.get("/api/canvas").await.body).await;
}
