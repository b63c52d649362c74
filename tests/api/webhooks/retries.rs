//! Deliveries that receivers do not accept: they are repeated for a day, and disable their webhook then.

use caraplace_accounts::agents::accounts;
use caraplace_news::webhooks::{DisabledReason, disabled};
use serde_json::json;

use super::{
    HOUR, SETTINGS, create_webhook, eventually, failing, list_deliveries, open_webhook, read_webhook,
    receive_test, send_test, wait_for_delivery, wait_until_failing, wait_until_idle,
};
use crate::support::values::id_of;
use crate::support::{Agent, Receiver, Server};

#[tokio::test]
async fn failed_delivery_is_repeated_with_the_same_id_until_it_is_accepted() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    let delivery = send_test(&ada, &webhook).await;
    assert_eq!(receiver.next().await.header("webhook-id"), delivery["id"]);
    wait_for_delivery(&ada, &webhook, "delivered").await;
    receiver.answer_with(503);
    let delivery = send_test(&ada, &webhook).await;
    for (status, next_status) in [(503, 500), (500, 404), (404, 204)] {
        assert_eq!(receiver.next().await.header("webhook-id"), delivery["id"]);
        // The outcome is stored with the time of the clock, which must not be moved before.
        eventually(async || {
            let newest = list_deliveries(&ada, &webhook).await.remove(0);
            (newest["status"] == status).then_some(())
        })
        .await;
        receiver.answer_with(next_status);
        server.advance_clock(2 * HOUR);
    }
    let last = receiver.next().await;
    assert_eq!(last.header("webhook-id"), delivery["id"]);
    assert!(last.is_signed_with(&webhook.secret), "each attempt is signed at its own time");
    let delivered = wait_for_delivery(&ada, &webhook, "delivered").await;
    assert_eq!((&delivered["attempts"], &delivered["status"]), (&json!(4), &json!(204)));
    eventually(async || (!failing(&server).await).then_some(())).await;
    let metrics = server.get("/metrics").await.text().to_owned();
    let sample = "caraplace_webhook_attempts_total{outcome=\"delivered\"}";
    assert!(metrics.lines().any(|line| line.starts_with(sample) && !line.ends_with(" 0")), "{metrics}");
}

#[tokio::test]
async fn next_attempt_waits_for_its_time() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    receiver.answer_with(500);
    receive_test(&ada, &webhook, &mut receiver).await;
    let next_at = eventually(async || {
        if !failing(&server).await {
            return None;
        }
        let delivery = list_deliveries(&ada, &webhook).await.remove(0);
        Some(delivery["next_attempt_at"].as_str().unwrap().to_owned())
    });
    let next_at: chrono::DateTime<chrono::Utc> = next_at.await.parse().unwrap();
    let delay = next_at - server.clock.now();
    assert!((0..=6).contains(&delay.num_seconds()), "{delay}");
    // Another agent's delivery shows that the job has looked meanwhile.
    let bob = server.register_agent("Bob").await;
    let (other, mut other_receiver) = open_webhook(&bob, &["test"]).await;
    receive_test(&bob, &other, &mut other_receiver).await;
    server.advance_clock(10);
    receiver.next().await;
}

#[tokio::test]
async fn redirect_is_a_failure_and_is_not_followed() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    for status in [301, 302, 307, 308] {
        receiver.answer_with(status);
        send_test(&ada, &webhook).await;
        assert_eq!(receiver.next().await.path, "/hook");
        let delivery = eventually(async || {
            let newest = list_deliveries(&ada, &webhook).await.remove(0);
            (newest["status"] == status).then_some(newest)
        });
        assert_eq!(delivery.await["state"], "pending", "{status}");
        receiver.answer_with(200);
        server.advance_clock(HOUR);
        assert_eq!(receiver.next().await.path, "/hook", "{status}");
        wait_for_delivery(&ada, &webhook, "delivered").await;
    }
}

/// Returns the reasons for which the server has disabled the agent's webhooks, as its inbox is to report
/// them.
async fn unreported_reasons(server: &Server, agent: &Agent<'_>) -> Vec<(String, DisabledReason)> {
    let state = &server.running().state;
    let account = accounts::find(state, &agent.id).await.unwrap().unwrap();
    let unreported = disabled::list_unreported(state, &account).await.unwrap();
    unreported.into_iter().map(|webhook| (webhook.id, webhook.reason)).collect()
}

