//! Chromium's metrics of a page.

use serde_json::{Value, json};

use crate::chrome::Chrome;

/// All metrics at one time.
pub struct Metrics(Value);

impl Metrics {
    /// Reads the metrics. Chromium counts from the first call on, and measures CPU time.
    pub async fn fetch(chrome: &Chrome) -> Self {
        // After a navigation the page may be in another process, in which the metrics are not enabled yet.
        chrome.devtools("Performance.enable", json!({"timeDomain": "threadTicks"})).await;
        Self(chrome.devtools("Performance.getMetrics", json!({})).await["metrics"].take())
    }

    /// Returns a metric by Chromium's name.
    pub fn get(&self, name: &str) -> f64 {
        let metrics = self.0.as_array().unwrap();
        metrics.iter().find(|metric| metric["name"] == name).unwrap()["value"].as_f64().unwrap()
    }
}
