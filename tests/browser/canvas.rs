//! The canvas under hands: wheel, drag, fingers and keys, the address, the minimap, other looks, and every kind of screen.

use serde_json::{Value, json};

use super::chrome::Screen;
use super::page::Page;
use super::support::Server;

/// The middle of the canvas and its size, in CSS pixels.
const MIDDLE: &str = "(({left, top, width, height}) => [left + width / 2, top + height / 2, width])(one('#art').getBoundingClientRect())";
/// The size of a cell as the page states it.
const CELL: &str = "parseFloat(text('#zoom-level'))";

async fn middle(page: &Page) -> (f64, f64, f64) {
    let found = page.ask(MIDDLE).await;
    (found[0].as_f64().unwrap(), found[1].as_f64().unwrap(), found[2].as_f64().unwrap())
}

async fn cell(page: &Page) -> f64 {
    page.ask(CELL).await.as_f64().unwrap()
}

async fn mouse(page: &Page, kind: &str, x: f64, y: f64, more: Value) {
    let mut event = json!({"type": kind, "x": x, "y": y});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    page.chrome.devtools("Input.dispatchMouseEvent", event).await;
}

/// Presses the mouse, goes through the places and lets go at the last.
async fn drag(page: &Page, places: &[(f64, f64)]) {
    let held = json!({"button": "left", "buttons": 1, "clickCount": 1});
    mouse(page, "mousePressed", places[0].0, places[0].1, held.clone()).await;
    for (x, y) in places {
        mouse(page, "mouseMoved", *x, *y, held.clone()).await;
    }
    let (x, y) = places[places.len() - 1];
    mouse(page, "mouseReleased", x, y, json!({"button": "left", "clickCount": 1})).await;
}

async fn fingers(page: &Page, kind: &str, places: &[(f64, f64)]) {
    let points: Vec<Value> =
        places.iter().enumerate().map(|(id, (x, y))| json!({"x": x, "y": y, "id": id})).collect();
    page.chrome.devtools("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points})).await;
}

#[tokio::test]
async fn wheel_zooms_at_pointer_and_drag_pans() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    let (x, y, _) = middle(&page).await;
    let whole = cell(&page).await;
    mouse(&page, "mouseWheel", x, y, json!({"deltaX": 0, "deltaY": -900})).await;
    page.until_with("parseFloat(text('#zoom-level')) > given * 1.5", json!(whole)).await;
    mouse(&page, "mouseMoved", x, y, json!({})).await;
    page.until("/^x 6[34]  y 6[34]$/.test(text('#reading-place'))").await;

    drag(&page, &[(x, y), (x - 60.0, y), (x - 150.0, y)]).await;
    page.until("Number(new URLSearchParams(location.hash.slice(1)).get('x')) > 66").await;
    mouse(&page, "mouseWheel", x, y, json!({"deltaX": 0, "deltaY": 90, "modifiers": 2})).await;
    page.until("!one('#art').hasAttribute('data-zoomed') || parseFloat(text('#zoom-level')) < 20").await;
    page.ask("one('#zoom-fit').click()").await;
    page.until_with("parseFloat(text('#zoom-level')) === given && location.hash === ''", json!(whole)).await;
}

#[tokio::test]
async fn double_click_zooms_in_and_grid_appears() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    let (x, y, width) = middle(&page).await;
    let grid = "one('#overlay').getContext('2d').getImageData(0, 0, 200, 200).data.some((part) => part > 0)";
    assert_eq!(page.ask(grid).await, false);
    for clicks in [1, 2] {
        for kind in ["mousePressed", "mouseReleased"] {
            mouse(&page, kind, x + width / 8.0, y, json!({"button": "left", "clickCount": clicks})).await;
        }
    }
    page.until("parseFloat(text('#zoom-level')) >= 8 && one('#art').hasAttribute('data-zoomed')").await;
    page.chrome.goto(&format!("{}#x=20&y=20&z=30", server.url("/"))).await;
    page.until("text('#zoom-level') === '30×'").await;
    page.until(grid).await;
}

#[tokio::test]
async fn pinch_and_double_tap_zoom_and_one_finger_pans() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    let (x, y, _) = middle(&page).await;
    fingers(&page, "touchStart", &[(x - 30.0, y), (x + 30.0, y)]).await;
    for step in 1..=6 {
        let apart = 30.0 + 15.0 * f64::from(step);
        fingers(&page, "touchMove", &[(x - apart, y), (x + apart, y)]).await;
    }
    fingers(&page, "touchEnd", &[]).await;
    page.until("one('#art').hasAttribute('data-zoomed') && shown('#minimap')").await;
    assert_eq!(page.ask("shown('#inspect')").await, false, "a pinch is no tap");
    let pinched = cell(&page).await;

    fingers(&page, "touchStart", &[(x, y)]).await;
    for step in 1..=5 {
        fingers(&page, "touchMove", &[(x - 20.0 * f64::from(step), y)]).await;
    }
    fingers(&page, "touchEnd", &[]).await;
    page.until("Number(new URLSearchParams(location.hash.slice(1)).get('x')) > 66").await;
    // Two taps a tenth of a second apart, however slowly this machine hands them over.
    let now = page.ask("Date.now() / 1000").await.as_f64().unwrap();
    for (after, kind) in [(0.0, "touchStart"), (0.04, "touchEnd"), (0.1, "touchStart"), (0.14, "touchEnd")] {
        let points = if kind == "touchStart" { json!([{"x": x, "y": y}]) } else { json!([]) };
        let event = json!({"type": kind, "touchPoints": points, "timestamp": now + after});
        page.chrome.devtools("Input.dispatchTouchEvent", event).await;
    }
    page.until_with("parseFloat(text('#zoom-level')) > given * 1.5", json!(pinched)).await;
}