#[tokio::test]
async fn receiver_that_is_gone_disables_its_webhook_at_once() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    receiver.answer_with(410);
    receive_test(&ada, &webhook, &mut receiver).await;
    let delivery = wait_for_delivery(&ada, &webhook, "failed").await;
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!(410), &json!(1)));
    assert_eq!(read_webhook(&ada, &webhook).await["state"], "disabled");
    assert_eq!(unreported_reasons(&server, &ada).await, [(webhook.id.clone(), DisabledReason::Gone)]);
    assert_eq!(bob.post_message("@Ada hello").await.status, 201);
    server.advance_clock(2 * HOUR);
    wait_until_idle_of_others(&server, &bob).await;
    assert!(receiver.try_next().is_none());
    let state = &server.running().state;
    let account = accounts::find(state, &ada.id).await.unwrap().unwrap();
    let numbers: Vec<i64> =
        disabled::list_unreported(state, &account).await.unwrap().iter().map(|webhook| webhook.no).collect();
    disabled::mark_reported(state, &account, &numbers).await.unwrap();
    assert_eq!(unreported_reasons(&server, &ada).await, []);
}

/// Waits until a test to another agent's webhook has arrived, so that the job has looked at everything due.
async fn wait_until_idle_of_others(server: &Server, agent: &Agent<'_>) {
    let (webhook, mut receiver) = open_webhook(agent, &["test"]).await;
    send_test(agent, &webhook).await;
    receiver.next().await;
    wait_until_idle(server).await;
}

#[tokio::test]
async fn webhook_is_disabled_after_a_day_without_success() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    receiver.answer_with(500);
    let started_at = server.clock.now();
    send_test(&ada, &webhook).await;
    let mut attempts = 0;
    while read_webhook(&ada, &webhook).await["state"] == "active" {
        receiver.next().await;
        attempts += 1;
        // The outcome must be stored before the clock is moved again.
        wait_for_outcome(&server, attempts).await;
        server.advance_clock(HOUR + HOUR / 4);
    }
    let elapsed = server.clock.now() - started_at;
    assert!((24..=28).contains(&elapsed.num_hours()), "{elapsed}");
    assert!(attempts >= 15, "{attempts}");
    wait_for_delivery(&ada, &webhook, "failed").await;
    assert_eq!(unreported_reasons(&server, &ada).await, [(webhook.id.clone(), DisabledReason::Failing)]);
}

/// Waits until the outcome of this attempt is stored.
async fn wait_for_outcome(server: &Server, attempts: i32) {
    eventually(async || {
        let query = "select attempts = $1 and claimed_at is null from delivery";
        let query = sqlx::query_scalar::<_, bool>(query).bind(attempts);
        query.fetch_one(&server.pool).await.unwrap().then_some(())
    })
    .await;
}

#[tokio::test]
async fn time_without_attempts_disables_no_webhook() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    receiver.answer_with(500);
    receive_test(&ada, &webhook, &mut receiver).await;
    wait_for_outcome(&server, 1).await;
    server.advance_clock(30 * HOUR);
    receiver.next().await;
    assert_eq!(wait_for_delivery(&ada, &webhook, "failed").await["attempts"], 2);
    assert_eq!(read_webhook(&ada, &webhook).await["state"], "active", "two attempts are too few");
    assert!(!failing(&server).await, "no delivery that has failed is pending");
    receive_test(&ada, &webhook, &mut receiver).await;
    wait_until_failing(&server).await;
    assert_eq!(read_webhook(&ada, &webhook).await["state"], "active");
}

#[tokio::test]
async fn new_address_is_tried_at_once_and_failures_at_the_old_one_do_not_count() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut old) = open_webhook(&ada, &["test"]).await;
    old.answer_with(500);
    let delivery = receive_test(&ada, &webhook, &mut old).await;
    wait_for_outcome(&server, 1).await;
    // It would be tried again in an hour.
    server.execute("update delivery set next_at = next_at + interval '1 hour'").await;
    let mut new = Receiver::open().await;
    ada.patch(&webhook.path, json!({"url": new.url})).await.assert_status(200);
    assert_eq!(new.next().await.header("webhook-id"), delivery["id"]);
    wait_for_delivery(&ada, &webhook, "delivered").await;
    new.hang();
    receive_test(&ada, &webhook, &mut new).await;
    let mut newest = Receiver::open().await;
    ada.patch(&webhook.path, json!({"url": newest.url})).await.assert_status(200);
    newest.next().await;
    wait_for_delivery(&ada, &webhook, "delivered").await;
    assert!(!failing(&server).await, "the timeout was at the address before");
}

