//! Rectangles: drawn by mouse, touch and keyboard, with their card, link, picture and report.

use serde_json::{Value, json};

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::fixtures::{UNLIMITED, next_season};
use super::keyboard::{DOWN, ENTER, ESCAPE, RIGHT, SHIFT};
use super::page::Page;
use super::support::Server;
use super::support::actions::{paint, post_intent};

/// Shift in the modifiers of an event of the `DevTools` protocol.
const SHIFT_MODIFIER: i64 = 8;
const CARD_TITLE: &str = "text('#inspect .card-agent')";
const PAINTERS: &str = "[...document.querySelectorAll('#inspect .painters-here li')].map((row) => \
                        [row.querySelector('.name').textContent, row.querySelector('.num').firstChild.textContent])";
const IS_TOOL_ON: &str = "one('#rectangle').ariaPressed === 'true' && shown('.rectangle-hint')";
const IS_TOOL_OFF: &str = "one('#rectangle').ariaPressed === 'false' && !shown('.rectangle-hint') && \
                           !shown('.rectangle-size:not([hidden])')";

/// Returns a pixel's position on the screen while the whole canvas of 128 × 128 pixels is in view.
async fn position_of(page: &Page, (x, y): (i64, i64)) -> (f64, f64) {
    let script = "(({ left, top, width }) => [left + (given[0] + 0.5) * width / 128, top + (given[1] + 0.5) * width / 128])\
                  (one('#pixels').getBoundingClientRect())";
    serde_json::from_value(page.evaluate_with(script, json!([x, y])).await).unwrap()
}

async fn dispatch_mouse(page: &Page, kind: &str, pixel: (i64, i64), modifiers: i64) {
    let (x, y) = position_of(page, pixel).await;
    let buttons = i64::from(kind != "mouseReleased");
    let event = json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1, "modifiers": modifiers});
    page.chrome.devtools("Input.dispatchMouseEvent", event).await;
}

/// Drags the mouse from one pixel to another.
async fn drag(page: &Page, from: (i64, i64), to: (i64, i64), modifiers: i64) {
    dispatch_mouse(page, "mousePressed", from, modifiers).await;
    dispatch_mouse(page, "mouseMoved", (i64::midpoint(from.0, to.0), to.1), modifiers).await;
    dispatch_mouse(page, "mouseMoved", to, modifiers).await;
    dispatch_mouse(page, "mouseReleased", to, modifiers).await;
}

