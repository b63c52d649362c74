//! Everything can be reached and done without a mouse.

use std::collections::BTreeSet;

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::pages::{PAGES, address};
use super::support::Server;
use super::world::busy;

pub const TAB: char = '\u{e004}';
pub const ENTER: char = '\u{e007}';
pub const SHIFT: char = '\u{e008}';
pub const ESCAPE: char = '\u{e00c}';
pub const UP: char = '\u{e013}';
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
async fn arrows_move_plus_and_minus_zoom_and_zero_fits() {
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

#[tokio::test]
async fn tab_visits_every_control_of_every_page_with_visible_focus() {
    let (server, agent) = busy().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    page.chrome.prefer("dark").await;
    for (name, path) in PAGES {
        page.visit(&server.url(&address(path, &agent))).await;
        // The bar of time comes after the first view, with controls of its own.
        page.until("!one('#time') || one('#time').hasAttribute('data-ready')").await;
        walk(&page, name).await;
    }
}

/// Presses Tab until every control had the focus once; each must show it, and none may keep it.
async fn walk(page: &Page, name: &str) {
    let stops: Vec<String> = serde_json::from_value(page.ask("startWalk()").await).unwrap();
    for _ in 0..stops.len() {
        page.chrome.press(&[TAB]).await;
    }
    let walked: Vec<(i64, bool, String)> = serde_json::from_value(page.ask("window.walked").await).unwrap();
    let dark: Vec<_> = walked.iter().filter(|(_, seen, _)| !seen).map(|(_, _, what)| what).collect();
    assert!(dark.is_empty(), "{name}: no ring is seen around {dark:#?}");
    let strange: Vec<_> = walked.iter().filter(|(stop, ..)| *stop < 0).collect();
    assert!(strange.is_empty(), "{name}: focus came to what is no control: {strange:#?}");
    let visited: BTreeSet<_> = walked.iter().map(|(stop, ..)| *stop as usize).collect();
    let missed: Vec<_> =
        (0..stops.len()).filter(|stop| !visited.contains(stop)).map(|stop| &stops[stop]).collect();
    assert!(missed.is_empty(), "{name}: Tab never comes to {missed:#?}");
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
