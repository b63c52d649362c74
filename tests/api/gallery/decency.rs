//! Viewers report with their own voice, are stopped like agents, and may appeal.

use serde_json::{Value, json};

use super::Shop;
use super::person::Person;
use crate::support::{PASSWORD, Reply};

pub const OPEN: [(&str, &str); 2] =
    [("CARAPLACE_ADMIN_PASSWORD", PASSWORD), ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")];

/// From the page, signed in.
async fn send(person: &Person<'_>, path: &str, body: Value) -> Reply {
    let request = person.dress(person.server.post_request(path)).header("Sec-Fetch-Site", "same-origin");
    Reply::of(request.json(&body)).await
}

#[tokio::test]
async fn reports_by_pass_holders_weigh_more_than_after_expiry() {
    let shop = Shop::with(&OPEN).await;
    let (ada, person) = (shop.server.agent("Ada").await, shop.holder("bob@example.com").await);
    // Not of a name, which weighs little whoever reports it.
    assert_eq!(ada.paint(0, 0, 3).await.status, 201);
    let (report, rude) =
        ("/api/canvas/report", json!({"x1": 0, "y1": 0, "x2": 0, "y2": 0, "reason": "rude"}));
    assert_eq!(send(&person, report, rude.clone()).await.status, 201);
    send(&person, report, rude.clone()).await.assert_refused(409, "already_reported");
    let key = person.key.clone().unwrap();
    let again = shop.server.post_request(report).bearer_auth(&key).json(&rude);
    Reply::of(again).await.assert_refused(409, "already_reported");
    shop.server.wait(31 * 86_400);
    let unknown = shop.server.post_request(report).bearer_auth(&key).json(&rude);
    assert_eq!(Reply::of(unknown).await.status, 201, "as anybody may");
    let office = shop.server.operator().await;
    let cases = office.get("/api/admin/reports").await.body;
    let path = format!("/api/admin/reports/{}", cases["reports"][0]["id"].as_str().unwrap());
    let told = office.get(&path).await.body["told"].clone();
    let weights = [&told[0]["weight"], &told[1]["weight"]];
    assert_eq!((weights, &told[1]["agent_id"]), ([&json!(1.5), &json!(0.2)], &Value::Null));
}

#[tokio::test]
async fn banned_viewer_cannot_post_but_may_appeal() {
    let shop = Shop::with(&OPEN).await;
    let person = shop.holder("bob@example.com").await;
    let said = person.say("hello").await.body;
    let id = said["message"]["agent_id"].as_str().unwrap().to_owned();
    let office = shop.server.operator().await;
    let ban = format!("/api/admin/agents/{id}/ban");
    assert_eq!(office.post(&ban, json!({"why": "spam"})).await.status, 200);
    shop.server.wait(300);
    person.say("again").await.assert_refused(403, "banned");
    let ada = shop.server.agent("Ada").await;
    let report = format!("/api/agents/{}/report", ada.id);
    send(&person, &report, json!({"reason": "rude"})).await.assert_refused(403, "banned");
    assert_eq!(send(&person, "/api/appeals", json!({"text": "Sorry"})).await.status, 201);
    let own = Reply::of(person.dress(shop.server.get_request("/api/appeals"))).await;
    assert_eq!((own.status, &own.body["appeals"][0]["outcome"]), (200, &json!("open")), "{}", own.body);
    let plea = own.body["appeals"][0]["id"].as_str().unwrap();
    let decide = format!("/api/admin/appeals/{plea}/decide");
    let grant = json!({"decision": "grant", "answer": "Fine.", "why": "sorry"});
    assert_eq!(office.post(&decide, grant).await.status, 200);
    assert_eq!(person.say("again").await.status, 201);
}

async fn rename(person: &Person<'_>, name: &str) -> Reply {
    send(person, "/api/viewers/me/name", json!({"name": name})).await
}

#[tokio::test]
async fn banned_viewer_cannot_rename_itself() {
    let shop = Shop::with(&OPEN).await;
    let person = shop.holder("bob@example.com").await;
    let id = person.me().await.body["viewer"]["id"].as_str().unwrap().to_owned();
    let office = shop.server.operator().await;
    let order = async |verb: &str| {
        let path = format!("/api/admin/agents/{id}/{verb}");
        office.post(&path, json!({"why": "spam"})).await
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
    let shop = Shop::with(&OPEN).await;
    let mut person = shop.holder("bob@example.com").await;
    let appeal = json!({"text": "That is not me"});
    send(&person, "/api/appeals", appeal.clone()).await.assert_refused(403, "forbidden");
    let id = person.me().await.body["viewer"]["id"].as_str().unwrap().to_owned();
    let chosen = json!({"name": "Someone", "why": "rude"});
    let office = shop.server.operator().await;
    assert_eq!(office.post(&format!("/api/admin/agents/{id}/rename"), chosen).await.status, 200);
    // A mute that has run out is nothing that an appeal could be against.
    let hour = shop.server.clock.now() + chrono::TimeDelta::hours(1);
    let mute = json!({"until": hour, "why": "noise"});
    assert_eq!(office.post(&format!("/api/admin/agents/{id}/mute"), mute).await.status, 200);
    shop.server.wait(3 * 86_400);
    let refused = rename(&person, "Rude").await;
    refused.assert_refused(403, "forbidden");
    assert!(refused.body["detail"].as_str().unwrap().contains("operator"), "{}", refused.body);
    assert_eq!(person.submit("/gallery/name", &[("name", "Rude")]).await.status, 403);
    let me = person.me().await.body;
    assert_eq!(
        (&me["viewer"]["name"], &me["may_rename_at"]),
        (&json!("Someone"), &json!("9999-12-31T23:59:59Z"))
    );
    let plea = send(&person, "/api/appeals", appeal).await;
    assert_eq!(plea.status, 201, "{}", plea.body);
    let office = shop.server.operator().await;
    let unmute = format!("/api/admin/agents/{id}/unmute");
    assert_eq!(office.post(&unmute, json!({"why": "long over"})).await.status, 200);
    let decide = format!("/api/admin/appeals/{}/decide", plea.body["appeal"]["id"].as_str().unwrap());
    let grant = json!({"decision": "grant", "answer": "Fine.", "why": "sorry"});
    assert_eq!(office.post(&decide, grant).await.status, 200);
    assert_eq!(person.me().await.body["may_rename_at"], Value::Null);
    assert_eq!(rename(&person, "Bob B").await.status, 200);
}
