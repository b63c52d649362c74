//! The delay of requests that all pages would send at the same moment.

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::Server;
use super::viewers::UNLIMITED;

/// Tells the page that 10 000 people watch, replaces its random numbers, and records when it was told of a
/// plan.
const CROWD_SCRIPT: &str = "
    const parse = JSON.parse;
    JSON.parse = (...given) => {
        const value = parse(...given);
        if (value?.spectators) value.spectators = 10000;
        if (value?.plan_id && value.state) window.toldAt = performance.now();
        return value;
    };
    Math.random = () => 0.4;";
/// The milliseconds from the event of the plan to the request for it.
const DELAY: &str = "performance.getEntriesByType('resource').find(({ name }) => /api\\/plans\\/plan_/.test(name)).startTime - window.toldAt";

#[tokio::test]
async fn pages_with_many_viewers_load_a_changed_plan_at_different_moments() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": CROWD_SCRIPT})).await;
    page.visit(&server.url("/")).await;
    page.evaluate("one('#plans-toggle').click()").await;
    page.wait_until("text('#plans .plan-status').startsWith('No plan is open')").await;
    let plan = json!({"title": "A house", "x": 10, "y": 20, "rows": ["55"]});
    assert_eq!(ada.post("/api/plans", plan).await.status, 201);
    page.wait_until("text('#plans .plan-title') === 'A house'").await;
    // 10 000 requests at 2 000 per second take five seconds, of which this page waits 0.4.
    let delay = page.evaluate(DELAY).await.as_f64().unwrap();
    assert!(delay > 1_900.0, "{delay} ms");
}
