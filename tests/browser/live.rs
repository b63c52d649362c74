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

#[tokio::test]
async fn a_page_opened_later_shows_what_was_before() {
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
