//! A real mouse and a real finger: they hit what lies there, whatever was meant.

use serde_json::json;

use super::page::Page;

impl Page {
    /// Moves the mouse over an element.
    pub async fn point_at(&self, selector: &str) {
        self.mouse("mouseMoved", self.middle(selector).await).await;
    }

    /// Presses the mouse where an element is and lets go at the same place, whatever has come over it meanwhile.
    pub async fn click(&self, selector: &str) {
        let place = self.middle(selector).await;
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.mouse(kind, place).await;
            self.settle().await;
        }
    }

    /// Puts a finger on an element and takes it off again.
    pub async fn tap(&self, selector: &str) {
        self.draw(selector, 0.0).await;
    }

    /// Puts a finger on an element and takes it off so many pixels below.
    pub async fn draw(&self, selector: &str, down: f64) {
        let (x, y) = self.middle(selector).await;
        self.finger("touchStart", Some((x, y))).await;
        // It comes to rest: a finger that flings has its next tap taken for a stop.
        let steps = if down == 0.0 { 0 } else { 8 };
        for step in 1..=steps {
            let way = down * (f64::from(step) / 4.0).min(1.0);
            self.finger("touchMove", Some((x, y + way))).await;
            self.settle().await;
        }
        self.finger("touchEnd", None).await;
    }

    async fn middle(&self, selector: &str) -> (f64, f64) {
        let middle = "(({ left, top, width, height }) => [left + width / 2, top + height / 2])(one(given).getBoundingClientRect())";
        let place = self.ask_about(middle, json!(selector)).await;
        serde_json::from_value(place).unwrap()
    }

    async fn mouse(&self, kind: &str, (x, y): (f64, f64)) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1});
        self.chrome.devtools("Input.dispatchMouseEvent", event).await;
    }

    async fn finger(&self, kind: &str, place: Option<(f64, f64)>) {
        let points: Vec<_> = place.iter().map(|(x, y)| json!({"x": x, "y": y})).collect();
        self.chrome.devtools("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points})).await;
    }
}
