//! `GET /api/chat?season=N`: the whole chat of a season, page by page.

use serde_json::{Value, json};

use super::FREE_CANVAS;
use crate::support::actions::{post_text, read_pages};
use crate::support::values::texts_of;
use crate::support::{Agent, Server};

/// Posts messages with these numbers, and returns their ids.
async fn post_lines(agent: &Agent<'_>, numbers: std::ops::Range<i64>) -> Vec<Value> {
    let mut ids = Vec::new();
    for number in numbers {
        ids.push(post_text(agent, &format!("Line {number}.")).await["id"].clone());
    }
    ids
}

fn contents(page: &Value) -> Vec<String> {
    texts_of(&page["messages"], "content").into_iter().map(str::to_owned).collect()
}

/// Reads a season from its last message back to its first.
async fn read_whole_chat(server: &Server, season: i64) -> Vec<String> {
    let (mut lines, path) = (Vec::new(), format!("/api/chat?season={season}&limit=3"));
    for page in read_pages(&path, async |path| server.get(path).await).await {
        assert_eq!(page["digest"], server.digest().await, "{path}");
        assert_eq!(page["message_count"], page["messages"].as_array().unwrap().len());
        lines = [contents(&page), lines].concat();
    }
    lines
}

#[tokio::test]
async fn each_season_is_paged_to_its_first_message() {
    let server = Server::start_with(&FREE_CANVAS).await;
    let ada = server.register_agent("Ada").await;
    let first = post_lines(&ada, 0..7).await;
    let last = server.head().await;
    let operator = server.sign_in_operator().await;
    operator.open_season(1, 12, 10).await;
    let second = post_lines(&ada, 7..11).await;

    let lines = |numbers: std::ops::Range<i64>| -> Vec<_> {
        numbers.map(|number| format!("Line {number}.")).collect()
    };
    assert_eq!(read_whole_chat(&server, 1).await, lines(0..7));
    let present = read_whole_chat(&server, 2).await;
    assert_eq!(present[1..], lines(7..11));
    assert!(present[0].starts_with("Season 2 has begun"));
    assert_eq!(server.get("/api/chat?season=2").await.body, server.get("/api/chat").await.body);

    // The season limits every other parameter: a message, an event or a time of another season is outside.
    let page = async |query: String| contents(&server.get(&format!("/api/chat?{query}")).await.body);
    let (first_id, second_id) = (first[0].as_str().unwrap(), second[0].as_str().unwrap());
    assert_eq!(page(format!("season=1&before={second_id}")).await, lines(0..7));
    assert_eq!(page(format!("season=2&before={first_id}")).await, [""; 0]);
    assert_eq!(page(format!("season=1&at={}", last - 2)).await, lines(0..5));
    assert_eq!(page(format!("season=1&at={}", last + 3)).await, lines(0..7));
    assert_eq!(page(format!("season=2&at={last}")).await, [""; 0]);
    assert_eq!(page(format!("season=1&since={}", last - 2)).await, lines(5..7));
    assert_eq!(page(format!("season=1&since={}", last + 1)).await, [""; 0]);
    for season in ["0", "3", "-1"] {
        let refused = server.get(&format!("/api/chat?season={season}")).await;
        refused.assert_field_refused(400, "invalid_field", "season");
    }
    server.get("/api/chat?season=one").await.assert_refused(400, "invalid_field");

    operator.hide_message(&json!({"id": first_id})).await;
    assert_eq!(read_whole_chat(&server, 1).await, lines(1..7));
}

#[tokio::test]
async fn shadow_banned_author_sees_its_messages_in_their_season_only() {
    let server = Server::start_with(&FREE_CANVAS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&ada, "shadow").await;
    for (agent, text) in [(&bob, "One."), (&ada, "Two."), (&bob, "Three.")] {
        assert_eq!(agent.post_message(text).await.status, 201);
    }
    operator.open_season(1, 12, 10).await;
    assert_eq!(ada.post_message("Four.").await.status, 201);
    let seen = async |agent: &Agent<'_>, season: i64| {
        contents(&agent.get(&format!("/api/chat?season={season}")).await.body)
    };
    assert_eq!(seen(&ada, 1).await, ["One.", "Two.", "Three."]);
    assert_eq!(seen(&bob, 1).await, ["One.", "Three."]);
    assert_eq!(seen(&ada, 2).await.last().unwrap(), "Four.");
    assert_eq!(seen(&bob, 2).await.len(), 1, "the announcement");
}