#[tokio::test]
async fn the_minimap_moves_the_view() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/#x=20&y=20&z=30"), Screen::Desk).await;
    page.until("shown('#minimap')").await;
    let corner = page
        .ask("(({right, bottom}) => [right - 4, bottom - 4])(one('#minimap').getBoundingClientRect())")
        .await;
    let (x, y) = (corner[0].as_f64().unwrap(), corner[1].as_f64().unwrap());
    drag(&page, &[(x, y)]).await;
    page.until("/^#x=11\\d&y=11\\d&z=30$/.test(location.hash)").await;
    page.ask("one('#zoom-fit').click()").await;
    page.until("!shown('#minimap')").await;
}

#[tokio::test]
async fn minimap_uses_the_same_view_as_the_canvas() {
    let server = Server::start().await;
    assert_eq!(server.agent("Brushtail").await.paint(20, 20, 5).await.status, 201);
    let page = Page::open(&server.url("/#x=20&y=20&z=30"), Screen::Desk).await;
    // A corner where nobody has painted.
    let corner = "(({ width, height }) => one('#minimap').getContext('2d').getImageData(width - 9, height - 9, 1, 1).data[0])(one('#minimap'))";
    page.until(&format!("shown('#minimap') && {corner} > 99")).await;
    page.ask("choose('#look', 'painter')").await;
    page.until(&format!("{corner} < 66")).await;
    page.ask("choose('#look', 'paint')").await;
    page.until(&format!("{corner} > 99")).await;
}

#[tokio::test]
async fn other_views_are_drawn_explained_and_updated() {
    let server = Server::with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let (first, second) = (server.agent("Brushtail").await, server.agent("Otter").await);
    assert_eq!(first.paint(10, 10, 5).await.status, 201);
    assert_eq!(second.paint(20, 10, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    let colors = "[10, 20, 30].map((x) => { const { width } = one('#art'), at = (x + 0.5) * width / 128; \
                  return one('#art').getContext('2d').getImageData(at, 10.5 * width / 128, 1, 1).data.slice(0, 3).join(); })";
    let look = |name: &str| {
        format!(
            "((select) => {{ select.value = '{name}'; select.dispatchEvent(new Event('change')); }})(one('#look'))"
        )
    };
    let paint = page.ask(colors).await;
    assert_eq!((&paint[0], &paint[2]), (&paint[1], &json!("255,255,255")));

    page.ask(&look("painter")).await;
    page.until("text('#legend').includes('Brushtail') && text('#legend').includes('Otter')").await;
    page.until(&format!("new Set({colors}).size === 3")).await;
    let owners = page.ask(colors).await;
    assert_eq!(second.paint(10, 10, 5).await.status, 201);
    page.until_with(&format!("{colors}[0] === given"), owners[1].clone()).await;

    page.ask(&look("contested")).await;
    page.until("text('#legend').includes('stroke')").await;
    page.until(&format!("new Set({colors}).size === 3")).await;
    page.ask(&look("age")).await;
    page.until("text('#legend').startsWith('now')").await;
    page.ask(&look("paint")).await;
    page.until_with(&format!("{colors}.join('|') === given.join('|') && !shown('#legend')"), paint).await;
}

#[tokio::test]
async fn highlighting_one_painter_dims_others_until_escape() {
    let server = Server::start().await;
    let (first, second) = (server.agent("Brushtail").await, server.agent("Otter").await);
    assert_eq!(first.paint(10, 10, 6).await.status, 201);
    assert_eq!(second.paint(20, 10, 6).await.status, 201);
    let page = Page::open(&server.url(&format!("/#agent={}", first.id)), Screen::Desk).await;
    page.until("text('#legend').includes('1 pixel of Brushtail')").await;
    let lit = "[10, 20].map((x) => { const { width } = one('#art'); \
               return Math.max(...one('#art').getContext('2d').getImageData((x + 0.5) * width / 128, 10.5 * width / 128, 1, 1).data.slice(0, 3)); })";
    page.until(&format!("{lit}[0] > 200 && {lit}[1] < 100")).await;
    page.ask("one('#art').focus()").await;
    page.chrome.press(&['\u{e00c}']).await;
    page.until(&format!("{lit}[1] > 200 && !shown('#legend') && location.hash === ''")).await;
}

#[tokio::test]
async fn follow_goes_to_the_newest_placement_until_user_input() {
    let server = Server::start().await;
    let agent = server.agent("Brushtail").await;
    assert_eq!(agent.paint(100, 30, 6).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.ask("one('#art').focus()").await;
    page.chrome.press(&['f']).await;
    page.until("one('#follow').ariaPressed === 'true' && /^#x=(9\\d|100)&y=30&/.test(location.hash)").await;
    assert_eq!(agent.paint(101, 30, 6).await.status, 201);
    page.until("text('.name-tag .name') === 'Brushtail'").await;
    let (x, y, _) = middle(&page).await;
    mouse(&page, "mouseWheel", x, y, json!({"deltaX": 0, "deltaY": 50})).await;
    page.until("one('#follow').ariaPressed === 'false'").await;
    page.chrome.press(&['?']).await;
    page.until("shown('dialog.help')").await;
    page.chrome.press(&['\u{e00c}']).await;
    page.until("!shown('dialog.help')").await;
}