async fn tap(page: &Page, pixel: (i64, i64)) {
    let (x, y) = position_of(page, pixel).await;
    for (kind, points) in [("touchStart", json!([{"x": x, "y": y}])), ("touchEnd", json!([]))] {
        page.chrome.devtools("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points})).await;
    }
}

/// Opens a page with the card of the rectangle from 16, 17 to 39, 34.
async fn page_with_card(server: &Server, path: &str) -> Page {
    let page = Page::open(&server.url(path), Screen::Desktop).await;
    page.wait_until(&format!("{CARD_TITLE} === '24 × 18 pixels'")).await;
    page
}

#[tokio::test]
async fn drag_with_shift_opens_a_card_with_painters_plans_and_words() {
    let server = Server::start_with(&UNLIMITED).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_intent(&bob, "A roof for all of us", [20, 20, 30, 30]).await;
    post_intent(&bob, "Somewhere else", [90, 90, 99, 99]).await;
    assert_eq!(ada.post_message("My wall stands.").await.status, 201);
    paint(&ada, (12..18).map(|x| (x, 12))).await;
    paint(&bob, [(20, 20), (21, 20), (60, 60)]).await;
    let plan =
        ada.post("/api/plans", json!({"title": "Lighthouse", "x": 14, "y": 14, "rows": ["55", "55"]})).await;
    assert_eq!(plan.status, 201, "{}", plan.body);
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    page.visit(&server.url("/")).await;
    page.wait_until("one('#plan-outlines').ariaPressed === 'true'").await;

    drag(&page, (33, 10), (10, 27), SHIFT_MODIFIER).await;
    page.wait_until(&format!("{CARD_TITLE} === '24 × 18 pixels'")).await;
    assert_eq!(page.evaluate("text('#inspect-title')").await, "x 10–33  y 10–27");
    assert_eq!(page.evaluate("text('#inspect .card-time')").await, "8 of 432 painted, by 2 agents.");
    assert_eq!(page.evaluate("text('.rectangle-size:not([hidden])')").await, "24 × 18");
    assert_eq!(page.evaluate(PAINTERS).await, json!([["Ada", "6"], ["Bob", "2"]]));
    assert_eq!(page.evaluate("text('#inspect .plans-here .name')").await, "Lighthouse");
    assert_eq!(page.evaluate("text('#inspect .intents .intent-text')").await, "A roof for all of us");
    assert_eq!(page.evaluate("text('#inspect .said').includes('My wall stands.')").await, true);
    assert_eq!(page.evaluate("location.hash").await, "#rect=10,10,33,27");
    assert_accessible(&page, "the card of a rectangle").await;

    paint(&bob, [(33, 27), (34, 27)]).await;
    page.wait_until("text('#inspect .card-time') === '9 of 432 painted, by 2 agents.'").await;
    post_intent(&ada, "And a door", [9, 9, 10, 10]).await;
    page.wait_until("text('#inspect .intents').includes('And a door')").await;
    page.evaluate("one('#inspect .said .link').click()").await;
    page.wait_until("document.activeElement?.matches('.msg')").await;

    page.evaluate("one('#pixels').focus()").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until(&format!("!shown('#inspect') && location.hash === '' && {IS_TOOL_OFF}")).await;
}

#[tokio::test]
async fn corners_are_chosen_by_keyboard_until_escape() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.evaluate("one('#pixels').focus()").await;
    page.chrome.press(&['r']).await;
    page.wait_until(IS_TOOL_ON).await;
    // The first Enter shows the pointer in the middle of the view.
    page.chrome.press(&[ENTER]).await;
    page.wait_until("text('#pointer-coordinates') === 'x 64  y 64'").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("text('#announcement').startsWith('First corner at 64, 64.')").await;
    page.chrome.press_times(RIGHT, 2).await;
    page.chrome.press(&[SHIFT, DOWN]).await;
    page.wait_until("text('.rectangle-size:not([hidden])') === '3 × 9'").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until(&format!("{IS_TOOL_OFF} && focused() === 'pixels'")).await;
    assert_eq!(page.evaluate("shown('#inspect')").await, false);

    page.chrome.press(&['r']).await;
    page.wait_until(IS_TOOL_ON).await;
    page.chrome.press(&[ENTER]).await;
    page.chrome.press(&[DOWN]).await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until(&format!("{CARD_TITLE} === '1 × 2 pixels' && location.hash === '#rect=66,72,66,73'"))
        .await;
    page.wait_until("text('#announcement') === '1 × 2 pixels. Nobody has painted here yet.'").await;
}

#[tokio::test]
async fn two_taps_or_two_clicks_are_corners_while_the_tool_is_on() {
    let server = Server::start().await;
    let phone = Page::open(&server.url("/"), Screen::Phone).await;
    phone.tap("#rectangle").await;
    phone.wait_until(IS_TOOL_ON).await;
    // Two taps as near and quick as these would zoom in while the tool is off.
    tap(&phone, (16, 17)).await;
    tap(&phone, (20, 20)).await;
    phone.wait_until(&format!("{CARD_TITLE} === '5 × 4 pixels'")).await;
    assert_eq!(phone.evaluate("one('#pixels').hasAttribute('data-zoomed')").await, false);
    assert_eq!(phone.evaluate("outside('.toolbar > *, #inspect, #inspect *')").await, json!([]));

    let desktop = Page::open(&server.url("/"), Screen::Desktop).await;
    desktop.evaluate("one('#rectangle').click()").await;
    desktop.wait_until(IS_TOOL_ON).await;
    for pixel in [(16, 17), (20, 20)] {
        dispatch_mouse(&desktop, "mousePressed", pixel, 0).await;
        dispatch_mouse(&desktop, "mouseReleased", pixel, 0).await;
    }
    desktop.wait_until(&format!("{CARD_TITLE} === '5 × 4 pixels'")).await;
    // Dragging without Shift draws, too, while the tool is on.
    desktop.evaluate("one('#rectangle').click()").await;
    desktop.wait_until(&format!("{IS_TOOL_ON} && !shown('#inspect')")).await;
    drag(&desktop, (30, 30), (49, 39), 0).await;
    desktop.wait_until(&format!("{CARD_TITLE} === '20 × 10 pixels'")).await;
}

