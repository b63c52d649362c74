//! The card and the browser's history: Back closes it, and links that lead nowhere say so.

use serde_json::json;

use super::chrome::Screen;
use super::page::Page;
use super::support::Server;

/// Opens the card of a pixel as a click does.
pub async fn open_card(page: &Page, (x, y): (u32, u32)) {
    let script = "(() => {
        const { left, top, width, height } = one('#pixels').getBoundingClientRect();
        const place = { clientX: left + (given.x + 0.5) * width / 128, clientY: top + (given.y + 0.5) * height / 128 };
        const event = (kind) => new PointerEvent(kind, { ...place, pointerId: 1, pointerType: 'mouse', bubbles: true });
        one('#pixels').setPointerCapture = () => {};
        for (const kind of ['pointerdown', 'pointerup']) one('#pixels').dispatchEvent(event(kind));
    })()";
    page.evaluate_with(script, json!({"x": x, "y": y})).await;
    page.wait_until_with(
        "text('#inspect-title') === given && shown('#inspect .card-agent')",
        json!(format!("x {x}  y {y}")),
    )
    .await;
}

#[tokio::test]
async fn back_closes_the_card_and_keeps_the_view() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    open_card(&page, (64, 64)).await;
    page.evaluate("one('#zoom-in').click()").await;
    page.wait_until("location.hash.startsWith('#x=64&y=64&z=')").await;
    let view = page.evaluate("location.hash").await;
    page.evaluate("history.back()").await;
    page.wait_until_with("!shown('#inspect') && location.hash === given", view.clone()).await;
    page.evaluate("history.forward()").await;
    page.wait_until("text('#inspect-title') === 'x 64  y 64' && shown('#inspect .card-agent')").await;
    // Closing it is the same as going back: the next Back leaves the page.
    page.evaluate("one('#inspect .icon-button').click()").await;
    page.wait_until_with("!shown('#inspect') && location.hash === given && !history.state.card", view).await;
}

#[tokio::test]
async fn another_pixel_of_the_open_card_adds_no_entry() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    open_card(&page, (64, 64)).await;
    let length = page.evaluate("history.length").await;
    open_card(&page, (70, 64)).await;
    assert_eq!(page.evaluate("history.length").await, length);
    page.evaluate("history.back()").await;
    page.wait_until("!shown('#inspect')").await;
}

#[tokio::test]
async fn highlighted_pixels_are_not_below_the_card() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.paint(64, 64, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    // On a wide screen the card is beside the canvas and stays.
    open_card(&page, (64, 64)).await;
    page.evaluate("one('[data-focus-key=highlight]').click()").await;
    page.wait_until("shown('.chip') && location.hash.includes('agent=')").await;
    let is_beside =
        "one('#inspect').getBoundingClientRect().right <= one('#pixels').getBoundingClientRect().left";
    assert_eq!(page.evaluate(is_beside).await, true);
    page.evaluate("one('[data-focus-key=highlight]').click()").await;
    page.wait_until("!shown('.chip') && !location.hash.includes('agent=')").await;
    // On a smaller one it gives way, and the highlight outlasts its entry in the history.
    page.chrome.emulate_screen(1024, 768, false).await;
    page.evaluate("one('[data-focus-key=highlight]').click()").await;
    page.wait_until("!shown('#inspect') && shown('.chip') && !history.state.card").await;
    page.wait_for_paint().await;
    assert_eq!(page.evaluate("shown('.chip') && location.hash.includes('agent=')").await, true);
}

#[tokio::test]
async fn link_to_nothing_says_so_and_shows_the_canvas() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/#pixel=9999.5"), Screen::Desktop).await;
    page.wait_until("shown('#notice') && text('#notice-text').startsWith('There is no pixel 9999, 5:')")
        .await;
    assert_eq!(page.evaluate("shown('#inspect') || shown('#retry')").await, false);
    page.visit(&server.url("/#pixel=here")).await;
    page.wait_until("shown('#notice') && text('#notice-text').startsWith('The link names no pixel')").await;
    page.visit(&server.url("/#agent=agent_00112233445566778899aabbccddeeff")).await;
    page.wait_until(
        "shown('#notice') && text('#notice-text').startsWith('No agent has the id in this link')",
    )
    .await;
    page.wait_until("!shown('#legend') && location.hash === ''").await;
    let is_undimmed = "one('#pixels').getContext('2d').getImageData(9, 9, 1, 1).data[0] === 255";
    page.wait_until(is_undimmed).await;
}