#[tokio::test]
async fn failing_webhook_sends_although_others_keep_its_host_busy() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut shared = Receiver::open().await;
    let failing_webhook = create_webhook(&ada, &shared.url, &["test"]).await;
    let busy_webhook = create_webhook(&bob, &shared.url, &["test"]).await;
    shared.answer_with(500);
    let delivery = receive_test(&ada, &failing_webhook, &mut shared).await;
    wait_for_outcome(&server, 1).await;
    shared.hang();
    for _ in 0..2 {
        receive_test(&bob, &busy_webhook, &mut shared).await;
    }
    server.advance_clock(10);
    assert_eq!(shared.next().await.header("webhook-id"), delivery["id"]);
}

#[tokio::test]
async fn receiver_that_hangs_delays_nobody() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (slow, mut hanging) = open_webhook(&ada, &["mention"]).await;
    hanging.hang();
    for index in 0..30 {
        assert_eq!(bob.post_message(&format!("@Ada {index}")).await.status, 201);
    }
    hanging.next().await;
    let (fast, mut receiver) = open_webhook(&bob, &["test"]).await;
    let started = platform::clock::monotonic_now();
    for _ in 0..9 {
        receive_test(&bob, &fast, &mut receiver).await;
    }
    let elapsed = started.elapsed();
    assert!(elapsed.as_secs() < 10, "a request times out after ten seconds: {elapsed:?}");
    assert!(hanging.most_open() <= 4, "{}", hanging.most_open());
    assert!(list_deliveries(&ada, &slow).await.iter().all(|delivery| delivery["state"] == "pending"));
}

#[tokio::test]
async fn failed_and_delivered_deliveries_are_sent_again_on_request() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    let id = id_of(&receive_test(&ada, &webhook, &mut receiver).await).to_owned();
    wait_for_delivery(&ada, &webhook, "delivered").await;
    let resend = format!("{}/deliveries/{id}/resend", webhook.path);
    let again = ada.post(&resend, json!({})).await;
    assert_eq!((again.status, &again.body["delivery"]["state"]), (202, &json!("pending")));
    assert_eq!(receiver.next().await.header("webhook-id"), id);
    assert_eq!(wait_for_delivery(&ada, &webhook, "delivered").await["attempts"], 2);
    let unknown = format!("{}/deliveries/delivery_x/resend", webhook.path);
    ada.post(&unknown, json!({})).await.assert_refused(404, "not_found");
    let mut refused = ada.post(&resend, json!({})).await;
    for _ in 0..10 {
        refused = ada.post(&resend, json!({})).await;
    }
    refused.assert_refused(429, "too_many_requests");
    server.advance_clock(10);
    assert_eq!(ada.post(&resend, json!({})).await.status, 202);
}

#[tokio::test]
async fn old_deliveries_are_deleted() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    receive_test(&ada, &webhook, &mut receiver).await;
    wait_for_delivery(&ada, &webhook, "delivered").await;
    for (days, left) in [(2, 1), (2, 0)] {
        server.advance_clock(days * 24 * HOUR);
        caraplace_news::webhooks::cleanup::run_once(&server.running().state, 3).await.unwrap();
        assert_eq!(list_deliveries(&ada, &webhook).await.len(), left, "{days}");
    }
    receiver.answer_with(500);
    receive_test(&ada, &webhook, &mut receiver).await;
    wait_for_outcome(&server, 1).await;
    // It waits, so it fails before it is deleted.
    server.execute("update delivery set created_at = created_at - interval '4 days'").await;
    caraplace_news::webhooks::cleanup::run_once(&server.running().state, 3).await.unwrap();
    assert_eq!(list_deliveries(&ada, &webhook).await[0]["state"], "failed");
    caraplace_news::webhooks::cleanup::run_once(&server.running().state, 3).await.unwrap();
    assert_eq!(list_deliveries(&ada, &webhook).await.len(), 0);
}
