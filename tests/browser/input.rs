//! Real mouse and touch input, which hits the topmost element at a point.

use serde_json::json;

use super::page::Page;

impl Page {
    /// Moves the mouse over an element.
    pub async fn point_at(&self, selector: &str) {
        self.dispatch_mouse("mouseMoved", self.center_of(selector).await).await;
    }

    /// Clicks at an element's position, even if another element has covered it meanwhile.
    pub async fn click_on(&self, selector: &str) {
        let point = self.center_of(selector).await;
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.dispatch_mouse(kind, point).await;
            self.wait_for_paint().await;
        }
    }

    /// Taps an element.
    pub async fn tap(&self, selector: &str) {
        self.swipe(selector, 0.0).await;
    }

    /// Touches an element and releases it this number of pixels below.
    pub async fn swipe(&self, selector: &str, distance: f64) {
        let (x, y) = self.center_of(selector).await;
        self.dispatch_touch("touchStart", Some((x, y))).await;
        // The finger stops before its release: after a fling, the next tap would only stop the scrolling.
        let steps = if distance == 0.0 { 0 } else { 8 };
        for step in 1..=steps {
            let offset = distance * (f64::from(step) / 4.0).min(1.0);
            self.dispatch_touch("touchMove", Some((x, y + offset))).await;
            self.wait_for_paint().await;
        }
        self.dispatch_touch("touchEnd", None).await;
    }

    async fn center_of(&self, selector: &str) -> (f64, f64) {
        let script = "(({ left, top, width, height }) => [left + width / 2, top + height / 2])(one(given).getBoundingClientRect())";
        let point = self.evaluate_with(script, json!(selector)).await;
        serde_json::from_value(point).unwrap()
    }

    async fn dispatch_mouse(&self, kind: &str, (x, y): (f64, f64)) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1});
        self.chrome.devtools("Input.dispatchMouseEvent", event).await;
    }

    async fn dispatch_touch(&self, kind: &str, point: Option<(f64, f64)>) {
        let points: Vec<_> = point.iter().map(|(x, y)| json!({"x": x, "y": y})).collect();
        self.chrome.devtools("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points})).await;
    }
}
