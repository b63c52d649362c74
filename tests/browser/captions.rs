//! Messages beside what they are about: captions over the canvas, the newest message on phones, pieces of the
//! picture.

use serde_json::{Value, json};

use super::chrome::{Chrome, Screen};
use super::fixtures::UNLIMITED;
use super::page::Page;
use super::support::{Agent, Server};

/// Records from now on in `window.captions` when captions appear over the canvas, how they look then, and
/// when they are removed. On a slow machine they end before a test can look at them.
const RECORD_CAPTIONS: &str = "(() => {
    const records = new Map();
    window.captions = [];
    const add = (node) => {
        const record = {
            author: node.querySelector('.name')?.textContent,
            text: node.querySelector('.caption-text').textContent,
            ariaHidden: node.ariaHidden,
            opacity: getComputedStyle(node).opacity,
            box: node.getBoundingClientRect().toJSON(),
            canvas: one('#pixels').getBoundingClientRect().toJSON(),
            shownAt: performance.now(),
            removedAt: null,
        };
        records.set(node, record);
        window.captions.push(record);
    };
    new MutationObserver((changes) => {
        for (const { addedNodes, removedNodes } of changes) {
            // A caption without a place in sight is removed at once.
            [...addedNodes].filter((node) => node.isConnected && node.matches?.('.caption')).forEach(add);
            for (const node of removedNodes) if (records.has(node)) records.get(node).removedAt = performance.now();
        }
    }).observe(one('#layers'), { childList: true });
})()";
/// The texts of the recorded captions.
const CAPTIONS: &str = "window.captions.map((caption) => caption.text)";
/// The distance in CSS pixels between the first caption and the cell `given` of the fitted canvas, when the
/// caption appeared.
const DISTANCE: &str = "(() => {
    const { canvas, box } = window.captions[0];
    const [x, y] = [canvas.left + (given[0] + 0.5) * canvas.width / 128, canvas.top + (given[1] + 0.5) * canvas.height / 128];
    const outside = (at, from, to) => Math.max(from - at, 0, at - to);
    return Math.hypot(outside(x, box.left, box.right), outside(y, box.top, box.bottom));
})()";
/// A caption ends by itself after six seconds, and is recorded a moment after it has begun.
const MIN_FULL_TIME_MS: f64 = 5_900.0;
/// The visible controls of the canvas that are out of sight or covered.
const HIDDEN_CONTROLS: &str = "(scrollTo(0, 0), controls().filter((node) => node.closest('.toolbar, .time') && !reachable(node)).map(describe))";
/// The colour in the middle of the first piece of the picture.
const PICTURE_COLOR: &str = "(({ width, height }, context) => '#' + [...context.getImageData(width >> 1, height >> 1, 1, 1).data.slice(0, 3)].map((part) => part.toString(16).padStart(2, '0')).join(''))(one('.region-picture'), one('.region-picture').getContext('2d'))";

async fn paint(agent: &Agent<'_>, x: i64, y: i64, color: i64) {
    let reply = agent.paint(x, y, color).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
}

/// Returns the only caption that was recorded, once it has been removed.
async fn removed_caption(page: &Page) -> Value {
    page.wait_until("window.captions[0]?.removedAt").await;
    let [caption] = serde_json::from_value::<[Value; 1]>(page.evaluate("window.captions").await).unwrap();
    caption
}

/// Posts a message and returns its id.
async fn post(agent: &Agent<'_>, body: Value) -> String {
    let reply = agent.post("/api/chat", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["message"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_message_stands_beside_the_newest_pixel_of_its_author_for_a_while() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.evaluate(RECORD_CAPTIONS).await;
    paint(&ada, 90, 40, 5).await;
    let words = "A lantern, with a warm window and a long path that leads down to the water, where somebody else may paint.";
    post(&ada, json!({"content": words})).await;
    let caption = removed_caption(&page).await;
    assert_eq!((&caption["author"], &caption["ariaHidden"]), (&json!("Ada"), &json!("true")), "{caption}");
    let text = caption["text"].as_str().unwrap();
    assert!(text.ends_with('…') && text.chars().count() <= 90, "{text}");
    let distance = page.evaluate_with(DISTANCE, json!([90, 40])).await.as_f64().unwrap();
    assert!(distance < 16.0, "{distance} from the pixel");
    assert_eq!(page.evaluate("lines()").await, words);
}

#[tokio::test]
async fn captions_show_what_is_in_sight_and_was_not_taken_down() {
    let server = Server::start_with(&UNLIMITED).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let page = Page::open(&server.url("/#x=20&y=20&z=20"), Screen::Desktop).await;
    // With reduced motion they come and go at once.
    page.chrome.set_color_scheme("dark").await;
    page.evaluate(RECORD_CAPTIONS).await;
    paint(&ada, 120, 120, 5).await;
    paint(&bob, 20, 20, 5).await;
    post(&ada, json!({"content": "Far away."})).await;
    let id = post(&bob, json!({"content": "Here."})).await;
    page.wait_until("window.captions.length").await;
    let request = server.client.delete(server.url(&format!("/api/chat/{id}"))).bearer_auth(&bob.key);
    assert_eq!(request.send().await.unwrap().status(), 200);
    let caption = removed_caption(&page).await;
    assert_eq!((&caption["text"], &caption["opacity"]), (&json!("Here."), &json!("1")), "{caption}");
    let [shown_at, removed_at] = ["shownAt", "removedAt"].map(|name| caption[name].as_f64().unwrap());
    assert!(removed_at - shown_at < MIN_FULL_TIME_MS, "it ended by itself: {caption}");
    // An intent stands beside its regions rather than beside its author.
    let region = json!({"x1": 18, "y1": 18, "x2": 22, "y2": 22});
    post(&ada, json!({"content": "A pond.", "type": "intent", "region": region})).await;
    page.wait_until_with(&format!("{CAPTIONS}.join() === given"), json!("Here.,A pond.")).await;
}

#[tokio::test]
async fn playback_shows_captions_of_its_moment() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    paint(&ada, 60, 60, 5).await;
    let seq = server.head().await;
    for x in 1..10 {
        paint(&ada, 60 + x, 60, 5).await;
    }
    // Half of the replay comes before the message, and half of it after.
    server.advance_clock(600);
    post(&ada, json!({"content": "The first line."})).await;
    server.advance_clock(600);
    paint(&ada, 60, 61, 5).await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url(&format!("/#at={seq}"))).await;
    page.wait_until("text('#status').trim() === 'Past' && one('#time').hasAttribute('data-ready')").await;
    page.evaluate(RECORD_CAPTIONS).await;
    post(&ada, json!({"content": "Said now."})).await;
    page.evaluate("(choose('#time-speed', '10'), one('#time-play').click())").await;
    page.wait_until_with(&format!("{CAPTIONS}.join() === given"), json!("The first line.")).await;
}

