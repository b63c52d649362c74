//! Interaction with the canvas: wheel, drag, touch and keys, the address, the minimap, the views, and screen
//! sizes.

use serde_json::{Value, json};

use super::chrome::Screen;
use super::page::Page;
use super::support::Server;

/// The centre of the canvas and its size, in CSS pixels.
const CANVAS_CENTER_SCRIPT: &str = "(({left, top, width, height}) => [left + width / 2, top + height / 2, width])(one('#pixels').getBoundingClientRect())";
/// The size of a cell as displayed by the page.
const CELL_SIZE_SCRIPT: &str = "parseFloat(text('#zoom-level'))";

async fn canvas_center(page: &Page) -> (f64, f64, f64) {
    let values = page.evaluate(CANVAS_CENTER_SCRIPT).await;
    (values[0].as_f64().unwrap(), values[1].as_f64().unwrap(), values[2].as_f64().unwrap())
}

async fn cell_size(page: &Page) -> f64 {
    page.evaluate(CELL_SIZE_SCRIPT).await.as_f64().unwrap()
}

async fn dispatch_mouse(page: &Page, kind: &str, x: f64, y: f64, extra: Value) {
    let mut event = json!({"type": kind, "x": x, "y": y});
    event.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    page.chrome.devtools("Input.dispatchMouseEvent", event).await;
}

/// Presses the mouse, moves it through the points and releases it at the last.
async fn drag_mouse(page: &Page, points: &[(f64, f64)]) {
    let pressed = json!({"button": "left", "buttons": 1, "clickCount": 1});
    dispatch_mouse(page, "mousePressed", points[0].0, points[0].1, pressed.clone()).await;
    for (x, y) in points {
        dispatch_mouse(page, "mouseMoved", *x, *y, pressed.clone()).await;
    }
    let (x, y) = points[points.len() - 1];
    dispatch_mouse(page, "mouseReleased", x, y, json!({"button": "left", "clickCount": 1})).await;
}

async fn dispatch_touch(page: &Page, kind: &str, positions: &[(f64, f64)]) {
    let points: Vec<Value> =
        positions.iter().enumerate().map(|(id, (x, y))| json!({"x": x, "y": y, "id": id})).collect();
    page.chrome.devtools("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points})).await;
}

/// Clicks or taps twice at a point. One script dispatches all events: a slow machine would deliver real ones
/// so late that the page takes them for two single ones.
async fn press_twice(page: &Page, pointer_type: &str, (x, y): (f64, f64)) {
    let script = "(() => {
        const [pointerType, clientX, clientY] = given;
        const target = document.elementFromPoint(clientX, clientY);
        // The page captures the pointer, for which it needs a number that the browser knows: 1 is the mouse.
        const place = { pointerType, clientX, clientY, pointerId: 1, isPrimary: true, bubbles: true, cancelable: true };
        const press = ['pointerdown', 'pointerup'];
        const kinds = [...press, ...press, ...(pointerType === 'mouse' ? ['dblclick'] : [])];
        // Created before the first is dispatched, because the page compares the times at which they were
        // created.
        const events = kinds.map((kind) => new PointerEvent(kind, place));
        events.forEach((event) => target.dispatchEvent(event));
    })()";
    page.evaluate_with(script, json!([pointer_type, x, y])).await;
}

/// The page saves its view in the hash some time after a move. When that is due, a link is entered.
#[tokio::test]
async fn entered_link_is_not_overwritten_by_the_view_before() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("text('#zoom-level') !== ''").await;
    page.evaluate("location.hash = 'x=9&y=9&z=20'").await;
    // The message is posted before the save is due and handled before it, so the event of the hash comes
    // after both.
    let enter = "(() => {
        if (text('#zoom-level') !== '20×') return false;
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { location.hash = 'x=9&y=9&z=30'; };
        port2.postMessage('');
        const due = performance.now() + 500;
        while (performance.now() < due);
        return true;
    })()";
    page.wait_until(enter).await;
    page.wait_until("text('#zoom-level') === '30×'").await;
}

#[tokio::test]
async fn wheel_zooms_at_pointer_and_drag_pans() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    let (x, y, _) = canvas_center(&page).await;
    let initial_size = cell_size(&page).await;
    dispatch_mouse(&page, "mouseWheel", x, y, json!({"deltaX": 0, "deltaY": -900})).await;
    page.wait_until_with("parseFloat(text('#zoom-level')) > given * 1.5", json!(initial_size)).await;
    dispatch_mouse(&page, "mouseMoved", x, y, json!({})).await;
    page.wait_until("/^x 6[34]  y 6[34]$/.test(text('#pointer-coordinates'))").await;

    drag_mouse(&page, &[(x, y), (x - 60.0, y), (x - 150.0, y)]).await;
    page.wait_until("Number(new URLSearchParams(location.hash.slice(1)).get('x')) > 66").await;
    dispatch_mouse(&page, "mouseWheel", x, y, json!({"deltaX": 0, "deltaY": 90, "modifiers": 2})).await;
    page.wait_until("!one('#pixels').hasAttribute('data-zoomed') || parseFloat(text('#zoom-level')) < 20")
        .await;
    page.evaluate("one('#zoom-fit').click()").await;
    page.wait_until_with(
        "parseFloat(text('#zoom-level')) === given && location.hash === ''",
        json!(initial_size),
    )
    .await;
}

