//! Pixels, heatmaps and the timeline of a season that has ended, beside a canvas of another size.

use serde_json::json;

use super::FREE_CANVAS;
use crate::support::Server;
use crate::support::actions::post_intent;
use crate::support::values::{fields_of, texts_of};

/// Starts a server whose first season, of 9 × 8 pixels, has ended. Returns the number of its last event, too.
async fn server_with_archive() -> (Server, i64) {
    let server = Server::start_with(&FREE_CANVAS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    assert_eq!(ada.paint(2, 3, 5).await.status, 201);
    server.advance_clock(100);
    assert_eq!(bob.paint(2, 3, 6).await.status, 201);
    assert_eq!(bob.post_message("Mine now").await.status, 201);
    post_intent(&ada, "A wall", [0, 0, 4, 4]).await;
    server.advance_clock(50);
    assert_eq!(ada.paint(8, 7, 1).await.status, 201);
    let (last, operator) = (server.head().await, server.sign_in_operator().await);
    server.advance_clock(1_000);
    operator.open_season(1, 12, 10).await;
    assert_eq!(bob.paint(2, 3, 9).await.status, 201);
    assert_eq!(bob.post_message("A new canvas").await.status, 201);
    post_intent(&bob, "A sea", [0, 0, 11, 9]).await;
    (server, last)
}

#[tokio::test]
async fn pixel_shows_its_owners_and_messages_of_the_season() {
    let (server, _) = server_with_archive().await;
    let pixel = server.get("/api/pixel?x=2&y=3&season=1").await.body;
    assert_eq!((&pixel["color"], &pixel["agent_name"]), (&json!(6), &json!("Bob")));
    assert_eq!(texts_of(&pixel["history"], "agent_name"), ["Bob", "Ada"]);
    let blank = server.get("/api/pixel?x=0&y=0&season=1").await.body;
    assert_eq!(fields_of(&blank, ["color", "agent_id", "history"]), json!([0, null, []]));
    let present = server.get("/api/pixel?x=2&y=3&season=2").await.body;
    assert_eq!(present, server.get("/api/pixel?x=2&y=3").await.body);
    assert_eq!(texts_of(&present["history"], "agent_name"), ["Bob"]);
    server.get("/api/pixel?x=11&y=9&season=1").await.assert_refused(400, "out_of_bounds");
    assert_eq!(server.get("/api/pixel?x=11&y=9&season=2").await.status, 200);
    server.get("/api/pixel?x=1&y=1&season=3").await.assert_refused(400, "invalid_field");

    let story = server.get("/api/pixel/story?x=2&y=3&season=1").await.body;
    assert_eq!(story["said"]["content"], "Mine now");
    assert_eq!(texts_of(&story["intents"], "content"), ["A wall"]);
    let story = server.get("/api/pixel/story?x=8&y=7&season=1").await.body;
    assert_eq!((&story["said"]["content"], &story["intents"]), (&json!("A wall"), &json!([])));
    let story = server.get("/api/pixel/story?x=2&y=3").await.body;
    assert_eq!(texts_of(&story["intents"], "content"), ["A sea"]);
}

#[tokio::test]
async fn heatmap_shows_the_end_of_the_season() {
    let (mut server, _) = server_with_archive().await;
    for round in ["counted", "from the stored counts"] {
        let heat = async |by: &str| server.get(&format!("/api/canvas/heat?season=1&by={by}")).await.body;
        let (painter, age, contested) = (heat("painter").await, heat("age").await, heat("contested").await);
        assert_eq!((&painter["width"], &painter["height"]), (&json!(9), &json!(8)), "{round}");
        assert_eq!(painter["values"].as_array().unwrap().len(), 72);
        let (middle, corner) = (3 * 9 + 2, 7 * 9 + 8);
        let owner = painter["values"][middle].as_u64().unwrap() as usize - 1;
        assert_eq!(painter["agents"][owner]["name"], "Bob");
        assert_eq!((&contested["values"][middle], &contested["values"][corner]), (&json!(2), &json!(1)));
        // No operator froze the season: it ended when the next one opened.
        let ages = [&age["values"][middle], &age["values"][corner], &age["values"][0]];
        let ages = ages.map(|value| value.as_i64().unwrap());
        assert!((1_050..1_060).contains(&ages[0]) && (1_000..1_010).contains(&ages[1]), "{ages:?}");
        assert_eq!(ages[2], -1);
        server.restart().await;
    }
    let path = "/api/canvas/heat?season=1&by=age";
    let etag = server.get(path).await.header("etag").to_owned();
    assert_eq!(server.get_with_headers(path, &[("If-None-Match", &etag)]).await.status, 304);
    server.get("/api/canvas/heat?season=4").await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn timeline_spans_the_season() {
    let (mut server, last) = server_with_archive().await;
    let timeline = server.get("/api/timeline?season=1&steps=4").await.body;
    let seasons = server.get("/api/seasons").await.body["seasons"].clone();
    let expected = json!([seasons[1]["id"], 9, 8, 1, last]);
    assert_eq!(fields_of(&timeline, ["season", "width", "height", "first", "head"]), expected);
    let expected = fields_of(&seasons[1], ["opened_at", "frozen_at"]);
    assert_eq!(fields_of(&timeline, ["opened_at", "now"]), expected);
    assert_eq!((&timeline["counts"], &timeline["has_ended"]), (&json!([3, 0, 0, 0]), &json!(true)));
    assert_eq!(timeline["overpainted"], json!([1, 0, 0, 0]));
    server.advance_clock(500);
    assert_eq!(server.get("/api/timeline?season=1&steps=4").await.body, timeline);
    let present = server.get("/api/timeline?season=2&steps=1").await.body;
    let expected = json!([seasons[0]["id"], [1], false]);
    assert_eq!(fields_of(&present, ["season", "counts", "has_ended"]), expected);
    server.get("/api/timeline?season=3").await.assert_refused(400, "invalid_field");
    // What was painted over is read from the stored counts.
    server.restart().await;
    assert_eq!(server.get("/api/timeline?season=1&steps=4").await.body, timeline);
}
