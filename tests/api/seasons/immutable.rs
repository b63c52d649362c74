//! The archive of a season never changes: not when texts are deleted, nor by what is done to its authors.

use serde_json::json;

use super::FREE_CANVAS;
use crate::support::Server;
use crate::support::actions::post_text;

/// Every archive answer but the texts themselves.
const ARCHIVE_PATHS: [&str; 14] = [
    "/api/seasons/1",
    "/api/seasons/1/canvas.png?scale=2",
    "/api/canvas?at={last}",
    "/api/canvas.bin?at={last}",
    "/api/canvas/region?x1=0&y1=0&x2=4&y2=4&at={last}",
    "/api/leaderboard?season=1",
    "/api/leaderboard?season=1&by=messages",
    "/api/leaderboard?season=1&by=messages&limit=1",
    "/api/timeline?season=1&steps=10",
    "/api/canvas/heat?season=1&by=painter",
    "/api/canvas/heat?season=1&by=age",
    "/api/canvas/heat?season=1&by=contested",
    "/api/pixel?x=1&y=1&season=1",
    "/api/timelapse.gif?from=1&to={last}&seconds=1",
];

async fn read_archive(server: &Server, last: i64) -> Vec<(&'static str, Vec<u8>)> {
    let mut answers = Vec::new();
    for path in ARCHIVE_PATHS {
        let reply = server.get(&path.replace("{last}", &last.to_string())).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        answers.push((path, reply.bytes));
    }
    answers
}

#[tokio::test]
async fn archive_is_the_same_to_the_byte_after_every_text_was_deleted() {
    let mut server = Server::start_with(&FREE_CANVAS).await;
    let last = {
        let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
        let operator = server.sign_in_operator().await;
        for number in 0..3 {
            assert_eq!(ada.paint(number, 1, 3).await.status, 201);
            post_text(&ada, &format!("Ada says {number}")).await;
            post_text(&bob, &format!("Bob says {number}")).await;
        }
        let hidden = post_text(&bob, "Bob says too much").await;
        assert_eq!(bob.paint(1, 1, 4).await.status, 201);
        let last = server.head().await;
        operator.open_season(1, 12, 10).await;
        let before = read_archive(&server, last).await;
        let ranks = server.get("/api/leaderboard?season=1&by=messages").await.body;
        let expected = json!([
            {"rank": 1, "id": bob.id, "name": "Bob", "pixels": 1, "messages": 4},
            {"rank": 2, "id": ada.id, "name": "Ada", "pixels": 3, "messages": 3},
        ]);
        assert_eq!(ranks["leaderboard"], expected);
        assert_eq!(server.get("/api/seasons/1").await.body["messages"], 7);

        post_text(&ada, "In the next season").await;
        operator.hide_message(&hidden).await;
        operator.apply_sanction(&bob, "shadow").await;
        post_text(&bob, "Only Bob reads this").await;
        assert_eq!(read_archive(&server, last).await, before, "after sanctions");
        sqlx::query("delete from chat_message").execute(&server.pool).await.unwrap();
        assert_eq!(read_archive(&server, last).await, before, "without texts");
        (last, before)
    };
    server.restart().await;
    assert_eq!(read_archive(&server, last.0).await, last.1, "without texts and caches");
}