#[tokio::test]
async fn copied_links_show_place_moment_and_rectangle_again() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let seq = paint(&ada, [(20, 20)]).await;
    paint(&ada, [(21, 20)]).await;
    let page = page_with_card(&server, "/#x=30&y=30&z=16&rect=16,17,39,34").await;
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }").await;
    page.evaluate_with("location.hash += `&at=${given}`", json!(seq)).await;
    page.wait_until("text('#status').trim() === 'Past' && shown('#inspect .past-note')").await;
    // The card shows the rectangle as it was: with one of the two pixels, and without a report.
    page.wait_until("text('#inspect .card-time') === '1 of 432 painted, by 1 agent.'").await;
    assert_eq!(page.evaluate(PAINTERS).await, json!([["Ada", "1"]]));
    assert_eq!(page.evaluate("one('#inspect [data-focus-key=report]')").await, Value::Null);
    page.evaluate("one('#inspect [data-focus-key=copy]').click()").await;
    page.wait_until("window.copied").await;
    let fields = "Object.fromEntries(new URLSearchParams(new URL(window.copied).hash.slice(1)))";
    let expected = json!({"x": "30", "y": "30", "z": "16", "rect": "16,17,39,34", "at": seq.to_string()});
    assert_eq!(page.evaluate(fields).await, expected);
    let link = page.evaluate("window.copied").await;
    assert!(link.as_str().unwrap().contains("rect=16,17,39,34"), "commas stay readable: {link}");

    page.visit(link.as_str().unwrap()).await;
    page.wait_until(
        "text('#status').trim() === 'Past' && shown('#inspect .past-note') && text('#zoom-level') === '16×'",
    )
    .await;
    assert_eq!(page.evaluate(CARD_TITLE).await, "24 × 18 pixels");
    assert_eq!(page.evaluate("text('.rectangle-size:not([hidden])')").await, "24 × 18");
    // The link to a pixel keeps the moment, too.
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }").await;
    page.evaluate_with("location.hash = `at=${given}&pixel=20.20`", json!(seq)).await;
    page.wait_until("text('#inspect-title') === 'x 20  y 20' && one('#inspect [data-focus-key=copy]')").await;
    assert_eq!(page.evaluate("shown('.rectangle-size:not([hidden])')").await, false);
    page.evaluate("one('#inspect [data-focus-key=copy]').click()").await;
    page.wait_until_with(
        "window.copied?.includes(`at=${given}`) && window.copied.includes('pixel=20.20')",
        json!(seq),
    )
    .await;
}

#[tokio::test]
async fn impossible_rectangles_in_links_are_told_and_ignored() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/#rect=0,0,128,3"), Screen::Desktop).await;
    let is_told = "text('#notice-text') === given && shown('#notice') && !shown('#retry')";
    let outside = "The link names a rectangle outside the canvas, which is 128 × 128 pixels.";
    page.wait_until_with("text('#notice-text') === given && location.hash === ''", json!(outside)).await;
    let cases = [
        ("4,4,8", "The link names a rectangle, but not by four whole numbers."),
        ("9,9,3,12", "The link names a rectangle whose corners are in the wrong order."),
        ("9,9,300,12", outside),
        ("a,b,c,d", "The link names a rectangle, but not by four whole numbers."),
    ];
    for (rectangle, problem) in cases {
        page.evaluate_with("location.hash = `rect=${given}`", json!(rectangle)).await;
        page.wait_until_with(is_told, json!(problem)).await;
        assert_eq!(page.evaluate("[location.hash, shown('#inspect')]").await, json!(["", false]));
    }
    page.evaluate("location.hash = 'rect=9,9,12,12'").await;
    page.wait_until(&format!("{CARD_TITLE} === '4 × 4 pixels'")).await;
}

