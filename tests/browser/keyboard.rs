//! Everything can be reached and done without a mouse.

use serde_json::json;

use super::chrome::Screen;
use super::page::Page;
use super::support::Server;

const TAB: char = '\u{e004}';
pub const ENTER: char = '\u{e007}';
const SHIFT: char = '\u{e008}';
pub const ESCAPE: char = '\u{e00c}';
const UP: char = '\u{e013}';
pub const RIGHT: char = '\u{e014}';

#[tokio::test]
async fn tab_reaches_the_skip_link_the_canvas_and_the_chat() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.chrome.press(&[TAB]).await;
    assert_eq!(page.ask("focused()").await, "skip");
    page.until("one('.skip').getBoundingClientRect().top >= 0").await;
    tab_until(&page, "art").await;
    tab_until(&page, "log").await;

    page.ask("one('.skip').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.until("focused() === 'art'").await;
}

#[tokio::test]
async fn arrows_walk_plus_and_minus_zoom_and_zero_fits() {
    let server = Server::start().await;
    let agent = server.agent("Brushtail").await;
    assert_eq!(agent.paint(65, 56, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.ask("one('#art').focus()").await;

    page.chrome.press(&[RIGHT]).await;
    page.until("text('#reading-place') === 'x 65  y 64'").await;
    page.chrome.press(&[SHIFT, UP]).await;
    page.until("text('#reading-place') === 'x 65  y 56'").await;
    page.chrome.press(&[ENTER]).await;
    page.until("shown('#inspect') && text('#inspect .who .name') === 'Brushtail'").await;
    page.until("text('#spoken').startsWith('Painted by Brushtail')").await;
    page.chrome.press(&[ESCAPE]).await;
    page.until("!shown('#inspect')").await;

    let whole = page.ask("text('#zoom-level')").await;
    page.chrome.press(&['+']).await;
    page.chrome.press(&['+']).await;
    page.until_with(
        "text('#zoom-level') !== given && one('#art').hasAttribute('data-zoomed')",
        whole.clone(),
    )
    .await;
    page.until("location.hash.startsWith('#x=65&y=56&z=')").await;
    let near = page.ask("text('#zoom-level')").await;
    page.chrome.press(&['-']).await;
    page.until_with("text('#zoom-level') !== given.near", json!({"near": near})).await;
    page.chrome.press(&['0']).await;
    page.until_with("text('#zoom-level') === given && location.hash === ''", whole).await;
}

/// Walks on by Tab to the element with this id; a visitor would give up long before the twentieth.
async fn tab_until(page: &Page, id: &str) {
    for _ in 0..20 {
        page.chrome.press(&[TAB]).await;
        if page.ask("focused()").await == id {
            return;
        }
    }
    panic!("Tab never reaches #{id}");
}
