//! Signatures, checked with the library of the standard, and the replacement of secrets.

use serde_json::{Value, json};

use super::{HOUR, SETTINGS, TestWebhook, open_webhook, send_test, wait_for_delivery};
use crate::support::{Agent, Server};

#[tokio::test]
async fn delivery_has_the_form_and_the_signature_of_the_standard() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    let delivery = send_test(&ada, &webhook).await;
    assert_eq!((&delivery["state"], &delivery["type"]), (&json!("pending"), &json!("test")));
    let received = receiver.next().await;
    assert_eq!((&*received.path, received.header("content-type")), ("/hook", "application/json"));
    assert_eq!(received.header("webhook-id"), delivery["id"]);
    let sent_at: i64 = received.header("webhook-timestamp").parse().unwrap();
    assert!((server.clock.now().timestamp() - sent_at).abs() < 60);
    let body = received.json();
    let fields: Vec<_> = body.as_object().unwrap().keys().collect();
    assert_eq!((fields.len(), &body["type"]), (3, &json!("test")));
    assert_eq!(body["data"], json!({"webhook_id": webhook.id}));
    assert!(body["timestamp"].as_str().unwrap().ends_with('Z'));
    assert!(received.header("webhook-signature").starts_with("v1,"));
    assert!(received.is_signed_with(&webhook.secret) && received.is_accepted_by_library(&webhook.secret));
    assert!(!received.is_signed_with(&format!("whsec_{}", "A".repeat(32))));
    let delivered = wait_for_delivery(&ada, &webhook, "delivered").await;
    assert_eq!((&delivered["status"], &delivered["attempts"]), (&json!(204), &json!(1)));
    assert_eq!(delivered["next_attempt_at"], Value::Null);
}

async fn rotate(agent: &Agent<'_>, webhook: &TestWebhook) -> String {
    let rotated = agent.post(&format!("{}/rotate", webhook.path), json!({})).await.assert_status(200);
    rotated["secret"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn replaced_secret_signs_too_for_a_day() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    let secret = rotate(&ada, &webhook).await;
    for (hours, old_signs) in [(0, true), (23, true), (2, false)] {
        server.advance_clock(hours * HOUR);
        send_test(&ada, &webhook).await;
        let received = receiver.next().await;
        let signatures = received.header("webhook-signature").split(' ').count();
        let signed_with = [&webhook.secret, &secret].map(|secret| received.is_signed_with(secret));
        assert_eq!((signed_with, signatures), ([old_signs, true], 1 + usize::from(old_signs)), "{hours}");
        // Until the outcome is stored, a later hour would send it again.
        wait_for_delivery(&ada, &webhook, "delivered").await;
    }
    caraplace_news::webhooks::cleanup::run_once(&server.running().state, 7).await.unwrap();
    assert!(server.fetch_scalar::<bool>("select previous_secret is null from webhook").await);
}
