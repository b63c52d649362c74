//! One time for everything: lenses, cards, painters, numbers, plans and links show the moment that the canvas
//! shows.

use serde_json::{Value, json};

use super::chrome::Screen;
use super::fixtures::UNLIMITED;
use super::page::Page;
use super::support::{Agent, Server};

/// The painters that the list shows.
const PAINTERS: &str =
    "[...document.querySelectorAll('.painters ol:not([hidden]) .name')].map((name) => name.textContent)";
/// The painters that the list of the lens shows.
const LENS_PAINTERS: &str =
    "[...document.querySelectorAll('#painter-list .name')].map((name) => name.textContent).sort()";
/// True for a fact of the title card that is hidden with its name.
const IS_HIDDEN: &str = "((id) => [one(id), one(id).previousElementSibling].every((node) => getComputedStyle(node).visibility === 'hidden'))";
/// The colours of the pixels (10, 10) and (20, 10) on the fitted canvas.
const COLORS: &str = "[10, 20].map((x) => { const { width } = one('#pixels'), at = (x + 0.5) * width / 128; \
    return one('#pixels').getContext('2d').getImageData(at, 10.5 * width / 128, 1, 1).data.slice(0, 3).join(); })";

async fn paint(agent: &Agent<'_>, x: i64, y: i64, color: i64) {
    let reply = agent.paint(x, y, color).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
}

/// A server on which Brushtail has painted two pixels, and an hour later Otter has painted over one of them.
struct Overpainted {
    server: Server,
    /// The event after which both pixels were Brushtail's.
    before: i64,
}

async fn overpainted() -> Overpainted {
    let server = Server::start_with(&UNLIMITED).await;
    let (brushtail, otter) = (server.register_agent("Brushtail").await, server.register_agent("Otter").await);
    paint(&brushtail, 10, 10, 5).await;
    paint(&brushtail, 20, 10, 5).await;
    let before = server.head().await;
    server.advance_clock(3_600);
    paint(&otter, 10, 10, 6).await;
    Overpainted { server, before }
}

/// Opens the live canvas and waits for the time bar.
async fn open_page(server: &Server) -> Page {
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    page
}

/// Goes to the moment after an event, and leaves the rest of the address as it is.
async fn show_moment(page: &Page, seq: i64) {
    let script = "(() => { const fields = new URLSearchParams(location.hash.slice(1)); fields.set('at', given); location.hash = fields; })()";
    page.evaluate_with(script, json!(seq)).await;
    page.wait_until("text('#status').trim() === 'Past'").await;
}

#[tokio::test]
async fn lens_shows_the_past_moment_and_is_in_the_link() {
    let Overpainted { server, before } = overpainted().await;
    let page = open_page(&server).await;
    page.evaluate("choose('#lens', 'painter')").await;
    page.wait_until("text('#legend') === '2 painters'").await;
    page.evaluate("one('#legend button').click()").await;
    page.wait_until_with(&format!("{LENS_PAINTERS}.join() === given"), json!("Brushtail,Otter")).await;
    page.evaluate("one('#painter-list').hidePopover()").await;
    page.wait_until(&format!("new Set({COLORS}).size === 2 && location.hash === '#lens=painter'")).await;
    show_moment(&page, before).await;
    page.wait_until("text('#legend') === '1 painter'").await;
    page.wait_until(&format!("new Set({COLORS}).size === 1")).await;
    assert_eq!(
        page.evaluate("[one('#lens').value, one('#lens').disabled, location.hash]").await,
        json!(["painter", false, format!("#lens=painter&at={before}")])
    );
    page.evaluate("choose('#lens', 'age')").await;
    page.wait_until("text('#legend').startsWith('then') && text('#legend').endsWith(' before')").await;
    page.evaluate("one('#time-live').click()").await;
    page.wait_until("live() && text('#legend').startsWith('now')").await;

    page.visit(&server.url(&format!("/#at={before}&lens=contested"))).await;
    page.wait_until("text('#status').trim() === 'Past' && text('#legend').startsWith('1 placement')").await;
    assert_eq!(page.evaluate("one('#lens').value").await, "contested");
    page.evaluate("choose('#lens', 'paint')").await;
    page.wait_until_with("!shown('#legend') && location.hash === given", json!(format!("#at={before}")))
        .await;
}