#[tokio::test]
async fn picture_and_embed_line_are_those_of_the_rectangle() {
    let server = Server::start_with(&UNLIMITED).await;
    paint(&server.register_agent("Ada").await, [(20, 20)]).await;
    let page = page_with_card(&server, "/#rect=16,17,39,34").await;
    let save = "(() => {
        URL.createObjectURL = (file) => { window.file = file; return 'about:blank'; };
        HTMLAnchorElement.prototype.click = function click() { window.fileName = this.download; };
        one('#inspect [data-focus-key=picture]').click();
    })()";
    page.evaluate(save).await;
    page.wait_until("window.fileName === 'caraplace-16-17-39-34.png'").await;
    let decode = "(() => {
        void createImageBitmap(window.file).then((image) => {
            const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
            context.drawImage(image, 0, 0);
            const colorAt = (x, y) => [...context.getImageData((x + 0.5) * 32, (y + 0.5) * 32, 1, 1).data].join();
            window.picture = [image.width, image.height, colorAt(4, 3), colorAt(3, 3)];
        });
    })()";
    page.evaluate(decode).await;
    page.wait_until("window.picture").await;
    assert_eq!(page.evaluate("window.picture").await, json!([768, 576, "229,0,0,255", "255,255,255,255"]));

    page.evaluate("one('#inspect .embed-line summary').click()").await;
    page.wait_until("one('#inspect .embed-line code').checkVisibility()").await;
    let line = format!(
        "<iframe src=\"{}\" width=\"480\" height=\"400\" title=\"A part of Caraplace, live\"></iframe>",
        server.url("/embed?region=16,17,39,34")
    );
    assert_eq!(page.evaluate("text('#inspect .embed-line code')").await, line);
}

#[tokio::test]
async fn reported_part_is_drawn_and_its_numbers_can_be_changed() {
    let server = Server::start_with(&UNLIMITED).await;
    paint(&server.register_agent("Ada").await, [(20, 20)]).await;
    let page = page_with_card(&server, "/#rect=16,17,39,34").await;
    page.evaluate("one('#inspect [data-focus-key=report]').click()").await;
    page.wait_until("shown('dialog.report') && focused() === 'report-reason'").await;
    let part = "text('.report-region p')";
    assert_eq!(page.evaluate(part).await, "24 × 18 pixels, from 16, 17 to 39, 34");
    assert_eq!(
        page.evaluate("one('#report-x1').checkVisibility()").await,
        false,
        "nobody has to type numbers"
    );
    page.evaluate("one('#report-reason').value = 'a swear word'").await;

    page.evaluate("one('.report-draw').click()").await;
    page.wait_until(&format!("!shown('dialog.report') && {IS_TOOL_ON}")).await;
    drag(&page, (10, 10), (99, 20), 0).await;
    page.wait_until("shown('dialog.report')").await;
    assert_eq!(
        page.evaluate(part).await,
        "A part may be at most 64 pixels wide and high. This one has 90 × 11."
    );
    // If the visitor cancels, the part stays as it was.
    page.evaluate("one('.report-draw').click()").await;
    page.wait_until(IS_TOOL_ON).await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until(&format!("shown('dialog.report') && {IS_TOOL_OFF}")).await;
    assert_eq!(page.evaluate("one('#report-reason').value").await, "a swear word");
    page.evaluate("one('.report-numbers summary').click()").await;
    page.wait_until("one('#report-x2').checkVisibility()").await;
    page.evaluate("(one('#report-x2').value = 19, one('#report-x2').dispatchEvent(new Event('input')))")
        .await;
    assert_eq!(page.evaluate(part).await, "10 × 11 pixels, from 10, 10 to 19, 20");
    page.evaluate("one('.report [type=submit]').click()").await;
    page.wait_until("text('.report-status').startsWith('Thank you.')").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!one('dialog.report')").await;
    let query = sqlx::query_as("select kind, target from report_case");
    let stored: (String, String) = query.fetch_one(&server.pool).await.unwrap();
    assert_eq!(stored, ("canvas".to_owned(), "10,10,19,20".to_owned()));
}

#[tokio::test]
async fn rectangle_of_an_ended_season_has_its_painters_and_no_report() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    post_intent(&ada, "A tower", [18, 18, 24, 24]).await;
    paint(&ada, [(20, 20)]).await;
    next_season(&server, 48).await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url("/seasons/1#rect=16,17,39,34")).await;
    page.wait_until(&format!("{CARD_TITLE} === '24 × 18 pixels'")).await;
    assert_eq!(page.evaluate(PAINTERS).await, json!([["Ada", "1"]]));
    assert_eq!(page.evaluate("text('#inspect .intents .intent-text')").await, "A tower");
    let present_only = "[one('#inspect [data-focus-key=report]'), one('#inspect .embed-line')]";
    assert_eq!(page.evaluate(present_only).await, json!([Value::Null, Value::Null]));
    drag(&page, (40, 40), (49, 49), SHIFT_MODIFIER).await;
    page.wait_until(&format!("{CARD_TITLE} === '10 × 10 pixels'")).await;
}
