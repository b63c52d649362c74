//! The guide's place beside the chat: it collapses, is resized, is kept per browser, and is used by keyboard.

use serde_json::json;

use super::{IS_IDLE, ask_and_wait, open_guide, open_page, start_server, type_question, wait_until_open};
use crate::axe::assert_accessible;
use crate::keyboard::{ENTER, ESCAPE, RIGHT, check_tab_order};
use crate::page::Page;
use crate::support::ScriptedAnswer;

const LEFT: char = '\u{e012}';

async fn width(page: &Page) -> f64 {
    page.wait_for_paint().await;
    page.evaluate("one('#guide').getBoundingClientRect().width").await.as_f64().unwrap()
}

#[tokio::test]
async fn width_and_state_are_kept_per_browser() {
    let (_model, server) = start_server(vec![]).await;
    let page = open_page(&server).await;
    let first_width = width(&page).await;
    let canvas = page.evaluate("one('#canvas-area').getBoundingClientRect().width").await;
    page.evaluate("one('.guide-resizer').focus()").await;
    page.chrome.press(&[LEFT]).await;
    let second_width = width(&page).await;
    assert!(second_width > first_width, "{first_width} → {second_width}");
    assert!(
        page.evaluate("one('#canvas-area').getBoundingClientRect().width").await.as_f64() < canvas.as_f64()
    );
    page.chrome.press(&[LEFT]).await;
    page.chrome.press(&[RIGHT]).await;
    assert!((width(&page).await - second_width).abs() < 0.5);
    let values = "['now', 'min', 'max'].map((name) => Number(one('.guide-resizer').getAttribute(`aria-value${name}`)))";
    let values: Vec<f64> = serde_json::from_value(page.evaluate(values).await).unwrap();
    assert!(values[1] < values[0] && values[0] < values[2], "{values:?}");
    // On another page and back, it is as it was.
    page.visit(&server.url("/")).await;
    wait_until_open(&page).await;
    assert!((width(&page).await - second_width).abs() < 0.5);
    page.evaluate("one('#guide-question').focus()").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('#guide') && focused() === 'guide-tab'").await;
    page.visit(&server.url("/")).await;
    page.wait_until("shown('#guide-tab')").await;
    assert_eq!(page.evaluate("shown('#guide')").await, false);
}

#[tokio::test]
async fn edge_is_dragged() {
    let (_model, server) = start_server(vec![]).await;
    let page = open_page(&server).await;
    let before = width(&page).await;
    page.evaluate("(() => {
        const edge = one('.guide-resizer');
        edge.setPointerCapture = () => {};
        edge.hasPointerCapture = () => true;
        edge.dispatchEvent(new PointerEvent('pointerdown', { pointerId: 1, bubbles: true, cancelable: true }));
        edge.dispatchEvent(new PointerEvent('pointermove', { pointerId: 1, clientX: document.documentElement.clientWidth - 400 }));
        edge.dispatchEvent(new PointerEvent('lostpointercapture', { pointerId: 1 }));
    })()").await;
    assert!((width(&page).await - 400.0).abs() < 1.0 && before < 399.0);
    assert_eq!(page.evaluate("localStorage.getItem('caraplace-guide-width')").await, "400");
}

#[tokio::test]
async fn guide_is_used_by_keyboard() {
    let (_model, server) =
        start_server(vec![ScriptedAnswer::Text("Look at [64,60], or at [the plans](/plans).")]).await;
    let page = open_page(&server).await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('#guide')").await;
    page.evaluate("one('#pixels').focus()").await;
    page.chrome.press(&['g']).await;
    page.wait_until("focused() === 'guide-question'").await;
    page.chrome.press(&"Where?".chars().collect::<Vec<_>>()).await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("one('.guide-text a') && text('.guide-asked') === 'Where?'").await;
    page.wait_until("one('#guide-question').value === ''").await;
    // From the beginning of the page, where the focus is after a visit.
    page.visit(&server.url("/")).await;
    wait_until_open(&page).await;
    page.wait_until("one('#time').hasAttribute('data-ready') && one('.guide-text a')").await;
    check_tab_order(&page, "the guide").await;
    page.evaluate("one('.guide-text .guide-pointer').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("/^#x=64&y=60&/.test(location.hash) && shown('#guide')").await;
    page.evaluate("one('#help').click()").await;
    page.wait_until("text('dialog.help').includes('the guide')").await;
}

#[tokio::test]
async fn focus_stays_in_the_guide() {
    let (_model, server) =
        start_server(vec![ScriptedAnswer::Text("Nothing."), ScriptedAnswer::Text("Still nothing.")]).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.paint(3, 4, 5).await.status, 201);
    let page = open_page(&server).await;
    page.evaluate("one('.guide-offers button').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("document.activeElement.matches('.guide-log')").await;
    page.wait_until(&format!("{IS_IDLE} && text('.guide-text') === 'Nothing.'")).await;
    type_question(&page, "And now?").await;
    page.evaluate("one('.guide-form-end button').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("focused() === 'guide-question'").await;
    // Escape closes the guide, and leaves what is highlighted on the canvas.
    page.visit(&server.url(&format!("/#agent={}", ada.id))).await;
    wait_until_open(&page).await;
    page.wait_until("shown('#legend[data-agent]')").await;
    page.evaluate("one('#guide-question').focus()").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('#guide')").await;
    assert_eq!(page.evaluate("shown('#legend[data-agent]')").await, true);
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('#legend[data-agent]')").await;
}

#[tokio::test]
async fn guide_has_a_place_on_every_width() {
    let (_model, server) = start_server(vec![ScriptedAnswer::Text("Here.")]).await;
    let page = open_page(&server).await;
    ask_and_wait(&page, "Where are you?").await;
    for (width, height) in [(2560, 1440), (1440, 900), (1280, 800), (1200, 800), (1024, 768)] {
        page.chrome.emulate_screen(width, height, false).await;
        page.wait_for_paint().await;
        let problems = page.evaluate("misfits()").await;
        assert_eq!(problems, json!([]), "at {width}");
        let has_column = page.evaluate("one('#chat').getBoundingClientRect().right <= one('#guide').getBoundingClientRect().left + 1").await;
        assert_eq!(has_column, width >= 1200, "at {width}");
    }
    assert_accessible(&page, "the guide over the chat").await;
}

#[tokio::test]
async fn guide_over_the_chat_gives_it_back() {
    let (_model, server) = start_server(vec![]).await;
    let page = open_page(&server).await;
    page.chrome.emulate_screen(1024, 768, false).await;
    page.wait_until("!controls().includes(one('#log'))").await;
    page.evaluate("one('[aria-label=\"Collapse the guide\"]').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("controls().includes(one('#log')) && focused() === 'guide-tab'").await;
    open_guide(&page).await;
}
