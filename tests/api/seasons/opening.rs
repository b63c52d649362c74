//! A new season: earlier placements and messages are stored, and canvas and chat start empty.

use futures_util::future::join_all;
use rules::credits::MessagePrice;
use serde_json::{Value, json};

use super::{SMALL_CANVAS, last_message};
use crate::support::values::fields_of;
use crate::support::waiting::wait_until;
use crate::support::{Agent, Server};

/// Returns all state from which the current season and its canvas are known.
async fn read_season_state(server: &Server) -> Value {
    let get = async |path: &str| server.get(path).await.body;
    let canvas = get("/api/canvas").await;
    let skill = get("/skill.json").await;
    json!({
        "canvas": [canvas["season"], canvas["width"], canvas["height"], canvas["rows"]],
        "bytes": server.get("/api/canvas.bin").await.bytes.len(),
        "stats": get("/api/stats").await,
        "chat": get("/api/chat").await["messages"],
        "recent": get("/api/pixels/recent").await,
        "ranks": get("/api/leaderboard").await["leaderboard"],
        "heat": get("/api/canvas/heat?by=painter").await["season"],
        "skill": skill["canvas"],
        "openapi": get("/openapi.json").await["components"]["schemas"]["PlacePixelBody"]["properties"]["x"]["maximum"],
        "timeline": get("/api/timeline").await["first"],
    })
}

#[tokio::test]
async fn season_opens_on_every_instance_and_the_last_one_is_kept() {
    let [mut one, other] = Server::start_two_instances(&SMALL_CANVAS).await;
    let ada = one.register_agent("Ada").await;
    assert_eq!(ada.paint(8, 7, 5).await.status, 201);
    ada.earn_message_credits().await;
    ada.post_message("Goodbye, canvas").await;
    for server in [&one, &other] {
        read_season_state(server).await;
    }
    let (last, before) = (one.head().await, one.get("/api/canvas").await.body);
    let digest = one.digest().await;
    let mut stream = other.events(Some(last)).await;

    let opened = one.sign_in_operator().await.open_season(1, 12, 10).await;
    let expected = json!([2, "Season 2", "played", last + 1]);
    assert_eq!(fields_of(&opened, ["number", "title", "state", "first"]), expected);
    let here = read_season_state(&one).await;
    assert_eq!(here["canvas"], json!([opened["id"], 12, 10, vec!["000000000000"; 10]]));
    assert_eq!(fields_of(&here, ["bytes", "recent", "ranks"]), json!([120, {"pixels": []}, []]));
    assert_eq!(here["chat"].as_array().unwrap().len(), 1);
    assert_eq!(last_message(&one).await, "Season 2 has begun: a blank canvas of 12 × 10 pixels.");
    assert_eq!((&here["stats"]["pixels"], &here["stats"]["season"]), (&json!(0), &opened["id"]));
    assert_eq!((&here["skill"]["width"], &here["openapi"]), (&json!(12), &json!(11)));
    assert_eq!((&here["heat"], &here["timeline"]), (&opened["id"], &json!(last + 1)));
    let is_there = async || other.get("/api/canvas").await.body["season"] == opened["id"];
    wait_until(is_there, "the new season never arrives").await;
    assert_eq!(read_season_state(&other).await, here);
    let (season, chat) = (stream.next_with_id().await, stream.next_with_id().await);
    let expected = ("season", Some(last + 1), &opened["id"]);
    assert_eq!((season.name.as_str(), season.id, &season.data["season"]), expected);
    assert_eq!((chat.name.as_str(), chat.id), ("chat", Some(last + 2)));

    let earlier = other.get(&format!("/api/canvas?at={last}")).await.body;
    assert_eq!((&earlier["season"], &earlier["rows"]), (&before["season"], &before["rows"]));
    let talk = other.get(&format!("/api/chat?at={last}")).await.body["messages"].clone();
    assert_eq!(talk[0]["content"], "Goodbye, canvas");
    let single = format!("/api/chat/{}", talk[0]["id"].as_str().unwrap());
    assert_eq!(other.get(&single).await.body["message"], talk[0], "of the season before");

    let pixel = json!({"x": 11, "y": 9, "color": 4, "chat_digest": digest});
    let painted = ada.on(&other).post("/api/pixel", pixel).await;
    assert_eq!(painted.status, 201, "the old digest is valid for the grace period: {}", painted.body);
    assert_eq!(painted.body["pixel"]["seq"], last + 3);
    assert_eq!(one.get("/api/pixel?x=8&y=7").await.body["color"], 0);
    let is_painted = async || one.get("/api/pixel?x=11&y=9").await.body["color"] == 4;
    wait_until(is_painted, "the pixel that the other instance has painted never arrives").await;
    let agreed = read_season_state(&one).await;
    one.restart().await;
    assert_eq!(read_season_state(&one).await, agreed);
    let report = one.check_log(Some(MessagePrice(5))).await;
    assert_eq!(report.difference_count(), 0, "{report}");
}

