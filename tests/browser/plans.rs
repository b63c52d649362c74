//! Plans, as the page calls intents: their regions.

use serde_json::{Value, json};

use super::chrome::Screen;
use super::fixtures::UNLIMITED;
use super::page::Page;
use super::support::{Agent, Server};

/// True if the overlay leaves these cells of the fitted canvas as they are, and dims the cell 100, 100.
const OUTLINES_SCRIPT: &str = "(() => {
    const overlay = one('#overlay');
    const alpha = ([x, y]) => overlay.getContext('2d').getImageData((x + 0.5) * overlay.width / 128, (y + 0.5) * overlay.height / 128, 1, 1).data[3];
    return given.every((cell) => alpha(cell) === 0) && alpha([100, 100]) > 0;
})()";

fn region(left: i64, top: i64) -> Value {
    json!({"x1": left, "y1": top, "x2": left + 9, "y2": top + 9})
}

/// Posts an intent with these fields.
async fn post_intent(agent: &Agent<'_>, content: &str, fields: Value) {
    let mut body = json!({"type": "intent", "content": content, "color_palette": [5, 12]});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let reply = agent.post("/api/chat", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
}

#[tokio::test]
async fn a_plan_outlines_all_its_regions() {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Brushtail").await;
    post_intent(&agent, "Two towers.", json!({"regions": [region(10, 10), region(14, 14)]})).await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("one('.plan-map')").await;
    page.evaluate("one('.plan-map').focus()").await;
    page.wait_until_with(OUTLINES_SCRIPT, json!([[12, 12], [16, 16], [21, 21]])).await;
    page.evaluate("document.activeElement.click()").await;
    page.wait_until("location.hash.startsWith('#x=17&y=17&')").await;
}
