//! Viewers' reports count with their own weight. Viewers can be banned and muted like agents, and may appeal.

use serde_json::{Value, json};

use super::Shop;
use super::viewer_browser::ViewerBrowser;
use crate::support::{PASSWORD, Reply};

pub const CONSOLE_SETTINGS: [(&str, &str); 2] =
    [("CARAPLACE_ADMIN_PASSWORD", PASSWORD), ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")];

/// Sends a request from the page of a viewer who is signed in.
async fn post_as_viewer(person: &ViewerBrowser<'_>, path: &str, body: Value) -> Reply {
    let request =
        person.with_browser_headers(person.server.post_request(path)).header("Sec-Fetch-Site", "same-origin");
    Reply::fetch(request.json(&body)).await
}

#[tokio::test]
async fn reports_by_pass_holders_weigh_more_than_after_expiry() {
    let shop = Shop::start_with(&CONSOLE_SETTINGS).await;
    let (ada, person) =
        (shop.server.register_agent("Ada").await, shop.viewer_with_pass("bob@example.com").await);
    // Not a report of a name, which has little weight from any reporter.
    assert_eq!(ada.paint(0, 0, 3).await.status, 201);
    let (report, rude) =
        ("/api/canvas/report", json!({"x1": 0, "y1": 0, "x2": 0, "y2": 0, "reason": "rude"}));
    assert_eq!(post_as_viewer(&person, report, rude.clone()).await.status, 201);
    post_as_viewer(&person, report, rude.clone()).await.assert_refused(409, "already_reported");
    let key = person.key.clone().unwrap();
    let again = shop.server.post_request(report).bearer_auth(&key).json(&rude);
    Reply::fetch(again).await.assert_refused(409, "already_reported");
    shop.server.advance_clock(34 * 86_400);
    let unknown = shop.server.post_request(report).bearer_auth(&key).json(&rude);
    assert_eq!(Reply::fetch(unknown).await.status, 201, "as any reporter may");
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
    let posted = person.post_message("hello").await.body;
    let id = posted["message"]["agent_id"].as_str().unwrap().to_owned();
    let operator = shop.server.sign_in_operator().await;
    let ban = format!("/api/admin/agents/{id}/ban");
    assert_eq!(operator.post(&ban, json!({"reason": "spam"})).await.status, 200);
    shop.server.advance_clock(300);
    person.post_message("again").await.assert_refused(403, "banned");
    let ada = shop.server.register_agent("Ada").await;
    let report = format!("/api/agents/{}/report", ada.id);
    post_as_viewer(&person, &report, json!({"reason": "rude"})).await.assert_refused(403, "banned");
    assert_eq!(post_as_viewer(&person, "/api/appeals", json!({"text": "Sorry"})).await.status, 201);
    let own = Reply::fetch(person.with_browser_headers(shop.server.get_request("/api/appeals"))).await;
    assert_eq!((own.status, &own.body["appeals"][0]["outcome"]), (200, &json!("open")), "{}", own.body);
    let appeal = own.body["appeals"][0]["id"].as_str().unwrap();
    let decide = format!("/api/admin/appeals/{appeal}/decide");
    let grant = json!({"decision": "grant", "answer": "Fine.", "reason": "sorry"});
    assert_eq!(operator.post(&decide, grant).await.status, 200);
    assert_eq!(person.post_message("again").await.status, 201);
}

async fn rename(person: &ViewerBrowser<'_>, name: &str) -> Reply {
    post_as_viewer(person, "/api/viewers/me/name", json!({"name": name})).await
}

#[tokio::test]
async fn banned_viewer_cannot_rename_itself() {
    let shop = Shop::start_with(&CONSOLE_SETTINGS).await;
    let person = shop.viewer_with_pass("bob@example.com").await;
    let id = person.me().await.body["viewer"]["id"].as_str().unwrap().to_owned();
    let operator = shop.server.sign_in_operator().await;
    let order = async |verb: &str| {
        let path = format!("/api/admin/agents/{id}/{verb}");
        operator.post(&path, json!({"reason": "spam"})).await
    };
    assert_eq!(order("ban").await.status, 200);
    let refused = rename(&person, "Eve").await;
    refused.assert_refused(403, "banned");
    assert_eq!((&refused.body["reason"], refused.body.get("appeal")), (&json!("spam"), Some(&Value::Null)));
    assert_eq!(order("unban").await.status, 200);
    assert_eq!(rename(&person, "Eve").await.status, 200);
}

#[tokio::test]
async fn operator_chosen_name_stays_until_an_appeal_is_granted() {
    let shop = Shop::start_with(&CONSOLE_SETTINGS).await;
    let mut person = shop.viewer_with_pass("bob@example.com").await;
    let appeal = json!({"text": "That is not me"});
    post_as_viewer(&person, "/api/appeals", appeal.clone()).await.assert_refused(403, "forbidden");
    let id = person.me().await.body["viewer"]["id"].as_str().unwrap().to_owned();
    let chosen = json!({"name": "Someone", "reason": "rude"});
    let operator = shop.server.sign_in_operator().await;
    assert_eq!(operator.post(&format!("/api/admin/agents/{id}/rename"), chosen).await.status, 200);
    // There is no appeal against a mute that has ended.
    let hour = shop.server.clock.now() + chrono::TimeDelta::hours(1);
    let mute = json!({"until": hour, "reason": "noise"});
    assert_eq!(operator.post(&format!("/api/admin/agents/{id}/mute"), mute).await.status, 200);
    shop.server.advance_clock(3 * 86_400);
    let refused = rename(&person, "Rude").await;
    refused.assert_refused(403, "forbidden");
    assert!(refused.body["detail"].as_str().unwrap().contains("operator"), "{}", refused.body);
    assert_eq!(person.submit("/gallery/name", &[("name", "Rude")]).await.status, 403);
    let me = person.me().await.body;
    assert_eq!(
        (&me["viewer"]["name"], &me["may_rename_at"]),
        (&json!("Someone"), &json!("9999-12-31T23:59:59Z"))
    );
    let filed = post_as_viewer(&person, "/api/appeals", appeal).await;
    assert_eq!(filed.status, 201, "{}", filed.body);
    let operator = shop.server.sign_in_operator().await;
    let unmute = format!("/api/admin/agents/{id}/unmute");
    assert_eq!(operator.post(&unmute, json!({"reason": "long over"})).await.status, 200);
    let decide = format!("/api/admin/appeals/{}/decide", filed.body["appeal"]["id"].as_str().unwrap());
    let grant = json!({"decision": "grant", "answer": "Fine.", "reason": "sorry"});
    assert_eq!(operator.post(&decide, grant).await.status, 200);
    assert_eq!(person.me().await.body["may_rename_at"], Value::Null);
    assert_eq!(rename(&person, "Bob B").await.status, 200);
}
