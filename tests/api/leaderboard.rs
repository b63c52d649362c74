//! `/api/leaderboard` and `/api/stats`: their counts, their periods and their freshness.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::actions::FREE_CONSOLE_SETTINGS;
use crate::support::values::{fields_of, texts_of};
use crate::support::{Agent, Server};

async fn ranked_names(server: &Server, period: &str) -> Vec<String> {
    let reply = server.get(&format!("/api/leaderboard?period={period}")).await;
    assert_eq!(reply.body["period"], period);
    texts_of(&reply.body["leaderboard"], "name").into_iter().map(str::to_owned).collect()
}

async fn paint(agent: &Agent<'_>, count: i64) {
    for x in 0..count {
        agent.paint(x, 0, 5).await.assert_status(201);
    }
}

#[tokio::test]
async fn ranks_by_pixels_then_by_earlier_placement() {
    let server = Server::start().await;
    let empty = json!({"leaderboard": [], "period": "season", "by": "pixels"});
    assert_eq!(server.get("/api/leaderboard").await.body, empty);
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    paint(&ada, 2).await;
    bob.earn_message_credits().await;
    assert_eq!(bob.post_message("first row done").await.status, 201);
    paint(&eve, 2).await;
    let reply = server.get("/api/leaderboard").await;
    assert!(reply.header("cache-control").contains("must-revalidate"));
    let rank = |rank: i64, agent: &Agent, name: &str, pixels: i64, messages: i64| json!({"rank": rank, "id": agent.id, "name": name, "pixels": pixels, "messages": messages});
    let expected = [rank(1, &bob, "Bob", 5, 1), rank(2, &ada, "Ada", 2, 0), rank(3, &eve, "Eve", 2, 0)];
    assert_eq!(reply.body["leaderboard"], json!(expected));
    assert_eq!(server.get("/api/leaderboard?limit=1").await.body["leaderboard"], json!(expected[..1]));
}

#[tokio::test]
async fn period_excludes_only_older_placements() {
    let mut server = Server::start().await;
    {
        paint(&server.register_agent("Ada").await, 2).await;
        assert_eq!(ranked_names(&server, "day").await, ["Ada"]);
        server.advance_clock(86_400 - 60);
        paint(&server.register_agent("Bob").await, 1).await;
        assert_eq!(ranked_names(&server, "day").await, ["Ada", "Bob"]);
        assert_eq!(server.get("/api/stats").await.body["painters_last_hour"], 1);
    }
    server.advance_clock(61);
    for _ in 0..2 {
        assert_eq!(ranked_names(&server, "day").await, ["Bob"]);
        assert_eq!(ranked_names(&server, "week").await, ["Ada", "Bob"]);
        // The incremental counts must equal those after a restart.
        server.restart().await;
    }
    server.advance_clock(6 * 86_400);
    assert_eq!(ranked_names(&server, "week").await, ["Bob"]);
    assert!(ranked_names(&server, "day").await.is_empty());
    assert_eq!(ranked_names(&server, "season").await, ["Ada", "Bob"]);
    let stats = server.get("/api/stats").await.body;
    assert_eq!(fields_of(&stats, ["agents", "pixels", "painters_last_hour"]), json!([2, 3, 0]));
}

#[tokio::test]
async fn statistics_name_every_agent_that_paints_now_with_its_latest_placement() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    paint(&ada, 3).await;
    let painting = async || {
        let stats = server.get("/api/stats").await.body;
        let painters = stats["painting_now"].as_array().unwrap().iter();
        painters.map(|painter| json!([painter["agent_name"], painter["x"], painter["y"]])).collect::<Vec<_>>()
    };
    assert_eq!(painting().await, [json!(["Ada", 2, 0])]);
    server.advance_clock(200);
    paint(&bob, 2).await;
    assert_eq!(painting().await, [json!(["Bob", 1, 0]), json!(["Ada", 2, 0])]);
    server.advance_clock(101);
    assert_eq!(painting().await, [json!(["Bob", 1, 0])]);
    server.advance_clock(200);
    assert!(painting().await.is_empty());
}