#[tokio::test]
async fn double_click_zooms_in_and_grid_appears() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    let (x, y, width) = canvas_center(&page).await;
    let grid_is_drawn =
        "one('#overlay').getContext('2d').getImageData(0, 0, 200, 200).data.some((part) => part > 0)";
    assert_eq!(page.evaluate(grid_is_drawn).await, false);
    press_twice(&page, "mouse", (x + width / 8.0, y)).await;
    page.wait_until("parseFloat(text('#zoom-level')) >= 8 && one('#pixels').hasAttribute('data-zoomed')")
        .await;
    page.evaluate("window.zoomedAt = performance.now()").await;
    page.wait_until("performance.now() - zoomedAt > 600").await;
    assert_eq!(page.evaluate("shown('#inspect')").await, false, "a double click opens no card");
    page.chrome.goto(&format!("{}#x=20&y=20&z=30", server.url("/"))).await;
    page.wait_until("text('#zoom-level') === '30×'").await;
    page.wait_until(grid_is_drawn).await;
}

#[tokio::test]
async fn pinch_and_double_tap_zoom_and_one_finger_pans() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    let (x, y, _) = canvas_center(&page).await;
    dispatch_touch(&page, "touchStart", &[(x - 30.0, y), (x + 30.0, y)]).await;
    for step in 1..=6 {
        let distance = 30.0 + 15.0 * f64::from(step);
        dispatch_touch(&page, "touchMove", &[(x - distance, y), (x + distance, y)]).await;
    }
    dispatch_touch(&page, "touchEnd", &[]).await;
    page.wait_until("one('#pixels').hasAttribute('data-zoomed') && shown('#minimap')").await;
    assert_eq!(page.evaluate("shown('#inspect')").await, false, "a pinch is no tap");
    let pinched_size = cell_size(&page).await;

    dispatch_touch(&page, "touchStart", &[(x, y)]).await;
    for step in 1..=5 {
        dispatch_touch(&page, "touchMove", &[(x - 20.0 * f64::from(step), y)]).await;
    }
    dispatch_touch(&page, "touchEnd", &[]).await;
    page.wait_until("Number(new URLSearchParams(location.hash.slice(1)).get('x')) > 66").await;
    press_twice(&page, "touch", (x, y)).await;
    page.wait_until_with("parseFloat(text('#zoom-level')) > given * 1.5", json!(pinched_size)).await;
    page.evaluate("window.zoomedAt = performance.now()").await;
    page.wait_until("performance.now() - zoomedAt > 600").await;
    assert_eq!(page.evaluate("shown('#inspect')").await, false, "a double tap opens no card");
}

#[tokio::test]
async fn the_minimap_moves_the_view() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/#x=20&y=20&z=30"), Screen::Desktop).await;
    page.wait_until("shown('#minimap')").await;
    let corner = page
        .evaluate("(({right, bottom}) => [right - 4, bottom - 4])(one('#minimap').getBoundingClientRect())")
        .await;
    let (x, y) = (corner[0].as_f64().unwrap(), corner[1].as_f64().unwrap());
    drag_mouse(&page, &[(x, y)]).await;
    page.wait_until("/^#x=11\\d&y=11\\d&z=30$/.test(location.hash)").await;
    page.evaluate("one('#zoom-fit').click()").await;
    page.wait_until("!shown('#minimap')").await;
}

#[tokio::test]
async fn minimap_uses_the_same_view_as_the_canvas() {
    let server = Server::start().await;
    assert_eq!(server.register_agent("Brushtail").await.paint(20, 20, 5).await.status, 201);
    let page = Page::open(&server.url("/#x=20&y=20&z=30"), Screen::Desktop).await;
    // An unpainted corner.
    let corner_value = "(({ width, height }) => one('#minimap').getContext('2d').getImageData(width - 9, height - 9, 1, 1).data[0])(one('#minimap'))";
    page.wait_until(&format!("shown('#minimap') && {corner_value} > 99")).await;
    page.evaluate("choose('#lens', 'painter')").await;
    page.wait_until(&format!("{corner_value} < 66")).await;
    page.evaluate("choose('#lens', 'paint')").await;
    page.wait_until(&format!("{corner_value} > 99")).await;
}

