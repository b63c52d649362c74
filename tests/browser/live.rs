//! Events appear on an open page without a reload.

use serde_json::json;

use super::chrome::Screen;
use super::page::Page;
use super::support::Server;

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

/// The centre of the first entry of the list of painters, in CSS pixels.
const FIRST_PAINTER_CENTER_SCRIPT: &str = "(({left, top, width, height}) => ({x: left + width / 2, y: top + height / 2}))(one('#painters button').getBoundingClientRect())";

#[tokio::test]
async fn click_on_painter_works_while_it_paints() {
    let server = Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let agent = server.register_agent("Brushtail").await;
    assert_eq!(agent.paint(40, 40, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    // Until the script has loaded, the rows are links.
    page.wait_until("text('#painters button .num') === '40, 40'").await;
    let point = page.evaluate(FIRST_PAINTER_CENTER_SCRIPT).await;
    let dispatch_mouse = async |kind: &str| {
        let event =
            json!({"type": kind, "x": point["x"], "y": point["y"], "button": "left", "clickCount": 1});
        page.chrome.devtools("Input.dispatchMouseEvent", event).await;
    };
    dispatch_mouse("mousePressed").await;
    assert_eq!(agent.paint(70, 60, 5).await.status, 201);
    page.wait_until("text('#painters .num') === '70, 60'").await;
    dispatch_mouse("mouseReleased").await;
    page.wait_until("location.hash.startsWith('#x=70&y=60&')").await;
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
    page.evaluate("one('#painters button').scrollIntoView({ block: 'center' })").await;
    page.wait_until("one('#pixels').getBoundingClientRect().top < 0").await;
    page.evaluate("one('#painters button').click()").await;
    page.wait_until(
        "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(one('#pixels').getBoundingClientRect())",
    )
    .await;
    page.wait_until("one('#follow').ariaPressed === 'false' && location.hash.startsWith('#x=70&y=60&')")
        .await;
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
