//! A season is frozen by an operator or at its scheduled end. It is then read-only.

use chrono::TimeDelta;
use serde_json::json;

use super::{SMALL_CANVAS, last_message};
use crate::support::actions::post_text;
use crate::support::waiting::wait_until;
use crate::support::{Server, admin};

const OVER: &str = "Season 1 is over: its canvas stays as it is now, until the next season opens.";

#[tokio::test]
async fn frozen_season_is_read_only_until_unfrozen() {
    let [one, other] = Server::start_two_instances(&SMALL_CANVAS).await;
    let ada = one.register_agent("Ada").await;
    ada.earn_message_credits().await;
    ada.earn_message_credits().await;
    let message = post_text(&ada, "One last thing").await;
    let there = ada.on(&other);
    let operator = one.sign_in_operator().await;
    let reason_body = json!({"reason": "Enough."});
    let frozen = operator.post("/api/admin/seasons/freeze", reason_body.clone()).await;
    assert_eq!((frozen.status, &frozen.body["state"]), (200, &json!("frozen")), "{}", frozen.body);
    assert_eq!(last_message(&one).await, OVER);
    let again = operator.post("/api/admin/seasons/freeze", reason_body.clone()).await;
    assert_eq!(again.body, frozen.body, "it is frozen once");
    one.advance_clock(61);
    let (head, before) = (one.head().await, one.get("/api/canvas").await.body["rows"].clone());
    let charges = ada.me().await["chat_credits"].clone();
    // The writer knows the change immediately, on every instance.
    for agent in [&there, &ada] {
        let refused = agent.paint(1, 1, 4).await;
        refused.assert_refused(403, "forbidden");
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(detail.contains("frozen until the next"), "{}", refused.body);
        assert_eq!(refused.body["frozen_at"], frozen.body["frozen_at"]);
        agent.post_message("May I?").await.assert_refused(403, "forbidden");
        let reaction = json!({"type": "reaction", "reply_to": message["id"], "content": "🔥"});
        agent.post("/api/chat", reaction).await.assert_refused(403, "forbidden");
    }
    // The order of checks: the digest comes before, the content after.
    let wrong = json!({"x": 1, "y": 1, "color": 4, "chat_digest": "000000000000"});
    ada.post("/api/pixel", wrong).await.assert_refused(400, "digest_invalid");
    ada.post_message("").await.assert_refused(403, "forbidden");
    assert_eq!((one.head().await, &ada.me().await["chat_credits"]), (head, &charges));
    assert_eq!(other.get("/api/canvas").await.body["rows"], before);
    assert_eq!(one.try_register_agent("Late").await.status, 201);

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
    let [mut one, other] = Server::start_two_instances(&SMALL_CANVAS).await;
    let ada = one.register_agent("Ada").await;
    let there = ada.on(&other);
    let operator = one.sign_in_operator().await;
    let end = one.clock.now() + TimeDelta::seconds(100);
    let schedule_end = async |end: Option<_>| {
        operator.post("/api/admin/seasons/schedule", json!({"ends_at": end, "reason": "As announced."})).await
    };
    assert_eq!(schedule_end(Some(end)).await.body["state"], "played");
    assert!(last_message(&one).await.as_str().unwrap().starts_with("Season 1 ends at "));
    schedule_end(Some(one.clock.now() - TimeDelta::seconds(1))).await.assert_refused(400, "invalid_field");
    let has_end = async || other.get("/api/stats").await.body["season_ends_at"].is_string();
    wait_until(has_end, "the other instance never shows the scheduled end").await;
    assert_eq!(there.paint(1, 1, 4).await.status, 201);
    one.advance_clock(100);
    // The season is over even before the freeze is recorded.
    there.paint(2, 1, 4).await.assert_refused(403, "forbidden");
    for server in [&one, &other] {
        let is_told = async || last_message(server).await == OVER;
        wait_until(is_told, "the chat never tells that the season is over").await;
    }
    let key = ada.key;
    one.restart().await;
    let ada = one.client_with_key(&key);
    ada.paint(2, 1, 4).await.assert_refused(403, "forbidden");
    let frozen: Vec<String> = one.fetch_scalars("select operator from audit where act = 'freeze'").await;
    assert_eq!(frozen, ["schedule"], "it is frozen once");
    let operator = one.sign_in_operator().await;
    let frozen = operator.get("/api/admin/seasons").await.body["seasons"][0].clone();
    assert_eq!((&frozen["state"], &frozen["frozen_at"]), (&json!("frozen"), &frozen["ends_at"]));
    let late =
        operator.post("/api/admin/seasons/schedule", json!({"ends_at": null, "reason": "Too late."})).await;
    late.assert_refused(403, "forbidden");
    assert_eq!(operator.open_season(1, 9, 8).await["ends_at"], json!(null));
    assert_eq!(ada.paint(3, 1, 4).await.status, 201);
}

#[tokio::test]
async fn page_of_a_frozen_season_tells_nobody_paints_now() {
    let server = Server::start_with_console().await;
    let operator = server.sign_in_operator().await;
    assert_eq!(server.register_agent("Ada").await.paint(1, 1, 5).await.status, 201);
    operator.post_with_reason("/api/admin/seasons/freeze").await;
    let (_, page) = server.page("/").await;
    assert!(page.contains(">Painted last</h2>") && !page.contains("Painting now"), "{page}");
}

#[tokio::test]
async fn command_line_names_seasons_as_the_console_does() {
    let server = Server::start_with_console().await;
    let run = async |words: &[&str]| {
        let words: Vec<&str> = words.iter().chain(&["--reason", "tests"]).copied().collect();
        admin(&server, &words, "").await.unwrap()
    };
    let listed = admin(&server, &["season", "list"], "").await.unwrap();
    assert!(listed.contains("running") && !listed.contains("played"), "{listed}");
    let end = (server.clock.now() + TimeDelta::days(3)).format("%Y-%m-%dT%H:%M:00Z").to_string();
    let scheduled = run(&["season", "schedule", "--until", &end]).await;
    assert!(scheduled.starts_with("Season 1 ends at "), "{scheduled}");
    assert_eq!(run(&["season", "schedule"]).await, "Season 1 has no end date now.\n");
    let opened = run(&["season", "open", "--after", "1", "--title", "Autumn"]).await;
    assert_eq!(opened, "Season 2 (Autumn) is open.\n");
}