#[tokio::test]
async fn ranks_by_messages_then_by_earlier_message() {
    let mut server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    {
        let [ada, bob, silent] = server.register_agents(["Ada", "Bob", "Silent"]).await;
        paint(&silent, 3).await;
        for (agent, text) in [(&ada, "One"), (&bob, "Two"), (&bob, "Three"), (&ada, "Four")] {
            assert_eq!(agent.post_message(text).await.status, 201);
        }
        server.advance_clock(2 * 86_400);
        assert_eq!(ada.paint(9, 9, 1).await.status, 201);
        assert_eq!(ada.post_message("Five").await.status, 201);
    }
    for _ in 0..2 {
        let board =
            async |query: &str| server.get(&format!("/api/leaderboard?by=messages{query}")).await.body;
        let season = board("").await;
        assert_eq!((&season["by"], &season["period"]), (&json!("messages"), &json!("season")));
        let counts = |board: &Value| -> Vec<(String, i64, i64)> {
            let ranks = board["leaderboard"].as_array().unwrap().iter();
            let name = |rank: &Value| rank["name"].as_str().unwrap().to_owned();
            let number = |rank: &Value, key: &str| rank[key].as_i64().unwrap();
            ranks.map(|rank| (name(rank), number(rank, "messages"), number(rank, "pixels"))).collect()
        };
        assert_eq!(counts(&season), [("Ada".into(), 3, 1), ("Bob".into(), 2, 0)]);
        assert_eq!(counts(&board("&season=1").await), counts(&season));
        assert_eq!(counts(&board("&period=week&limit=1").await), [("Ada".into(), 3, 1)]);
        assert_eq!(counts(&board("&period=day").await), [("Ada".into(), 1, 1)]);
        let by_pixels = server.get("/api/leaderboard?by=pixels").await.body;
        assert_eq!(by_pixels, server.get("/api/leaderboard").await.body);
        // The incremental counts must equal those after a restart, without the texts.
        sqlx::query("delete from chat_message").execute(&server.pool).await.unwrap();
        server.restart().await;
    }
    server.get("/api/leaderboard?by=words").await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn only_public_messages_count() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    assert_eq!(ada.post_message("Everybody reads this").await.status, 201);
    server.sign_in_operator().await.apply_sanction(&ada, "shadow").await;
    for (agent, text) in [(&ada, "Nobody reads this"), (&ada, "Nor this"), (&bob, "But this")] {
        assert_eq!(agent.post_message(text).await.status, 201);
    }
    let ranks = server.get("/api/leaderboard?by=messages").await.body["leaderboard"].clone();
    let counts: Vec<_> =
        ranks.as_array().unwrap().iter().map(|rank| (&rank["name"], &rank["messages"])).collect();
    assert_eq!(counts, [(&json!("Ada"), &json!(1)), (&json!("Bob"), &json!(1))]);
}

#[tokio::test]
async fn deleted_texts_change_no_rank() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    ada.earn_message_credits().await;
    assert_eq!(ada.post_message("hello all").await.status, 201);
    let before = server.get("/api/leaderboard?period=week").await.body;
    assert_eq!(before["leaderboard"][0]["messages"], 1);
    sqlx::query("delete from chat_message").execute(&server.pool).await.unwrap();
    assert_eq!(server.get("/api/leaderboard?period=week").await.body, before);
    server.advance_clock(8 * 86_400);
    assert_eq!(server.get("/api/leaderboard?period=week").await.body["leaderboard"], json!([]));
}

#[tokio::test]
async fn own_pixel_shows_at_once_on_every_instance() {
    let [server, other] = Server::start_two_instances(&[]).await;
    let ada = server.register_agent("Ada").await;
    for count in 1..=4 {
        assert_eq!(ada.paint(count, count, 3).await.status, 201);
        let stats = server.get("/api/stats").await.body;
        assert_eq!((&stats["pixels"], &stats["head"]), (&json!(count), &json!(server.head().await)));
        assert_eq!(server.get("/api/leaderboard").await.body["leaderboard"][0]["pixels"], count);
    }
    other.running().state.log.refresh().await.unwrap();
    assert_eq!(other.get("/api/leaderboard").await.body["leaderboard"][0]["pixels"], 4);
}

#[tokio::test]
async fn concurrent_readers_share_database_queries() {
    let server = Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let ada = server.register_agent("Ada").await;
    let started = platform::clock::monotonic_now();
    let mut seen = BTreeSet::new();
    for x in 0..60 {
        assert_eq!(ada.paint(x, 1, 3).await.status, 201);
        let replies = join_all((0..4).map(|_| server.get("/api/leaderboard"))).await;
        seen.extend(replies.into_iter().map(|reply| reply.body["leaderboard"][0]["pixels"].as_i64()));
    }
    // A request that arrives during the very first computation may cause one more.
    let max_versions = 12.0 + 2.0 * started.elapsed().as_secs_f64();
    assert!(seen.len() as f64 <= max_versions, "{} rankings, at most {max_versions}", seen.len());
}
