//! Viewers' reports count with their own weight. Viewers can be banned and muted like agents, and may appeal.

use reqwest::Method;
use serde_json::{Value, json};

use super::Shop;
use super::viewer_browser::ViewerBrowser;
use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::values::id_of;
use crate::support::{OperatorBrowser, Reply};

/// Sends a request from the page of a viewer who is signed in.
async fn post_as_viewer(person: &ViewerBrowser<'_>, path: &str, body: Value) -> Reply {
    person.send(Method::POST, path, &body).await
}

#[tokio::test]
async fn reports_by_pass_holders_weigh_more_than_after_expiry() {
    let shop = Shop::start_with(&CONSOLE_SETTINGS).await;
    let ada = shop.server.register_agent("Ada").await;
    let person = shop.viewer_with_pass("bob@example.com").await;
    // Not a report of a name, which has little weight from any reporter.
    assert_eq!(ada.paint(0, 0, 3).await.status, 201);
    let report = "/api/canvas/report";
    let rude = json!({"x1": 0, "y1": 0, "x2": 0, "y2": 0, "reason": "rude"});
    assert_eq!(post_as_viewer(&person, report, rude.clone()).await.status, 201);
    post_as_viewer(&person, report, rude.clone()).await.assert_refused(409, "already_reported");
    let by_key = shop.server.client_with_key(&person.key.clone().unwrap());
    by_key.post(report, rude.clone()).await.assert_refused(409, "already_reported");
    shop.server.advance_clock(34 * 86_400);
    assert_eq!(by_key.post(report, rude).await.status, 201, "as any reporter may");
    let operator = shop.server.sign_in_operator().await;
    let cases = operator.get("/api/admin/reports").await.body;
    let path = format!("/api/admin/reports/{}", cases["reports"][0]["id"].as_str().unwrap());
    let reports = operator.get(&path).await.body["told"].clone();
    let weights = [&reports[0]["weight"], &reports[1]["weight"]];
    assert_eq!((weights, &reports[1]["agent_id"]), ([&json!(1.5), &json!(0.2)], &Value::Null));
}

#[tokio::test]
async fn banned_viewer_cannot_post_but_may_appeal() {
    let shop = Shop::start_with(&CONSOLE_SETTINGS).await;
    let person = shop.viewer_with_pass("bob@example.com").await;
    let id = person.post_message("hello").await.body["message"]["agent_id"].as_str().unwrap().to_owned();
    let operator = shop.server.sign_in_operator().await;
    operator.post_with_reason(&format!("/api/admin/agents/{id}/ban")).await;
    shop.server.advance_clock(300);
    person.post_message("again").await.assert_refused(403, "banned");
    let report = format!("/api/agents/{}/report", shop.server.register_agent("Ada").await.id);
    post_as_viewer(&person, &report, json!({"reason": "rude"})).await.assert_refused(403, "banned");
    assert_eq!(post_as_viewer(&person, "/api/appeals", json!({"text": "Sorry"})).await.status, 201);
    let own = Reply::fetch(person.request(Method::GET, "/api/appeals")).await.assert_status(200);
    assert_eq!(own["appeals"][0]["outcome"], "open", "{own}");
    grant_appeal(&operator, &own["appeals"][0]).await;
    assert_eq!(person.post_message("again").await.status, 201);
}

async fn grant_appeal(operator: &OperatorBrowser<'_>, appeal: &Value) {
    let grant = json!({"decision": "grant", "answer": "Fine.", "reason": "sorry"});
    operator.post(&format!("/api/admin/appeals/{}/decide", id_of(appeal)), grant).await.assert_status(200);
}

async fn rename(person: &ViewerBrowser<'_>, name: &str) -> Reply {
    post_as_viewer(person, "/api/viewers/me/name", json!({"name": name})).await
}

#[tokio::test]
async fn banned_viewer_cannot_rename_itself() {
    let shop = Shop::start_with(&CONSOLE_SETTINGS).await;
    let person = shop.viewer_with_pass("bob@example.com").await;
    let account = format!("/api/admin/agents/{}", person.viewer_id().await);
    let operator = shop.server.sign_in_operator().await;
    let spam = json!({"reason": "spam"});
    assert_eq!(operator.post(&format!("{account}/ban"), spam.clone()).await.status, 200);
    let refused = rename(&person, "Eve").await;
    refused.assert_refused(403, "banned");
    assert_eq!((&refused.body["reason"], refused.body.get("appeal")), (&json!("spam"), Some(&Value::Null)));
    assert_eq!(operator.post(&format!("{account}/unban"), spam).await.status, 200);
    assert_eq!(rename(&person, "Eve").await.status, 200);
}

#[tokio::test]
async fn operator_chosen_name_stays_until_an_appeal_is_granted() {
    let shop = Shop::start_with(&CONSOLE_SETTINGS).await;
    let mut person = shop.viewer_with_pass("bob@example.com").await;
    let appeal = json!({"text": "That is not me"});
    post_as_viewer(&person, "/api/appeals", appeal.clone()).await.assert_refused(403, "forbidden");
    let account = format!("/api/admin/agents/{}", person.viewer_id().await);
    let chosen = json!({"name": "Someone", "reason": "rude"});
    let operator = shop.server.sign_in_operator().await;
    assert_eq!(operator.post(&format!("{account}/rename"), chosen).await.status, 200);
    // There is no appeal against a mute that has ended.
    let mute = json!({"until": shop.server.clock.now() + chrono::TimeDelta::hours(1), "reason": "noise"});
    assert_eq!(operator.post(&format!("{account}/mute"), mute).await.status, 200);
    shop.server.advance_clock(3 * 86_400);
    let refused = rename(&person, "Rude").await;
    refused.assert_refused(403, "forbidden");
    assert!(refused.body["detail"].as_str().unwrap().contains("operator"), "{}", refused.body);
    assert_eq!(person.submit("/gallery/name", &[("name", "Rude")]).await.status, 403);
    let me = person.me().await.body;
    assert_eq!(me["viewer"]["name"], "Someone");
    assert_eq!(me["may_rename_at"], "9999-12-31T23:59:59Z");
    let filed = post_as_viewer(&person, "/api/appeals", appeal).await.assert_status(201);
    let operator = shop.server.sign_in_operator().await;
    operator.post_with_reason(&format!("{account}/unmute")).await;
    grant_appeal(&operator, &filed["appeal"]).await;
    assert_eq!(person.me().await.body["may_rename_at"], Value::Null);
    assert_eq!(rename(&person, "Bob B").await.status, 200);
}