#[tokio::test]
async fn repeated_or_invalid_request_opens_no_season() {
    let server = Server::start_with(&SMALL_CANVAS).await;
    let operator = server.sign_in_operator().await;
    let good = json!({"after": 1, "title": " The  Garden ", "reason": "Spring"});
    assert_eq!(operator.post("/api/admin/seasons", good.clone()).await.body["title"], "The  Garden");
    operator.post("/api/admin/seasons", good.clone()).await.assert_refused(400, "invalid_field");
    let past = server.clock.now();
    for (name, value) in [
        ("after", json!(1)),
        ("after", json!(9)),
        ("title", json!("")),
        ("title", json!("x".repeat(61))),
        ("width", json!(7)),
        ("height", json!(4_097)),
        ("ends_at", json!(past)),
        ("reason", json!("  ")),
        ("reason", json!("x".repeat(501))),
    ] {
        let mut form = good.clone();
        form["after"] = json!(2);
        form[name] = value;
        let refused = operator.post("/api/admin/seasons", form.clone()).await;
        refused.assert_refused(400, "invalid_field");
        assert_eq!(refused.body["field"], name, "{form}");
    }
    assert_eq!(operator.get("/api/admin/seasons").await.body["seasons"].as_array().unwrap().len(), 2);
}

/// Placements that were decided for one canvas may meet the next: each is placed on it or refused, and
/// nothing fails.
#[tokio::test]
async fn painting_during_a_season_change_is_answered() {
    let [one, other] = Server::start_two_instances(&SMALL_CANVAS).await;
    let ada = one.register_agent("Ada").await;
    let operator = one.sign_in_operator().await;
    let digest = one.digest().await;
    let paint = async |server: &Server, round: i64| {
        let agent = Agent { server, id: ada.id.clone(), key: ada.key.clone() };
        let pixels: Vec<_> = (0..9).map(|x| json!({"x": x, "y": 7, "color": 1 + (round + x) % 15})).collect();
        let reply = agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await;
        let is_expected = reply.status == 201 || reply.code() == "out_of_bounds";
        assert!(is_expected, "round {round}: {} {}", reply.status, reply.body);
    };
    let painting = join_all((0..40).map(|round| {
        let server = if round % 2 == 0 { &one } else { &other };
        paint(server, round)
    }));
    let opening = async {
        for after in 1..=6 {
            // The canvas is alternately too small and large enough.
            operator.open_season(after, if after % 2 == 1 { 8 } else { 9 }, 8).await;
        }
    };
    futures_util::future::join(painting, opening).await;
    let report = one.check_log(Some(MessagePrice(5))).await;
    assert_eq!(report.difference_count(), 0, "{report}");
    let head = one.head().await;
    let is_current = async || other.get("/api/events?from=1&limit=1").await.body["head"] == head;
    wait_until(is_current, "the other instance stays behind").await;
    assert_eq!(one.get("/api/canvas").await.body["rows"], other.get("/api/canvas").await.body["rows"]);
}
