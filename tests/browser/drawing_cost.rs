//! The work of drawing while agents paint. Only what does not depend on the machine is asserted; `make page`
//! measures the processor's time.

use std::ops::Range;

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::fixtures::UNLIMITED;
use super::page::Page;
use super::support::{Agent, Server};

/// Counts the frames that the page requests, and the animations that the browser runs by itself.
const COUNT_SCRIPT: &str = "window.frames_requested = 0;
    const request = window.requestAnimationFrame;
    window.requestAnimationFrame = (run) => {
      window.frames_requested++;
      return request(run);
    };
    window.animations = 0;
    for (const kind of ['animationstart', 'transitionrun']) {
      addEventListener(kind, ({ target }) => { if (target.matches?.('#layers *')) window.animations++; }, true);
    }";
/// Minimum mean time between frames that the visitor has not caused; `frame-pacer.js` waits 125 ms or more.
const MIN_FRAME_MS: f64 = 100.0;
/// True once no frame was requested during 40 looks in a row, each of them 30 ms or more after the one
/// before.
const IS_STILL: &str = "(window.looks = window.frames_requested === window.frames_seen ? (window.looks ?? 0) + 1 : 0, \
                        window.frames_seen = window.frames_requested, window.looks >= 40)";

async fn counting_page(server: &Server) -> Page {
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": COUNT_SCRIPT})).await;
    page.visit(&server.url("/")).await;
    page
}

/// Places pixels all over the canvas, one per tick of the page; each number up to 127 has a place of its own.
async fn paint_pixels(agent: &Agent<'_>, page: &Page, numbers: Range<i64>) {
    for number in numbers {
        assert_eq!(agent.paint(number * 37 % 128, number * 53 % 128, number % 15 + 1).await.status, 201);
        page.chrome.run_async("const [done] = arguments; setTimeout(done, 30, true);", vec![]).await.unwrap();
    }
}

#[tokio::test]
async fn frames_are_few_while_pixels_arrive_and_none_when_nothing_fades() {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Brushtail").await;
    let page = counting_page(&server).await;
    // Highlights and name tags load with the first placements.
    paint_pixels(&agent, &page, 0..60).await;
    page.wait_until("one('canvas.overlay:not(#overlay)')").await;

    let before = page.evaluate("[window.frames_requested, performance.now()]").await;
    paint_pixels(&agent, &page, 60..120).await;
    let after = page.evaluate("[window.frames_requested, performance.now()]").await;
    let grown = |index: usize| after[index].as_f64().unwrap() - before[index].as_f64().unwrap();
    assert!(grown(0) > 5.0, "the pixels were drawn: {} frames", grown(0));
    assert!(grown(0) <= grown(1) / MIN_FRAME_MS + 2.0, "{} frames in {} ms", grown(0), grown(1));
    page.wait_until_with("same(given)", server.get("/api/canvas").await.body).await;

    page.wait_until("!one('.name-tag')").await;
    // The last highlights fade, and then nothing is drawn.
    page.wait_until(IS_STILL).await;
    assert_eq!(page.evaluate("window.animations").await, 0, "the browser animated over the canvas by itself");
}

#[tokio::test]
async fn nothing_moves_over_the_canvas_with_reduced_motion() {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Brushtail").await;
    let page = counting_page(&server).await;
    page.chrome.set_color_scheme("dark").await;
    paint_pixels(&agent, &page, 0..60).await;
    page.wait_until_with("same(given)", server.get("/api/canvas").await.body).await;
    page.wait_until("one('canvas.overlay:not(#overlay)')").await;
    paint_pixels(&agent, &page, 60..70).await;
    let lit = "[...document.querySelectorAll('canvas.overlay')].some((layer) => layer.getContext('2d').getImageData(0, 0, layer.width, layer.height).data.some((part) => part > 0))";
    assert_eq!(page.evaluate(lit).await, false);
    assert_eq!(page.evaluate("[!!one('.name-tag'), window.animations]").await, json!([false, 0]));
}

/// A shadow in the layer of the page would be drawn again with every change of the canvas.
#[tokio::test]
async fn the_shadow_of_the_frame_is_a_layer_of_its_own() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    let shadows = page
        .evaluate("(({ boxShadow }, { boxShadow: outer, willChange }) => [boxShadow.split(/,(?![^(]*\\))/).every((shadow) => shadow.includes('inset')), outer !== 'none', willChange])(getComputedStyle(one('#frame')), getComputedStyle(one('#frame'), '::before'))")
        .await;
    assert_eq!(shadows, json!([true, true, "transform"]));
    page.wait_until("one('#pixels').hasAttribute('data-painted')").await;
}