#[tokio::test]
async fn highlighted_pixels_are_those_of_the_moment() {
    let Overpainted { server, before } = overpainted().await;
    let page = open_page(&server).await;
    let agent = server.get("/api/pixel?x=20&y=10").await.body["agent_id"].clone();
    page.evaluate_with("location.hash = `agent=${given}`", agent).await;
    page.wait_until("text('#legend').startsWith('1 pixel of Brushtail')").await;
    show_moment(&page, before).await;
    page.wait_until("text('#legend').startsWith('2 pixels of Brushtail')").await;
    page.evaluate("one('#time-live').click()").await;
    page.wait_until("live() && text('#legend').startsWith('1 pixel of Brushtail')").await;
}

#[tokio::test]
async fn card_shows_the_pixel_of_the_moment_and_its_link_keeps_the_moment() {
    let Overpainted { server, before } = overpainted().await;
    let page = Page::open(&server.url("/#pixel=10.10"), Screen::Desktop).await;
    page.wait_until("text('#inspect .card-agent') === 'Otter' && !!one('[data-focus-key=report]')").await;
    show_moment(&page, before).await;
    page.wait_until("text('#inspect .card-agent') === 'Brushtail'").await;
    assert_eq!(
        page.evaluate("[text('#inspect .card-time').startsWith('Red, '), text('#inspect .past-note').startsWith('As it was on '), !!one('[data-focus-key=report]')]").await,
        json!([true, true, false])
    );
    page.evaluate("navigator.clipboard.writeText = async (words) => { window.copied = words; }").await;
    page.evaluate("one('[data-focus-key=copy]').click()").await;
    let has_fields = "window.copied && given.every(([name, value]) => new URLSearchParams(new URL(copied).hash.slice(1)).get(name) === value)";
    page.wait_until_with(has_fields, json!([["pixel", "10.10"], ["at", before.to_string()]])).await;
    show_moment(&page, 1).await;
    page.wait_until("text('#inspect .card-agent') === 'Not painted then'").await;
    page.evaluate("one('#time-live').click()").await;
    page.wait_until("live() && text('#inspect .card-agent') === 'Otter' && !one('#inspect .past-note')")
        .await;
}

#[tokio::test]
async fn painters_and_numbers_are_those_of_the_moment() {
    let Overpainted { server, before } = overpainted().await;
    let page = open_page(&server).await;
    page.wait_until(&format!("{PAINTERS}.includes('Otter')")).await;
    page.wait_until("text('#fact-agents') === '2'").await;
    show_moment(&page, before).await;
    page.wait_until_with(&format!("{PAINTERS}.join() === given"), json!("Brushtail")).await;
    assert_eq!(page.evaluate("text('#painters-title')").await, "Painted then");
    let facts = ["#fact-agents", "#fact-active", "#fact-watching", "#fact-pixels", "#fact-day"];
    assert_eq!(
        page.evaluate_with(&format!("given.map({IS_HIDDEN})"), json!(facts)).await,
        json!([true, true, true, false, false])
    );
    page.evaluate("one('.painters ol:not([hidden]) button').click()").await;
    page.wait_until("shown('.chip') && location.hash.includes('agent=') && text('#legend').startsWith('2 pixels of Brushtail')").await;
    page.evaluate("one('#time-live').click()").await;
    page.wait_until(&format!("live() && {PAINTERS}.includes('Otter')")).await;
    assert_eq!(
        page.evaluate(&format!("[text('#painters-title'), {IS_HIDDEN}('#fact-agents')]")).await,
        json!(["Painting now", false])
    );
}

#[tokio::test]
async fn link_without_a_moment_says_so_and_shows_now() {
    let Overpainted { server, before } = overpainted().await;
    let page = open_page(&server).await;
    page.evaluate("location.hash = 'at=abc'").await;
    page.wait_until("text('#notice').startsWith('“abc” is no time or event number. This is now.')").await;
    page.wait_until("live() && location.hash === ''").await;
    let refusals = [
        ("at=999999", "That moment is still to come. This is the canvas of now."),
        ("at=2999-01-01T00:00:00Z", "That moment is still to come. This is the canvas of now."),
    ];
    for (hash, message) in refusals {
        page.evaluate_with("location.hash = given", json!(hash)).await;
        page.wait_until_with("text('#time-message') === given", json!(message)).await;
        page.wait_until("live() && location.hash === ''").await;
    }
    // A time leads to the moment as the number of an event does.
    let canvas = server.get(&format!("/api/canvas?at={before}")).await.body;
    page.evaluate_with("location.hash = `at=${given}`", canvas["at"]["time"].clone()).await;
    page.wait_until("text('#status').trim() === 'Past'").await;
    page.wait_until_with("same(given)", canvas).await;
    assert_eq!(page.evaluate("text('#time-message')").await, Value::from(""));
}
