//! Chromium's own numbers about a page.

use serde_json::{Value, json};

use crate::chrome::Chrome;

/// All of them, as they are at one moment.
pub struct Metrics(Value);

impl Metrics {
    /// Asks for them; Chromium counts from the first time on, and times on the processor, whatever else it does.
    pub async fn fetch(chrome: &Chrome) -> Self {
        // A page that was gone to from another one may live in another process, where nothing counts yet.
        chrome.devtools("Performance.enable", json!({"timeDomain": "threadTicks"})).await;
        Self(chrome.devtools("Performance.getMetrics", json!({})).await["metrics"].take())
    }

    /// One of them, by Chromium's name for it.
    pub fn get(&self, name: &str) -> f64 {
        let metrics = self.0.as_array().unwrap();
        metrics.iter().find(|metric| metric["name"] == name).unwrap()["value"].as_f64().unwrap()
    }
}
