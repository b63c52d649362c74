//! A season is frozen by an operator or at its scheduled end. It is then read-only.

use chrono::TimeDelta;
use serde_json::json;

use super::{SMALL_CANVAS, last_message, open_season, wait_until};
use crate::support::{Agent, Server};

#[tokio::test]
async fn frozen_season_is_read_only_until_unfrozen() {
    let one = Server::start_with(&SMALL_CANVAS).await;
    let other = one.start_instance(&SMALL_CANVAS).await;
    let ada = one.register_agent("Ada").await;
    ada.earn_message_credits().await;
    ada.earn_message_credits().await;
    let message_id = ada.post_message("One last thing").await.body["message"]["id"].clone();
    let there = Agent { server: &other, id: ada.id.clone(), key: ada.key.clone() };
    let operator = one.sign_in_operator().await;
    let reason_body = json!({"reason": "Enough."});
    let frozen = operator.post("/api/admin/seasons/freeze", reason_body.clone()).await;
    assert_eq!((frozen.status, &frozen.body["state"]), (200, &json!("frozen")), "{}", frozen.body);
    assert_eq!(
        last_message(&one).await,
        "Season 1 is over: its canvas stays as it is now, until the next season opens."
    );
    let again = operator.post("/api/admin/seasons/freeze", reason_body.clone()).await;
    assert_eq!(again.body, frozen.body, "it is frozen once");
    one.advance_clock(61);
    let (head, before) = (one.head().await, one.get("/api/canvas").await.body["rows"].clone());
    let charges = ada.me().await["chat_credits"].clone();
    // The writer knows the change immediately, on every instance.
    for agent in [&there, &ada] {
        let refused = agent.paint(1, 1, 4).await;
        refused.assert_refused(403, "forbidden");
        assert!(
            refused.body["detail"].as_str().unwrap().contains("frozen until the next"),
            "{}",
            refused.body
        );
        assert_eq!(refused.body["frozen_at"], frozen.body["frozen_at"]);
        agent.post_message("May I?").await.assert_refused(403, "forbidden");
        let reaction = json!({"type": "reaction", "reply_to": message_id, "content": "🔥"});
        agent.post("/api/chat", reaction).await.assert_refused(403, "forbidden");
    }
    // The order of checks: the digest comes before, the content after.
    let wrong = json!({"x": 1, "y": 1, "color": 4, "chat_digest": "000000000000"});
    ada.post("/api/pixel", wrong).await.assert_refused(400, "digest_invalid");
    ada.post_message("").await.assert_refused(403, "forbidden");
    assert_eq!((one.head().await, &ada.me().await["chat_credits"]), (head, &charges));
    assert_eq!(other.get("/api/canvas").await.body["rows"], before);
    assert_eq!(one.post("/api/agents/register", json!({"name": "Late"})).await.status, 201);

    let goes_on = operator.post("/api/admin/seasons/unfreeze", reason_body).await;
    assert_eq!((goes_on.status, &goes_on.body["state"]), (200, &json!("played")));
    assert_eq!(there.paint(1, 1, 4).await.status, 201);
    assert_eq!(ada.post_message("Thank you").await.status, 201);
    let acts: Vec<(String, String)> =
        sqlx::query_as("select act, why from audit order by no").fetch_all(&one.pool).await.unwrap();
    assert_eq!(acts, [("freeze".into(), "Enough.".into()), ("unfreeze".into(), "Enough.".into())]);
}

#[tokio::test]
async fn season_freezes_once_at_its_scheduled_end() {
    let mut one = Server::start_with(&SMALL_CANVAS).await;
    let other = one.start_instance(&SMALL_CANVAS).await;
    let ada = one.register_agent("Ada").await;
    let there = Agent { server: &other, id: ada.id.clone(), key: ada.key.clone() };
    let operator = one.sign_in_operator().await;
    let end = one.clock.now() + TimeDelta::seconds(100);
    let schedule_end = async |end: Option<_>| {
        operator.post("/api/admin/seasons/schedule", json!({"ends_at": end, "reason": "As announced."})).await
    };
    assert_eq!(schedule_end(Some(end)).await.body["state"], "played");
    assert!(last_message(&one).await.as_str().unwrap().starts_with("Season 1 ends at "));
    let too_early = schedule_end(Some(one.clock.now() - TimeDelta::seconds(1))).await;
    too_early.assert_refused(400, "invalid_field");
    wait_until("the end", async || other.get("/api/stats").await.body["season_ends_at"].is_string()).await;
    assert_eq!(there.paint(1, 1, 4).await.status, 201);
    one.advance_clock(100);
    // The season is over even before the freeze is recorded.
    there.paint(2, 1, 4).await.assert_refused(403, "forbidden");
    let over = "Season 1 is over: its canvas stays as it is now, until the next season opens.";
    for server in [&one, &other] {
        wait_until("the end", async || last_message(server).await == over).await;
    }
    let (key, id) = (ada.key.clone(), ada.id.clone());
    one.restart().await;
    let ada = Agent { server: &one, id, key };
    ada.paint(2, 1, 4).await.assert_refused(403, "forbidden");
    let frozen: Vec<String> = sqlx::query_scalar("select operator from audit where act = 'freeze'")
        .fetch_all(&one.pool)
        .await
        .unwrap();
    assert_eq!(frozen, ["schedule"], "it is frozen once");
    let operator = one.sign_in_operator().await;
    let frozen = operator.get("/api/admin/seasons").await.body["seasons"][0].clone();
    assert_eq!((&frozen["state"], &frozen["frozen_at"]), (&json!("frozen"), &frozen["ends_at"]));
    let late =
        operator.post("/api/admin/seasons/schedule", json!({"ends_at": null, "reason": "Too late."})).await;
    late.assert_refused(403, "forbidden");
    let next = open_season(&operator, 1, (9, 8)).await;
    assert_eq!((next.status, &next.body["ends_at"]), (201, &json!(null)));
    assert_eq!(ada.paint(3, 1, 4).await.status, 201);
}
