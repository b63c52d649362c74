//! The devices of a viewer: which subscriptions are accepted, how many, and for whom.

use reqwest::Method;
use serde_json::{Value, json};

use super::push::{SUBJECT, open_lounge, subscribe};
use super::push_service::PushBrowser;
use super::{Lounge, me, say};
use crate::support::{Agent, Reply, admin};

async fn unsubscribe(viewer: &Agent<'_>, endpoint: &str) -> Value {
    let request = viewer.request(Method::DELETE, "/api/viewers/me/push");
    let account = Reply::fetch(request.json(&json!({"endpoint": endpoint}))).await.assert_status(200);
    account["notifications"]["push_devices"].clone()
}

#[tokio::test]
async fn the_newest_five_devices_are_kept() {
    let (lounge, mut service) = open_lounge().await;
    let (ada, grace) = (lounge.server.register_agent("Ada").await, lounge.viewer("Grace").await);
    let browsers: Vec<PushBrowser> = (0..7).map(|number| service.browser(&number.to_string())).collect();
    for browser in &browsers {
        lounge.server.advance_clock(1);
        subscribe(&grace, browser).await;
    }
    assert_eq!(me(&grace).await["notifications"]["push_devices"], 5);
    let devices = subscribe(&grace, &browsers[6]).await["notifications"]["push_devices"].clone();
    assert_eq!(devices, 5, "it is not doubled");
    assert_eq!(unsubscribe(&grace, &browsers[2].endpoint).await, 4);
    assert_eq!(unsubscribe(&grace, &browsers[2].endpoint).await, 4);
    say(&ada, "@Grace hello", None).await;
    let mut paths = Vec::new();
    for _ in 0..4 {
        paths.push(service.next().await.path);
    }
    paths.sort();
    assert_eq!(paths, ["/push/3", "/push/4", "/push/5", "/push/6"]);
}

#[tokio::test]
async fn a_browser_belongs_to_the_viewer_who_subscribed_last() {
    let (lounge, service) = open_lounge().await;
    let (grace, heidi) = (lounge.viewer("Grace").await, lounge.viewer("Heidi").await);
    let browser = service.browser("shared");
    subscribe(&grace, &browser).await;
    assert_eq!(unsubscribe(&heidi, &browser.endpoint).await, 0);
    assert_eq!(me(&grace).await["notifications"]["push_devices"], 1, "nobody removes devices of others");
    subscribe(&heidi, &browser).await;
    assert_eq!(me(&grace).await["notifications"]["push_devices"], 0);
}

#[tokio::test]
async fn wrong_subscriptions_are_refused_with_their_field() {
    let (lounge, service) = open_lounge().await;
    let grace = lounge.viewer("Grace").await;
    for endpoint in [
        "",
        "push.example.com",
        "http://push.example.com/a",
        "https://user:secret@push.example.com/a",
        "https://127.0.0.2/a",
        "https://2130706434/a",
        "https://[::1]/a",
        "https://[::ffff:169.254.169.254]/a",
        "https://10.0.0.1/a",
        "http://127.0.0.2/a",
    ] {
        let subscription = PushBrowser::new(endpoint.to_owned()).subscription();
        let refused = grace.post("/api/viewers/me/push", subscription).await;
        refused.assert_refused(400, "invalid_field");
        assert_eq!(refused.body["field"], "endpoint", "{endpoint}");
    }
    let valid = service.browser("grace").subscription();
    for (pointer, wrong) in [
        ("/keys/p256dh", json!("AAAA")),
        ("/keys/p256dh", json!(format!("BA{}", "A".repeat(85)))),
        ("/keys/auth", json!("AAAA")),
        ("/keys/auth", json!("ä")),
    ] {
        let mut body = valid.clone();
        *body.pointer_mut(pointer).unwrap() = wrong;
        grace.post("/api/viewers/me/push", body).await.assert_refused(400, "invalid_field");
    }
    let without_keys = json!({"endpoint": valid["endpoint"]});
    grace.post("/api/viewers/me/push", without_keys).await.assert_refused(400, "missing_field");
    assert_eq!(me(&grace).await["notifications"]["push_devices"], 0);
    let browser = lounge.browser(&grace).await;
    let request = browser.with_browser_headers(lounge.server.post_request("/api/viewers/me/push"));
    let foreign = request.header("Sec-Fetch-Site", "cross-site").json(&valid);
    Reply::fetch(foreign).await.assert_refused(403, "forbidden");
}

#[tokio::test]
async fn push_is_off_without_a_key_and_the_command_line_makes_one() {
    let lounge = Lounge::open(&[]).await;
    let grace = lounge.viewer("Grace").await;
    assert_eq!(me(&grace).await["notifications"]["push_key"], Value::Null);
    let subscription = PushBrowser::new("https://push.example.com/a".to_owned()).subscription();
    grace.post("/api/viewers/me/push", subscription).await.assert_refused(400, "invalid_field");
    let printed = admin(&lounge.server, &["vapid-key"], "").await.unwrap();
    let settings = [("CARAPLACE_VAPID_PRIVATE_KEY", printed.trim()), ("CARAPLACE_VAPID_SUBJECT", SUBJECT)];
    let other = Lounge::open(&settings).await;
    let heidi = other.viewer("Heidi").await;
    assert_eq!(me(&heidi).await["notifications"]["push_key"].as_str().unwrap().len(), 87);
}
