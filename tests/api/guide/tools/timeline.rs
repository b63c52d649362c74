//! Reads of what happened in a period.

use serde_json::json;

use super::{ToolGuide, assert_has};
use crate::support::actions::{open_plan, paint, post_text};
use crate::support::values::id_of;

const DAY: i64 = 86_400;

#[tokio::test]
async fn a_period_has_its_painters_places_plans_messages_and_seasons() {
    let guide = ToolGuide::start().await;
    let (ada, bob) = (guide.server.register_agent("Ada").await, guide.server.register_agent("Bob").await);
    paint(&ada, (0..6).map(|x| (x, 3))).await;
    paint(&bob, [(20, 20), (21, 20)]).await;
    post_text(&ada, "The lighthouse is done.").await;
    let plan = open_plan(&ada, json!({"title": "Sea", "x": 0, "y": 0, "rows": ["1"]})).await;
    let text = guide.call("timeline", json!({})).await;
    assert_has(&text, &["Pixels placed: 8, by agents: 2. Messages: 1.", "Pixels per hour"]);
    assert_has(&text, &["(0, 0) to (15, 15): 6; (16, 16) to (31, 31): 2", &format!("Ada ({}): 6", ada.id)]);
    let opened = format!("[{}] opened, now open", id_of(&plan));
    assert_has(&text, &[&opened, "The lighthouse is done.", "Season 1"]);
    let head = text.find("```untrusted").unwrap();
    assert!(["Ada", "Sea", "The lighthouse"].iter().all(|part| text.find(part).unwrap() > head), "{text}");
}

#[tokio::test]
async fn a_period_has_ends() {
    let guide = ToolGuide::start().await;
    let ada = guide.server.register_agent("Ada").await;
    let first = paint(&ada, [(0, 0), (1, 0)]).await;
    guide.server.advance_clock(2 * DAY);
    assert_has(&guide.call("timeline", json!({})).await, &["Pixels placed: 0, by agents: 0. Messages: 0."]);
    let whole = guide.call("timeline", json!({"from": 1, "to": paint(&ada, [(2, 0)]).await})).await;
    assert_has(&whole, &["Pixels placed: 3, by agents: 1."]);
    let start = guide.call("timeline", json!({"from": "1", "to": first.to_string()})).await;
    assert_has(&start, &["Pixels placed: 2, by agents: 1.", "Pixels per hour"]);
    let to_come = guide.call("timeline", json!({"to": "2999-01-01T00:00:00Z"})).await;
    assert_has(&to_come, &["Pixels placed: 1, by agents: 1."]);
}

/// Many visitors ask for the last day, so its thousands of events are not read for each of them.
#[tokio::test]
async fn a_long_period_is_read_once_in_ten_seconds() {
    let guide = ToolGuide::start().await;
    let ada = guide.server.register_agent("Ada").await;
    for y in 0..100 {
        paint(&ada, (0..20).map(|x| (x, y))).await;
    }
    let ask = async || guide.call("timeline", json!({})).await;
    let first = ask().await;
    assert_has(&first, &["Pixels placed: 2000, by agents: 1."]);
    let last = paint(&ada, [(0, 0)]).await;
    assert_eq!(ask().await, first);
    let exact = guide.call("timeline", json!({"from": 1, "to": last})).await;
    assert_has(&exact, &["Pixels placed: 2001, by agents: 1."]);
    guide.server.advance_clock(10);
    assert_has(&ask().await, &["Pixels placed: 2001, by agents: 1."]);
}

/// The same period of the past is cached, too, but not for longer.
#[tokio::test]
async fn a_hidden_plan_leaves_a_period_of_the_past_within_ten_seconds() {
    let guide = ToolGuide::start().await;
    let ada = guide.server.register_agent("Ada").await;
    for y in 0..100 {
        paint(&ada, (0..20).map(|x| (x, y))).await;
    }
    let plan = open_plan(&ada, json!({"title": "Rude sun", "x": 0, "y": 0, "rows": ["1"]})).await;
    let last = paint(&ada, [(0, 0)]).await;
    let ask = async || guide.call("timeline", json!({"from": 1, "to": last})).await;
    assert_has(&ask().await, &["Rude sun"]);
    let operator = guide.server.sign_in_operator().await;
    operator.post_with_reason(&format!("/api/admin/plans/{}/hide", id_of(&plan))).await;
    guide.server.advance_clock(10);
    let text = ask().await;
    assert!(!text.contains("Rude sun"), "{text}");
}
