//! Changes of a plan.

use serde_json::{Value, json};

use super::{PLAN_SETTINGS, change, new_plan, paint, progress, read_plan};
use crate::support::actions::open_plan;
use crate::support::values::fields_of;
use crate::support::{Reply, Server};

#[tokio::test]
async fn each_change_needs_the_version_that_was_read() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, new_plan("A roof", 2, 2)).await;
    let body = json!({"expected_version": 1, "title": "A red roof", "note": "soon"});
    let changed = change(&ada, &plan, body).await.assert_status(200);
    assert_eq!(changed["success"], true, "{changed}");
    let expected = json!([2, "A red roof", "soon", ["55", "55"]]);
    assert_eq!(fields_of(&changed["plan"], ["version", "title", "note", "rows"]), expected);
    assert_eq!(read_plan(&server, &plan).await, changed["plan"]);
    for version in [0, 1, 3, i64::MAX] {
        let reply = change(&ada, &plan, json!({"expected_version": version, "title": "A hut"})).await;
        reply.assert_refused(409, "plan_changed");
        assert_eq!(reply.body["version"], 2);
    }
    assert_eq!(read_plan(&server, &plan).await, changed["plan"]);
    change(&ada, &plan, json!({"title": "A hut"})).await.assert_refused(400, "missing_field");
    change(&ada, &plan, json!({"expected_version": 2})).await.assert_refused(400, "missing_field");
    let changed = change(&ada, &plan, json!({"expected_version": 2, "note": ""})).await;
    let without_note = &changed.body["plan"];
    assert_eq!((without_note.get("note"), &without_note["version"]), (None, &json!(3)));
}

#[tokio::test]
async fn two_changes_at_once_do_not_both_succeed() {
    let [server, other] = Server::start_two_instances(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let ada_there = ada.on(&other);
    let plan = open_plan(&ada, new_plan("A roof", 2, 2)).await;
    let body = |title: &str| json!({"expected_version": 1, "title": title});
    let (here, there) =
        tokio::join!(change(&ada, &plan, body("here")), change(&ada_there, &plan, body("there")));
    let mut statuses = [here.status, there.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", here.body, there.body);
}

#[tokio::test]
async fn another_picture_or_place_counts_anew() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, new_plan("A wall", 3, 1)).await;
    paint(&ada, &[(10, 20, 5), (11, 20, 5)]).await;
    paint(&ada, &[(10, 20, 7)]).await;
    assert_eq!(read_plan(&server, &plan).await["progress"], progress(3, 1, 1));
    let renamed = change(&ada, &plan, json!({"expected_version": 1, "title": "A tall wall"})).await;
    assert_eq!(renamed.body["plan"]["progress"], progress(3, 1, 1), "only the title has changed");
    let moved = change(&ada, &plan, json!({"expected_version": 2, "x": 11})).await.body["plan"].clone();
    assert_eq!(fields_of(&moved, ["x", "y", "width", "progress"]), json!([11, 20, 3, progress(3, 1, 0)]));
    paint(&ada, &[(10, 20, 5), (12, 20, 5)]).await;
    let now = read_plan(&server, &plan).await;
    assert_eq!(now["progress"], progress(3, 2, 0), "(10, 20) is no part of it now");
    let repainted = change(&ada, &plan, json!({"expected_version": 3, "rows": ["7.", "57"], "y": 19})).await;
    let repainted: &Value = &repainted.body["plan"];
    assert_eq!((&repainted["rows"], &repainted["progress"]), (&json!(["7.", "57"]), &progress(3, 1, 0)));
    change(&ada, &plan, json!({"expected_version": 4, "x": 127})).await.assert_refused(400, "out_of_bounds");
    let body = json!({"expected_version": 4, "rows": ["."]});
    change(&ada, &plan, body).await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn a_plan_can_live_longer() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let mut body = new_plan("A wall", 1, 1);
    body["expires_in"] = json!(600);
    let plan = open_plan(&ada, body).await;
    server.advance_clock(300);
    change(&ada, &plan, json!({"expected_version": 1, "expires_in": 1200})).await.assert_status(200);
    server.advance_clock(1100);
    assert_eq!(read_plan(&server, &plan).await["state"], "open");
    server.advance_clock(101);
    assert_eq!(read_plan(&server, &plan).await["state"], "expired");
    let long = change(&ada, &plan, json!({"expected_version": 2, "expires_in": 604_801})).await;
    long.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn a_plan_changes_six_times_at_once_and_then_every_five_seconds() {
    let [server, other] = Server::start_two_instances(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let ada_there = ada.on(&other);
    let plan = open_plan(&ada, new_plan("A roof", 2, 2)).await;
    let title = |version: i64, title: &str| json!({"expected_version": version, "title": title});
    for version in 1..=6 {
        let changed = change(&ada, &plan, title(version, &format!("Roof {version}"))).await;
        assert_eq!(changed.status, 200, "six changes may be made at once: {}", changed.body);
    }
    let head = server.head().await;
    for agent in [&ada, &ada_there] {
        let again = change(agent, &plan, title(7, "A blue roof")).await;
        again.assert_refused(429, "too_many_requests");
        assert!((1..=5).contains(&again.header("retry-after").parse::<i64>().unwrap()), "{}", again.body);
        assert!(again.body["hint"].as_str().unwrap().contains("in one request"), "{}", again.body);
    }
    let same = change(&ada, &plan, title(7, "Roof 6")).await;
    assert_eq!((same.status, &same.body["plan"]["version"]), (200, &json!(7)), "{}", same.body);
    assert_eq!(server.head().await, head, "neither a refusal nor the same title is an event");
    let key = server.create_operator_key("plans").await;
    let by_operator = super::put_request(&server, &plan).bearer_auth(&key).json(&title(7, "A roof"));
    assert_eq!(Reply::fetch(by_operator).await.status, 200, "operators need not wait");
    change(&ada, &plan, title(8, "A blue roof")).await.assert_refused(429, "too_many_requests");
    server.advance_clock(10);
    let changed = change(&ada_there, &plan, title(8, "A blue roof")).await;
    assert_eq!((changed.status, &changed.body["plan"]["version"]), (200, &json!(9)), "{}", changed.body);
}

#[tokio::test]
async fn values_that_a_plan_has_are_no_change() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let mut body = new_plan("A roof", 2, 2);
    body["note"] = json!("soon");
    let plan = open_plan(&ada, body).await;
    let head = server.head().await;
    for body in [
        json!({"expected_version": 1, "title": "A roof", "note": "soon"}),
        json!({"expected_version": 1, "x": 10, "y": 20, "rows": ["55", "55"]}),
    ] {
        assert_eq!(change(&ada, &plan, body).await.assert_status(200)["plan"], plan);
    }
    assert_eq!(server.head().await, head);
    let old = change(&ada, &plan, json!({"expected_version": 0, "title": "A roof"})).await;
    old.assert_refused(409, "plan_changed");
}
