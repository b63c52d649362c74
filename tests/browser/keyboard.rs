//! Everything can be reached and used without a mouse.

use std::collections::BTreeSet;

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::fixtures::populated_server;
use super::page::Page;
use super::pages::{PAGES, address};
use super::support::Server;

pub const TAB: char = '\u{e004}';
pub const ENTER: char = '\u{e007}';
pub const SHIFT: char = '\u{e008}';
pub const ESCAPE: char = '\u{e00c}';
pub const UP: char = '\u{e013}';
pub const RIGHT: char = '\u{e014}';
pub const DOWN: char = '\u{e015}';

#[tokio::test]
async fn tab_reaches_the_skip_link_the_canvas_and_the_chat() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.chrome.press(&[TAB]).await;
    assert_eq!(page.evaluate("focused()").await, "skip");
    page.wait_until("one('.skip').getBoundingClientRect().top >= 0").await;
    press_tab_until(&page, "pixels").await;
    press_tab_until(&page, "log").await;

    page.evaluate("one('.skip').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("focused() === 'pixels'").await;
}

#[tokio::test]
async fn arrows_move_plus_and_minus_zoom_and_zero_fits() {
    let server = Server::start().await;
    let agent = server.register_agent("Brushtail").await;
    assert_eq!(agent.paint(65, 56, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.evaluate("one('#pixels').focus()").await;

    page.chrome.press(&[RIGHT]).await;
    page.wait_until("text('#pointer-coordinates') === 'x 65  y 64'").await;
    page.chrome.press(&[SHIFT, UP]).await;
    page.wait_until("text('#pointer-coordinates') === 'x 65  y 56'").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("shown('#inspect') && text('#inspect .card-agent .name') === 'Brushtail'").await;
    page.wait_until("text('#announcement').startsWith('65, 56: red, painted by Brushtail, ')").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('#inspect')").await;

    let initial_zoom = page.evaluate("text('#zoom-level')").await;
    page.chrome.press(&['+']).await;
    page.chrome.press(&['+']).await;
    page.wait_until_with(
        "text('#zoom-level') !== given && one('#pixels').hasAttribute('data-zoomed')",
        initial_zoom.clone(),
    )
    .await;
    page.wait_until("location.hash.startsWith('#x=65&y=56&z=')").await;
    let zoomed_in = page.evaluate("text('#zoom-level')").await;
    page.chrome.press(&['-']).await;
    page.wait_until_with("text('#zoom-level') !== given.near", json!({"near": zoomed_in})).await;
    page.chrome.press(&['0']).await;
    page.wait_until_with("text('#zoom-level') === given && location.hash === ''", initial_zoom).await;
}

#[tokio::test]
async fn cursor_on_the_canvas_is_announced_after_a_pause() {
    let server = Server::start().await;
    let agent = server.register_agent("Brushtail").await;
    assert_eq!(agent.paint(64, 54, 13).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.evaluate("(window.aloud = [], new MutationObserver(() => aloud.push(text('#announcement'))).observe(one('#announcement'), { childList: true }))").await;
    page.evaluate("one('#pixels').focus()").await;
    // As fast as a held key, however slow the machine is.
    page.evaluate("Array.from({ length: 10 }, () => press('ArrowUp'))").await;
    page.wait_until("aloud.some((line) => line.startsWith('64, 54: dark blue, painted by Brushtail, '))")
        .await;
    let lines = page.evaluate("aloud.length").await;
    assert!(lines.as_u64().unwrap() < 5, "a held key announces only where it ends: {lines}");
    page.chrome.press(&[RIGHT]).await;
    page.wait_until("aloud.at(-1) === '65, 54: white, not painted yet'").await;
}

#[tokio::test]
async fn keys_work_while_another_part_has_the_focus() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    assert_eq!(page.evaluate("document.activeElement === document.body").await, true);
    page.chrome.press(&['+']).await;
    page.wait_until("one('#pixels').hasAttribute('data-zoomed')").await;
    page.chrome.press(&['0']).await;
    page.wait_until("!one('#pixels').hasAttribute('data-zoomed')").await;
    page.evaluate("one('#search').focus()").await;
    page.chrome.press(&['f']).await;
    page.wait_until("one('#follow').ariaPressed === 'true'").await;
    page.chrome.press(&[RIGHT]).await;
    page.wait_until("focused() === 'pixels' && text('#pointer-coordinates') === 'x 65  y 64'").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("text('#inspect-title') === 'x 65  y 64'").await;
}

#[tokio::test]
async fn keys_stay_with_the_part_that_uses_them() {
    let (server, _) = populated_server().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("one('#time').hasAttribute('data-ready') && one('.msg')").await;
    let is_idle = "text('#pointer-coordinates') === '' && !one('#pixels').hasAttribute('data-zoomed') && one('#follow').ariaPressed === 'false'";
    // A field takes all keys, also in a dialog.
    page.chrome.press(&['/']).await;
    page.wait_until("focused() === 'search-field'").await;
    page.chrome.press_times('f', 2).await;
    page.chrome.press(&['+']).await;
    page.chrome.press(&[RIGHT]).await;
    page.wait_until("one('#search-field').value === 'ff+'").await;
    assert_eq!(page.evaluate(is_idle).await, true);
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('dialog.search')").await;
    // The chat and the time bar take the arrows.
    page.evaluate("one('#log').focus()").await;
    page.chrome.press(&[UP]).await;
    page.wait_until("document.activeElement.matches('.msg')").await;
    page.chrome.press(&[ENTER]).await;
    assert_eq!(page.evaluate(is_idle).await, true);
    assert_eq!(page.evaluate("document.activeElement.matches('.msg')").await, true);
    page.evaluate("one('#time-slider').focus()").await;
    page.chrome.press(&[UP]).await;
    assert_eq!(page.evaluate(is_idle).await, true);
    // Keys of the browser, and keys that the visitor has limited to the canvas.
    page.evaluate("document.activeElement.blur()").await;
    page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, bubbles: true }))").await;
    assert_eq!(page.evaluate(is_idle).await, true);
    page.chrome.press(&['?']).await;
    page.wait_until("shown('dialog.help')").await;
    page.evaluate("one('.key-switch input').click()").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('dialog.help')").await;
    page.evaluate("document.activeElement.blur()").await;
    page.chrome.press(&['f']).await;
    assert_eq!(page.evaluate(is_idle).await, true);
    page.evaluate("one('#pixels').focus()").await;
    page.chrome.press(&['f']).await;
    page.wait_until("one('#follow').ariaPressed === 'true'").await;
}

