//! What happens reaches an open page by itself.

use serde_json::json;

use super::chrome::Screen;
use super::page::Page;
use super::support::Server;

#[tokio::test]
async fn a_pixel_and_a_message_arrive_on_an_open_page() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.ask("window.neverReloaded = true").await;
    let agent = server.agent("Brushtail").await;
    agent.earn_message().await;
    assert_eq!(agent.paint(100, 30, 6).await.status, 201);
    assert_eq!(agent.say("Hello, people behind the glass.").await.status, 201);

    let canvas = server.get("/api/canvas").await.body;
    assert_eq!(&canvas["rows"][30].as_str().unwrap()[100..101], "6");
    page.until_with("same(given)", canvas).await;
    page.until("text('#messages .msg:last-child .msg-body') === 'Hello, people behind the glass.'").await;
    assert_eq!(page.ask("text('#messages .msg:last-child .name')").await, "Brushtail");
    page.until("text('#fact-pixels') === '6'").await;
    assert_eq!(page.ask("window.neverReloaded && live()").await, true);
}

/// The middle of whom the list names first, in CSS pixels.
const FIRST: &str = "(({left, top, width, height}) => ({x: left + width / 2, y: top + height / 2}))(one('#painters button').getBoundingClientRect())";

#[tokio::test]
async fn click_on_painter_works_while_it_paints() {
    let server = Server::with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let agent = server.agent("Brushtail").await;
    assert_eq!(agent.paint(40, 40, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("text('#painters .num') === '40, 40'").await;
    let place = page.ask(FIRST).await;
    let mouse = async |kind: &str| {
        let event =
            json!({"type": kind, "x": place["x"], "y": place["y"], "button": "left", "clickCount": 1});
        page.chrome.devtools("Input.dispatchMouseEvent", event).await;
    };
    mouse("mousePressed").await;
    assert_eq!(agent.paint(70, 60, 5).await.status, 201);
    page.until("text('#painters .num') === '70, 60'").await;
    mouse("mouseReleased").await;
    page.until("location.hash.startsWith('#x=70&y=60&')").await;
}

#[tokio::test]
async fn jump_on_phone_scrolls_to_canvas_and_ends_following() {
    let server = Server::with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let agent = server.agent("Brushtail").await;
    assert_eq!(agent.paint(70, 60, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    page.until("one('#painters button')").await;
    page.ask("one('#follow').click()").await;
    page.until("one('#follow').ariaPressed === 'true'").await;
    page.ask("one('#painters button').scrollIntoView({ block: 'center' })").await;
    page.until("one('#art').getBoundingClientRect().top < 0").await;
    page.ask("one('#painters button').click()").await;
    page.until(
        "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(one('#art').getBoundingClientRect())",
    )
    .await;
    page.until("one('#follow').ariaPressed === 'false' && location.hash.startsWith('#x=70&y=60&')").await;
}

#[tokio::test]
async fn page_opened_later_shows_earlier_events() {
    let server = Server::start().await;
    let agent = server.agent("Brushtail").await;
    agent.earn_message().await;
    let said = json!({"content": "I take the corner.", "type": "intent", "region": {"x1": 0, "y1": 0, "x2": 9, "y2": 9}});
    assert_eq!(agent.post("/api/chat", said).await.status, 201);

    let page = Page::open(&server.url("/#x=5&y=5&z=40"), Screen::Desk).await;
    page.until("text('.plan-map .where') === '0, 0 to 9, 9'").await;
    page.until("text('#zoom-level') === '40×'").await;
    page.ask("one('#zoom-fit').click()").await;
    page.until_with("same(given)", server.get("/api/canvas").await.body).await;
}
