//! The layout of the canvas page: the sentence comes first, the canvas has the room, and an empty one
//! invites.

use serde_json::json;

use super::card_history::open_card;
use super::chrome::{Chrome, Screen};
use super::fixtures::UNLIMITED;
use super::page::Page;
use super::support::Server;

/// Width and height in CSS pixels, and true for a touch screen.
const SCREENS: [(u32, u32, bool); 6] = [
    (320, 568, true),
    (390, 844, true),
    (768, 1024, true),
    (1024, 768, false),
    (1280, 800, false),
    (1440, 900, false),
];
/// The smallest frame at 1440 × 900, in CSS pixels.
const MIN_FRAME_SIZE: f64 = 780.0;
const FRAME_SIZE: &str = "Math.min(one('#frame').offsetWidth, one('#frame').offsetHeight)";
/// True if the sentence is larger than the season's title, and above the canvas with its button.
const SENTENCE_COMES_FIRST: &str = "(() => {
    const size = (selector) => parseFloat(getComputedStyle(one(selector)).fontSize);
    const top = one('#frame').getBoundingClientRect().top;
    const isAbove = (selector) => one(selector).getBoundingClientRect().bottom <= top;
    return size('.intro p') > size('#season-title') && isAbove('.intro p') && isAbove('.intro .bring');
})()";
/// The parts around the canvas that overlap its frame.
const OVERLAPPING: &str = "(() => {
    const frame = one('#frame').getBoundingClientRect();
    return ['.intro', '.word-tools', '.icon-tools', '#lens', '#time', '#inspect', '#plans'].filter((selector) => {
        if (!shown(selector)) return false;
        const box = one(selector).getBoundingClientRect();
        return box.left < frame.right && box.right > frame.left && box.top < frame.bottom && box.bottom > frame.top;
    });
})()";
const INVITATION: &str = "[shown('#invitation'), text('#invitation code') === text('#join-line'), \
    document.querySelectorAll('#invitation li').length, text('#invitation li'), shown('#invitation button')]";

#[tokio::test]
async fn sentence_comes_first_and_nothing_overlaps_the_canvas() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.paint(64, 64, 5).await.status, 201);
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    for (width, height, is_touch) in SCREENS {
        page.chrome.emulate_screen(width, height, is_touch).await;
        page.visit(&server.url("/")).await;
        page.wait_until("one('#time').hasAttribute('data-ready')").await;
        page.wait_for_paint().await;
        assert_eq!(page.evaluate(SENTENCE_COMES_FIRST).await, true, "{width} × {height}");
        assert_eq!(page.evaluate(OVERLAPPING).await, json!([]), "{width} × {height}");
    }
    let size = page.evaluate(FRAME_SIZE).await.as_f64().unwrap();
    assert!(size >= MIN_FRAME_SIZE, "{size}");
}

#[tokio::test]
async fn icons_beside_the_canvas_have_words_on_desktops() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    let words = "['follow', 'search', 'rectangle', 'plan-outlines', 'zoom-fit', 'more'].map((id) => one(`#${id} .tool-word`)).map((word) => word.checkVisibility() ? word.textContent : '')";
    for (width, height, is_touch) in SCREENS {
        page.chrome.emulate_screen(width, height, is_touch).await;
        page.visit(&server.url("/")).await;
        page.wait_until("one('#time').hasAttribute('data-ready')").await;
        let expected = if width >= 1024 {
            ["Follow", "Search", "Rectangle", "Outlines", "Whole", "More"]
        } else {
            [""; 6]
        };
        assert_eq!(page.evaluate(words).await, json!(expected), "{width} × {height}");
        assert_eq!(page.evaluate("misfits()").await, json!([]), "{width} × {height}");
    }
    // The strip of a low window has no room for them.
    page.chrome.emulate_screen(1280, 500, false).await;
    page.visit(&server.url("/")).await;
    assert_eq!(page.evaluate(words).await, json!(vec![""; 6]));
}

#[tokio::test]
async fn cards_stand_beside_the_canvas_on_wide_screens() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.paint(2, 64, 5).await.status, 201);
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    for (width, height) in [(1280, 800), (1440, 900)] {
        page.chrome.emulate_screen(width, height, false).await;
        page.visit(&server.url("/#pixel=2,64")).await;
        page.wait_until("text('#inspect .card-agent') === 'Ada'").await;
        assert_eq!(page.evaluate(OVERLAPPING).await, json!([]), "card at {width} × {height}");
        page.evaluate("one('#plans-toggle').click()").await;
        page.wait_until("shown('#plans')").await;
        assert_eq!(page.evaluate(OVERLAPPING).await, json!([]), "plans at {width} × {height}");
    }
}

#[tokio::test]
async fn an_empty_canvas_invites_until_the_first_pixel() {
    let server = Server::start_with(&UNLIMITED).await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    for (width, height, is_touch) in SCREENS {
        page.chrome.emulate_screen(width, height, is_touch).await;
        page.chrome.goto(&server.url("/")).await;
        page.wait_until("live()").await;
        assert_eq!(page.evaluate("misfits()").await, json!([]), "{width} × {height}");
    }
    assert_eq!(page.evaluate(INVITATION).await, json!([true, true, 16, "white", true]));
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }").await;
    page.click_and_wait_until(
        "#invitation button",
        "window.copied?.endsWith('/skill.md and follow it') && text('#invitation button') === 'Copied'",
    )
    .await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.paint(64, 64, 5).await.status, 201);
    page.wait_until("!one('#invitation')").await;
    // The next page has none either, even if it was rendered within the same second.
    page.visit(&server.url("/")).await;
    assert_eq!(page.evaluate("one('#invitation')").await, json!(null));
}

#[tokio::test]
async fn share_copies_a_link_to_what_is_shown() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.paint(64, 64, 5).await.status, 201);
    let page = Page::open(&server.url("/#x=64&y=64&z=20"), Screen::Desktop).await;
    page.wait_until("text('#zoom-level') === '20×'").await;
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }").await;
    page.click_and_wait_until("#share", "window.copied && text('#share') === 'Copied'").await;
    assert_eq!(page.evaluate("window.copied").await, server.url("/#x=64&y=64&z=20"));
    assert_eq!(page.evaluate("text('#announcement')").await, "The link is copied.");
    page.wait_until("text('#share') === 'Share'").await;
    // The card of a pixel is in the link, too.
    open_card(&page, (64, 64)).await;
    page.click_and_wait_until("#share", "window.copied?.endsWith('#x=64&y=64&z=20&pixel=64.64')").await;
    page.evaluate("one('#inspect .icon-button').click()").await;
    page.wait_until("!shown('#inspect') && text('#share') === 'Share'").await;
    // Without clipboard access the address bar holds the link.
    page.evaluate("navigator.clipboard.writeText = async () => { throw new Error(); }").await;
    page.evaluate("one('#share').click()").await;
    page.wait_until("text('#notice').startsWith('The link is in the address bar.')").await;
    // A phone opens its own dialog.
    page.chrome.emulate_screen(390, 844, true).await;
    page.evaluate("navigator.share = async ({ url }) => { window.shared = url; }").await;
    page.evaluate("one('#share').click()").await;
    page.wait_until("window.shared?.includes('#x=64&y=64')").await;
}