#[tokio::test]
async fn tab_visits_every_control_of_every_page_with_visible_focus() {
    let (server, ids) = populated_server().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.chrome.set_color_scheme("dark").await;
    for (name, path) in PAGES {
        page.visit(&server.url(&address(path, &ids))).await;
        // The time bar is loaded after the first view, with controls of its own.
        page.wait_until("!one('#time') || one('#time').hasAttribute('data-ready')").await;
        check_tab_order(&page, name).await;
    }
}

/// Presses Tab until every control had the focus once. Each must show it, and none may trap it.
pub async fn check_tab_order(page: &Page, name: &str) {
    let controls: Vec<String> = serde_json::from_value(page.evaluate("startWalk()").await).unwrap();
    page.chrome.press_times(TAB, controls.len()).await;
    let visits: Vec<(i64, bool, String)> =
        serde_json::from_value(page.evaluate("window.walked").await).unwrap();
    let without_focus_ring: Vec<_> =
        visits.iter().filter(|(_, is_visible, _)| !is_visible).map(|(_, _, what)| what).collect();
    assert!(without_focus_ring.is_empty(), "{name}: no ring is seen around {without_focus_ring:#?}");
    let unexpected: Vec<_> = visits.iter().filter(|(stop, ..)| *stop < 0).collect();
    assert!(unexpected.is_empty(), "{name}: focus came to what is no control: {unexpected:#?}");
    let visited: BTreeSet<_> = visits.iter().map(|(stop, ..)| *stop as usize).collect();
    let missed: Vec<_> =
        (0..controls.len()).filter(|stop| !visited.contains(stop)).map(|stop| &controls[stop]).collect();
    assert!(missed.is_empty(), "{name}: Tab never comes to {missed:#?}");
}

/// Presses Tab until the element with this id has the focus, forty times at most.
async fn press_tab_until(page: &Page, id: &str) {
    for _ in 0..40 {
        page.chrome.press(&[TAB]).await;
        if page.evaluate("focused()").await == id {
            return;
        }
    }
    panic!("Tab never reaches #{id}");
}
