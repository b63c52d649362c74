//! The pages of plans: a plan that is painted while it is looked at, and the board on which one is drawn.

use serde_json::{Value, json};

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::keyboard::{DOWN, ENTER, RIGHT, check_tab_order};
use super::page::Page;
use super::reports_and_passes::sign_in_with_pass;
use super::support::{Agent, Reply, Server};
use super::viewers::UNLIMITED;

/// The colour of a cell's centre on the canvas element with this id, as hex digits.
const CELL_COLOR: &str = "(([id, width, x, y]) => { const canvas = one(`#${id}`); const side = canvas.width / width; \
     const copy = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true }); \
     copy.drawImage(canvas, -Math.floor((x + 0.5) * side), -Math.floor((y + 0.5) * side)); \
     const { data } = copy.getImageData(0, 0, 1, 1); \
     return [...data.slice(0, 3)].map((part) => part.toString(16).padStart(2, '0')).join(''); })(given)";
/// The screen sizes: width, height, and true for touch.
const SCREENS: [(u32, u32, bool); 3] = [(320, 568, true), (768, 1024, true), (1440, 900, false)];

async fn open_plan(agent: &Agent<'_>) -> String {
    let body = json!({"title": "A house", "x": 10, "y": 20, "rows": ["55", ".6"], "note": "From the left."});
    let reply = agent.post("/api/plans", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["plan"]["id"].as_str().unwrap().to_owned()
}

async fn paint(agent: &Agent<'_>, x: i64, y: i64, color: i64) {
    let reply = agent.paint(x, y, color).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
}

/// Asserts that the page fits every screen and is accessible.
async fn assert_well_made(page: &Page, label: &str) {
    for (width, height, is_touch) in SCREENS {
        page.chrome.emulate_screen(width, height, is_touch).await;
        page.wait_for_paint().await;
        assert_eq!(page.evaluate("misfits()").await, json!([]), "{label}, {width}");
    }
    assert_accessible(page, label).await;
}

#[tokio::test]
async fn page_of_a_plan_follows_the_canvas_and_replays_it() {
    let server = Server::start_with(&UNLIMITED).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let id = open_plan(&ada).await;
    paint(&ada, 10, 20, 5).await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    page.visit(&server.url(&format!("/plans/{id}"))).await;
    page.wait_until("text('#replay-moment') === 'Now'").await;
    let color_at = async |x: i64, y: i64| page.evaluate_with(CELL_COLOR, json!(["area", 2, x, y])).await;
    assert_eq!(color_at(0, 0).await, "e50000");
    paint(&bob, 11, 20, 5).await;
    page.wait_until("text('#done') === '2' && text('#helpers').includes('Bob')").await;
    assert_eq!(color_at(1, 0).await, "e50000");
    // What was right and was painted over is marked with a light cross.
    paint(&bob, 10, 20, 3).await;
    page.wait_until("text('#damaged') === '1' && text('#left') === '2'").await;
    page.wait_until_with(&format!("{CELL_COLOR} === 'ffffff'"), json!(["area", 2, 0, 0])).await;
    page.evaluate("one('#show-left').click()").await;
    page.wait_until_with(&format!("{CELL_COLOR} === 'e50000'"), json!(["area", 2, 0, 0])).await;
    page.evaluate("one('#show-left').click()").await;
    assert_well_made(&page, "a plan").await;

    page.evaluate("one('#replay-slider').focus()").await;
    page.wait_until("one('#replay-slider').max === '3'").await;
    page.evaluate(
        "(one('#replay-slider').value = '1', one('#replay-slider').dispatchEvent(new Event('input')))",
    )
    .await;
    page.wait_until("one('#replay-slider').getAttribute('aria-valuetext').endsWith(': 1 pixel right')").await;
    page.wait_until_with(&format!("{CELL_COLOR} === 'e50000'"), json!(["area", 2, 0, 0])).await;
    assert_eq!(color_at(1, 0).await, "ffffff");
    page.evaluate("one('#replay-play').click()").await;
    page.wait_until("one('#replay-play').hasAttribute('data-playing')").await;
    page.wait_until("text('#replay-moment') === 'Now'").await;

    assert_eq!(page.evaluate("shown('#ends')").await, true);
    for (x, y, color) in [(10, 20, 5), (11, 21, 6)] {
        paint(&ada, x, y, color).await;
    }
    page.wait_until("text('#plan-state') === 'Finished' && !shown('#ends')").await;
    assert_eq!(ada.post(&format!("/api/plans/{id}/close"), json!({})).await.status, 200);
    page.wait_until("text('#plan-state') === 'Closed' && text('#replay-moment') === 'When the plan ended'")
        .await;
    assert_well_made(&page, "an ended plan").await;
    assert_eq!(page.chrome.take_log("browser").await, Vec::<Value>::new());
}

#[tokio::test]
async fn pass_holder_draws_a_plan_by_keyboard_changes_and_closes_it() {
    let server = Server::start_with(&UNLIMITED).await;
    let key = server.create_operator_key("desk").await;
    let (page, pass) = sign_in_with_pass(&server, &key).await;
    page.visit(&server.url("/plans/new")).await;
    page.wait_until("shown('#plan-form') && one('#board').width > 100").await;
    assert_well_made(&page, "the board").await;
    page.evaluate("(document.activeElement.blur(), scrollTo(0, 0))").await;
    check_tab_order(&page, "the board").await;
    page.evaluate("one('#board').focus()").await;
    page.wait_until("text('#cell') === '52, 52: left as it is, white on the canvas'").await;
    for keys in [&['5'][..], &[' '], &[RIGHT], &[' '], &[DOWN], &['d'], &[' ']] {
        page.chrome.press(keys).await;
    }
    page.wait_until("text('#cell') === '53, 53: dark blue'").await;
    page.chrome.press(&[RIGHT]).await;
    page.chrome.press(&[' ']).await;
    page.evaluate("one('#undo').click()").await;
    page.evaluate(
        "(one('#plan-title').value = 'A hook', one('#plan-title').dispatchEvent(new Event('input')))",
    )
    .await;
    // The drawing is still there after a reload.
    page.wait_until("localStorage.getItem('caraplace-plan-draft')?.includes('A hook')").await;
    page.visit(&server.url("/plans/new")).await;
    page.wait_until("shown('#plan-form') && one('#plan-title').value === 'A hook'").await;
    page.evaluate("one('#post').click()").await;
    page.wait_until("shown('#posted') && text('#posted-line').startsWith('Help paint plan plan_')").await;
    assert_accessible(&page, "a posted plan").await;
    assert_eq!(page.evaluate("localStorage.getItem('caraplace-plan-draft')").await, Value::Null);
    let plans = server.get("/api/plans").await.body["plans"].clone();
    let path = format!("/plans/{}", plans[0]["id"].as_str().unwrap());
    let plan = server.get(&format!("/api{path}")).await.body["plan"].clone();
    assert_eq!((&plan["title"], &plan["x"], &plan["width"]), (&json!("A hook"), &json!(52), &json!(24)));
    let start = |row: usize| plan["rows"][row].as_str().unwrap()[..3].to_owned();
    assert_eq!((start(0), start(1)), ("55.".to_owned(), ".d.".to_owned()));

    // The author changes it, after it was changed elsewhere.
    page.visit(&server.url(&format!("{path}/edit"))).await;
    page.wait_until("shown('#plan-form') && one('#plan-title').value === 'A hook'").await;
    let change = json!({"expected_version": 1, "title": "A bent hook"});
    let request = server.client.put(server.url(&format!("/api{path}"))).bearer_auth(&pass).json(&change);
    assert_eq!(Reply::fetch(request).await.status, 200);
    page.evaluate("one('#post').click()").await;
    page.wait_until("text('#post-status').includes('changed elsewhere')").await;
    page.evaluate("one('#post-status button').click()").await;
    page.wait_until("shown('#draft-choice') && focused() === 'draft-title'").await;
    assert_eq!(page.evaluate("text('#newer-title-text') + text('#newer-version')").await, "A bent hook2");
    assert_well_made(&page, "the choice of a draft").await;
    page.evaluate("one('#take-newer').click()").await;
    page.wait_until("shown('#plan-form') && one('#plan-title').value === 'A bent hook'").await;
    page.evaluate("one('#post').click()").await;
    page.wait_until("shown('#posted') && text('#posted-title') === 'The plan is saved'").await;

    page.visit(&server.url(&path)).await;
    page.wait_until("shown('#own-plan')").await;
    page.evaluate("one('#own-plan summary').click()").await;
    assert_well_made(&page, "an own plan").await;
    page.evaluate("one('#close-plan').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("text('#plan-state') === 'Closed' && !one('#own-plan')").await;
}

#[tokio::test]
async fn drawing_for_an_older_version_is_kept() {
    let server = Server::start_with(&UNLIMITED).await;
    let key = server.create_operator_key("desk").await;
    let (page, pass) = sign_in_with_pass(&server, &key).await;
    let plan = json!({"title": "A hook", "x": 10, "y": 20, "rows": ["55"]});
    let opened =
        Reply::fetch(server.client.post(server.url("/api/plans")).bearer_auth(&pass).json(&plan)).await;
    let path = format!("/plans/{}", opened.body["plan"]["id"].as_str().unwrap());
    page.visit(&server.url(&format!("{path}/edit"))).await;
    page.wait_until("shown('#plan-form')").await;
    page.evaluate("one('#board').focus()").await;
    for key in ['6', ' '] {
        page.chrome.press(&[key]).await;
    }
    page.wait_until("Object.values(localStorage).some((draft) => draft.includes('\"65\"'))").await;
    let change = json!({"expected_version": 1, "title": "A bent hook", "rows": ["555"]});
    let request = server.client.put(server.url(&format!("/api{path}"))).bearer_auth(&pass).json(&change);
    assert_eq!(Reply::fetch(request).await.status, 200);
    // Until the visitor has chosen, the drawing stays in the browser.
    for _ in 0..2 {
        page.visit(&server.url(&format!("{path}/edit"))).await;
        page.wait_until("shown('#draft-choice')").await;
        assert_eq!(page.evaluate("shown('#plan-form') || shown('#editor-loading')").await, false);
    }
    assert_eq!(
        page.evaluate(
            "['draft', 'newer'].map((name) => text(`#${name}-title-text`) + text(`#${name}-version`))"
        )
        .await,
        json!(["A hook1", "A bent hook2"])
    );
    page.evaluate("one('#take-draft').click()").await;
    page.wait_until("shown('#plan-form') && focused() === 'board' && one('#plan-title').value === 'A hook'")
        .await;
    page.evaluate("one('#post').click()").await;
    page.wait_until("shown('#posted')").await;
    let plan = server.get(&format!("/api{path}")).await.body["plan"].clone();
    assert_eq!(
        (&plan["version"], &plan["title"], &plan["rows"]),
        (&json!(3), &json!("A hook"), &json!(["65"]))
    );
}

#[tokio::test]
async fn visitor_without_pass_reads_what_a_pass_is() {
    let server = Server::start_with(&UNLIMITED).await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url("/plans/new")).await;
    page.wait_until("shown('#needs-pass') && !shown('#plan-form') && !shown('#editor-loading')").await;
    assert_eq!(page.chrome.take_log("browser").await, Vec::<Value>::new());
    page.visit(&server.url("/plans/new?as=operator")).await;
    page.wait_until("shown('#needs-operator')").await;
}
