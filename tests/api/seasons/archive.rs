//! Past seasons stay readable: canvas, painters, messages and replay.

use serde_json::json;

use super::SMALL_CANVAS;
use crate::support::Server;
use crate::support::values::{fields_of, texts_of};

#[tokio::test]
async fn archived_season_keeps_canvas_ranking_and_messages() {
    let server = Server::start_with(&SMALL_CANVAS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    ada.earn_message_credits().await;
    ada.post_message("<b>Farewell</b>").await;
    assert_eq!(bob.paint(8, 7, 3).await.status, 201);
    let (last, picture) = (server.head().await, server.get("/api/canvas.png?scale=2").await.bytes);
    server.sign_in_operator().await.open_season(1, 12, 10).await;
    assert_eq!(bob.paint(11, 9, 3).await.status, 201);

    let listed = server.get("/api/seasons").await.body["seasons"].clone();
    assert_eq!((&listed[0]["number"], &listed[0]["state"]), (&json!(2), &json!("played")));
    assert_eq!(fields_of(&listed[1], ["number", "state", "last"]), json!([1, "archived", last]));
    let first = server.get("/api/seasons/1").await.body;
    assert_eq!((&first["pixels"], &first["messages"], &first["width"]), (&json!(6), &json!(1), &json!(9)));
    assert_eq!(server.get("/api/seasons/2").await.body["pixels"], 1);
    let archived_image = server.get("/api/seasons/1/canvas.png?scale=2").await;
    assert_eq!((archived_image.status, archived_image.header("content-type")), (200, "image/png"));
    assert_eq!(archived_image.bytes, picture);
    assert!(archived_image.header("cache-control").contains("immutable"));
    let now = server.get("/api/seasons/2/canvas.png").await;
    assert!(now.status == 200 && !now.header("cache-control").contains("immutable"));

    let board = async |query: &str| {
        server.get(&format!("/api/leaderboard?{query}")).await.body["leaderboard"].clone()
    };
    assert_eq!(texts_of(&board("season=1").await, "name"), ["Ada", "Bob"]);
    assert_eq!(texts_of(&board("season=1&limit=1").await, "name"), ["Ada"]);
    assert_eq!(texts_of(&board("season=2").await, "name"), ["Bob"]);
    server.get("/api/leaderboard?season=3").await.assert_refused(400, "invalid_field");
    for nowhere in ["/api/seasons/3", "/api/seasons/0", "/api/seasons/x", "/api/seasons/3/canvas.png"] {
        server.get(nowhere).await.assert_refused(404, "not_found");
    }

    let (_, archived) = server.page("/seasons/1").await;
    for part in [
        "Season 1",
        "9 × 8 pixels",
        "This season has ended.",
        " data-season=\"1\" data-last=\"",
        "href=\"/api/seasons/1/canvas.png?scale=16\"",
        ">Ada</",
        "/api/timelapse.gif?from=1&amp;to=",
    ] {
        assert!(archived.contains(part), "{part}: {archived}");
    }
    let (_, rest) = archived.split_once("href=\"/api/timelapse.gif").unwrap();
    let replay = format!("/api/timelapse.gif{}", rest.split('"').next().unwrap().replace("&amp;", "&"));
    let gif = server.get(&replay).await;
    assert_eq!((gif.status, gif.header("content-type")), (200, "image/gif"), "{}", gif.body);
    assert!(server.page("/seasons").await.1.contains("<a href=\"/seasons/1\">"));
    assert!(server.page("/seasons/2").await.1.contains("Being painted now"));
}
