//! The addresses that webhooks may have. The rules themselves are tested in `crates/platform/src/outbound`.

use serde_json::json;

use super::{SETTINGS, create_webhook, open_webhook, receive_test, send_test, wait_for_delivery};
use crate::support::{Agent, Receiver, Server};

#[tokio::test]
async fn forbidden_addresses_are_refused_without_a_word_about_them() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let mut details = Vec::new();
    for url in [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://10.1.2.3:8443/",
        "https://2130706433/",
        "https://localhost/",
        "https://no-such-host.invalid/",
    ] {
        let refused = ada.post("/api/webhooks", json!({"url": url, "events": ["test"]})).await;
        refused.assert_refused(400, "invalid_field");
        assert_eq!(refused.body["field"], "url", "{url}");
        details.push(refused.body["detail"].clone());
    }
    details.dedup();
    assert_eq!(details.len(), 1, "{details:?}");
    for url in
        ["http://1.1.1.1/", "https://user:word@1.1.1.1/", "https://1.1.1.1/#part", "file:///etc/passwd"]
    {
        let refused = ada.post("/api/webhooks", json!({"url": url, "events": ["test"]})).await;
        refused.assert_refused(400, "invalid_field");
        assert!(!refused.body.to_string().contains("word@"), "{}", refused.body);
    }
    assert_eq!(ada.get("/api/webhooks").await.body, json!({"webhooks": []}));
}

#[tokio::test]
async fn address_is_checked_again_with_each_attempt() {
    let mut server = Server::start_with(&SETTINGS).await;
    let (key, (webhook, mut receiver)) = {
        let ada = server.register_agent("Ada").await;
        let opened = open_webhook(&ada, &["test"]).await;
        (ada.key, opened)
    };
    server.restart_with("CARAPLACE_WEBHOOK_ALLOW", "127.0.0.9/32").await;
    let ada = server.client_with_key(&key);
    send_test(&ada, &webhook).await;
    let failed = super::eventually(async || {
        let delivery = super::list_deliveries(&ada, &webhook).await.remove(0);
        let is_postponed = delivery["attempts"] == 1 && delivery["next_attempt_at"].is_string();
        (is_postponed && super::failing(&server).await).then_some(delivery)
    });
    assert_eq!(failed.await["status"], json!(null));
    assert!(receiver.try_next().is_none(), "nothing was sent");
}

#[tokio::test]
async fn allowed_network_may_be_reached_without_tls() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let mut receiver = Receiver::open_at("127.0.0.7").await;
    let webhook = create_webhook(&ada, &receiver.url, &["test"]).await;
    receive_test(&ada, &webhook, &mut receiver).await;
    wait_for_delivery(&ada, &webhook, "delivered").await;
}

#[tokio::test]
async fn ports_of_other_services_are_refused() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    for port in [1, 22, 25, 1023] {
        let body = json!({"url": format!("http://127.0.0.1:{port}/"), "events": ["test"]});
        let refused = ada.post("/api/webhooks", body).await;
        refused.assert_refused(400, "invalid_field");
        assert_eq!(refused.body["field"], "url", "{port}");
    }
    for port in [80, 443, 1024, 65535] {
        let webhook = create_webhook(&ada, &format!("http://127.0.0.1:{port}/"), &["test"]).await;
        assert_eq!(ada.delete(&webhook.path).await.status, 200);
    }
}

#[tokio::test]
async fn names_are_counted_before_they_are_looked_up() {
    let server = Server::start().await;
    let body = || json!({"url": "https://localhost/", "events": ["test"]});
    let [ada, ben, cleo, dora] = server.register_agents(["Ada", "Ben", "Cleo", "Dora"]).await;
    let use_up_allowance = async |agent: &Agent<'_>| {
        for _ in 0..10 {
            agent.post("/api/webhooks", body()).await.assert_refused(400, "invalid_field");
        }
    };
    use_up_allowance(&ada).await;
    ada.post("/api/webhooks", body()).await.assert_refused(429, "too_many_requests");
    let address = json!({"url": "https://1.1.1.1/", "events": ["test"]});
    ada.post("/api/webhooks", address).await.assert_refused(429, "too_many_requests");
    use_up_allowance(&ben).await;
    use_up_allowance(&cleo).await;
    let refused = dora.post("/api/webhooks", body()).await;
    refused.assert_refused(429, "too_many_requests");
    assert!(refused.body["detail"].as_str().unwrap().contains("30 hosts"), "{}", refused.body);
    let webhook = create_webhook(&dora, "https://1.1.1.1/", &["test"]).await;
    let refused = dora.patch(&webhook.path, json!({"url": "https://localhost/"})).await;
    refused.assert_refused(429, "too_many_requests");
}