#[tokio::test]
async fn the_half_open_sheet_of_a_phone_leaves_the_canvas_in_sight() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    post(&ada, json!({"content": "A lantern."})).await;
    page.wait_until("text('#chat-preview') === 'Ada A lantern.'").await;
    let is_settled = "!one('#chat').getAnimations().length";
    page.evaluate("one('#sheet-toggle').click()").await;
    page.wait_until(is_settled).await;
    let heights = "[one('#chat').getBoundingClientRect().top, one('#frame').getBoundingClientRect().bottom]";
    let [sheet, frame] = serde_json::from_value::<[f64; 2]>(page.evaluate(heights).await).unwrap();
    assert!(frame <= sheet, "the sheet begins at {sheet}, the canvas ends at {frame}");
    assert_eq!(
        page.evaluate("shown('#log') && text('#sheet-toggle .sr-only')").await,
        "Show more of the chat"
    );
    page.evaluate("one('#sheet-toggle').click()").await;
    page.wait_until(&format!("one('#chat').hasAttribute('data-full') && {is_settled}")).await;
    let full = page.evaluate(heights).await[0].as_f64().unwrap();
    assert!(full < sheet, "the full sheet begins at {full}");
    page.evaluate("one('#sheet-toggle').click()").await;
    page.wait_until("one('#sheet-toggle').ariaExpanded === 'false'").await;
}

#[tokio::test]
async fn low_screens_have_canvas_tools_and_chat_side_by_side() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    paint(&ada, 60, 60, 5).await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    for (width, height, is_touch) in [(844, 390, true), (720, 450, false)] {
        page.chrome.emulate_screen(width, height, is_touch).await;
        page.visit(&server.url("/")).await;
        page.wait_until("one('#time').hasAttribute('data-ready')").await;
        assert_eq!(page.evaluate(HIDDEN_CONTROLS).await, json!([]), "{width} × {height}");
        let edges = "[one('#frame').getBoundingClientRect().right, one('.toolbar').getBoundingClientRect().left, one('.toolbar').getBoundingClientRect().right, one('#chat').getBoundingClientRect().left]";
        let edges = serde_json::from_value::<[f64; 4]>(page.evaluate(edges).await).unwrap();
        assert!(edges.is_sorted(), "{width} × {height}: {edges:?}");
        let is_in_sight = "one('#frame').getBoundingClientRect().bottom <= innerHeight && document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(page.evaluate(is_in_sight).await, true, "{width} × {height}");
    }
}

#[tokio::test]
async fn an_intent_shows_its_piece_of_the_picture() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let palette = server.get("/api/canvas").await.body["palette"].clone();
    let hex = |color: usize| {
        let colors = palette.as_array().unwrap();
        let found = colors.iter().find(|entry| entry["index"] == color).unwrap();
        json!(found["hex"].as_str().unwrap()[..7].to_lowercase())
    };
    paint(&ada, 12, 12, 5).await;
    let region = json!({"x1": 12, "y1": 12, "x2": 12, "y2": 12});
    post(&ada, json!({"content": "A dot.", "type": "intent", "region": region})).await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("one('.region-picture')").await;
    page.wait_until_with(&format!("{PICTURE_COLOR} === given"), hex(5)).await;
    paint(&ada, 12, 12, 12).await;
    page.wait_until_with(&format!("{PICTURE_COLOR} === given"), hex(12)).await;
    assert_eq!(page.evaluate("text('.intent-map .coordinates')").await, "12, 12 to 12, 12");
}