#[tokio::test]
async fn lenses_are_drawn_explained_and_updated() {
    let server = Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let (first, second) = (server.register_agent("Brushtail").await, server.register_agent("Otter").await);
    assert_eq!(first.paint(10, 10, 5).await.status, 201);
    assert_eq!(second.paint(20, 10, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    let colors = "[10, 20, 30].map((x) => { const { width } = one('#pixels'), at = (x + 0.5) * width / 128; \
                  return one('#pixels').getContext('2d').getImageData(at, 10.5 * width / 128, 1, 1).data.slice(0, 3).join(); })";
    let select_view = |name: &str| {
        format!(
            "((select) => {{ select.value = '{name}'; select.dispatchEvent(new Event('change')); }})(one('#lens'))"
        )
    };
    page.wait_until(&format!("{colors}[2] === '255,255,255'")).await;
    let paint_colors = page.evaluate(colors).await;
    assert_eq!(paint_colors[0], paint_colors[1]);

    page.evaluate(&select_view("painter")).await;
    page.wait_until("text('.legend-button') === '2 painters'").await;
    page.wait_until(&format!("new Set({colors}).size === 3")).await;
    let painter_colors = page.evaluate(colors).await;
    assert_eq!(second.paint(10, 10, 5).await.status, 201);
    page.wait_until_with(&format!("{colors}[0] === given"), painter_colors[1].clone()).await;

    page.evaluate(&select_view("contested")).await;
    page.wait_until("text('#legend').includes('placement')").await;
    page.wait_until(&format!("new Set({colors}).size === 3")).await;
    page.evaluate(&select_view("age")).await;
    page.wait_until("text('#legend').startsWith('now')").await;
    page.evaluate(&select_view("paint")).await;
    page.wait_until_with(
        &format!("{colors}.join('|') === given.join('|') && !shown('#legend')"),
        paint_colors,
    )
    .await;
}

#[tokio::test]
async fn highlighting_one_painter_dims_others_until_escape() {
    let server = Server::start().await;
    let (first, second) = (server.register_agent("Brushtail").await, server.register_agent("Otter").await);
    assert_eq!(first.paint(10, 10, 6).await.status, 201);
    assert_eq!(second.paint(20, 10, 6).await.status, 201);
    let page = Page::open(&server.url(&format!("/#agent={}", first.id)), Screen::Desktop).await;
    page.wait_until("text('#legend').includes('1 pixel of Brushtail')").await;
    let brightness = "[10, 20].map((x) => { const { width } = one('#pixels'); \
               return Math.max(...one('#pixels').getContext('2d').getImageData((x + 0.5) * width / 128, 10.5 * width / 128, 1, 1).data.slice(0, 3)); })";
    page.wait_until(&format!("{brightness}[0] > 200 && {brightness}[1] < 100")).await;
    page.evaluate("one('#pixels').focus()").await;
    page.chrome.press(&['\u{e00c}']).await;
    page.wait_until(&format!("{brightness}[1] > 200 && !shown('#legend') && location.hash === ''")).await;
}

#[tokio::test]
async fn follow_goes_to_the_newest_placement_until_user_input() {
    let server = Server::start().await;
    let agent = server.register_agent("Brushtail").await;
    assert_eq!(agent.paint(100, 30, 6).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.evaluate("one('#pixels').focus()").await;
    page.chrome.press(&['f']).await;
    page.wait_until("one('#follow').ariaPressed === 'true' && /^#x=(9\\d|100)&y=30&/.test(location.hash)")
        .await;
    assert_eq!(agent.paint(101, 30, 6).await.status, 201);
    page.wait_until("text('.name-tag .name') === 'Brushtail'").await;
    let (x, y, _) = canvas_center(&page).await;
    dispatch_mouse(&page, "mouseWheel", x, y, json!({"deltaX": 0, "deltaY": 50})).await;
    page.wait_until("one('#follow').ariaPressed === 'false'").await;
    page.chrome.press(&['?']).await;
    page.wait_until("shown('dialog.help')").await;
    page.chrome.press(&['\u{e00c}']).await;
    page.wait_until("!shown('dialog.help')").await;
}

#[tokio::test]
async fn legend_lists_all_painters_and_a_click_highlights_one() {
    let server = Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    for number in 0..12 {
        let agent = server.register_agent(&format!("Painter with a long name {number}")).await;
        assert_eq!(agent.paint(10 * number, 10, 5).await.status, 201);
    }
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.evaluate("choose('#lens', 'painter')").await;
    page.wait_until("text('.legend-button') === '12 painters'").await;
    page.evaluate("one('.legend-button').focus()").await;
    page.chrome.press(&['\u{e007}']).await;
    page.wait_until("document.querySelectorAll('#painter-list button').length === 12").await;
    let cut_names = "[...document.querySelectorAll('#painter-list .name')].filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length";
    assert_eq!(page.evaluate(cut_names).await, 0);
    page.evaluate("[...document.querySelectorAll('#painter-list button')].find((button) => button.textContent.includes('name 7')).click()").await;
    page.wait_until(
        "text('.chip').includes('1 pixel of Painter with a long name 7') && focused() === 'pixels'",
    )
    .await;
    assert_eq!(page.evaluate("one('.chip .name').scrollWidth <= one('.chip .name').clientWidth").await, true);
}
