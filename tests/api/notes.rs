//! The notes in the answers to placements: what others wrote since the digest, and whose intents cover the
//! pixels.

use serde_json::{Value, json};

use crate::support::actions::{
    FREE_CONSOLE_SETTINGS, FREE_SETTINGS, end_intent, open_plan, post_intent, post_message, post_text,
};
use crate::support::values::{id_of, texts_of};
use crate::support::{Agent, Reply, Server};

/// Places pixels with this digest.
async fn place(agent: &Agent<'_>, digest: &str, points: &[(i64, i64)]) -> Reply {
    let pixels: Value = points.iter().map(|(x, y)| json!({"x": x, "y": y, "color": 5})).collect();
    let reply = agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply
}

fn note(message: &Value, age_seconds: i64) -> Value {
    json!({
        "message_id": message["id"], "agent_id": message["agent_id"], "agent_name": message["agent_name"],
        "age_seconds": age_seconds, "content": message["content"],
    })
}

/// Returns the ids in a list of notes.
fn ids(notes: &Value) -> Vec<&str> {
    texts_of(notes, "message_id")
}

#[tokio::test]
async fn messages_of_others_since_the_digest_are_counted() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_text(&bob, "before").await;
    let digest = server.digest().await;
    assert_eq!(place(&ada, &digest, &[(1, 1)]).await.body["notes"], json!({"messages_since_digest": 0}));
    post_text(&bob, "one").await;
    post_text(&ada, "my own").await;
    post_text(&bob, "two").await;
    assert_eq!(place(&ada, &digest, &[(1, 1)]).await.body["notes"], json!({"messages_since_digest": 2}));
    assert_eq!(place(&bob, &digest, &[(1, 1)]).await.body["notes"], json!({"messages_since_digest": 1}));
    let reply = ada.post("/api/pixel", json!({"x": 3, "y": 3, "color": 4, "chat_digest": digest})).await;
    assert_eq!((reply.status, &reply.body["notes"]), (201, &json!({"messages_since_digest": 2})));
    let newest = server.digest().await;
    assert_eq!(place(&ada, &newest, &[(1, 1)]).await.body["notes"], json!({"messages_since_digest": 0}));
    server.advance_clock(300);
    let reply = place(&ada, &newest, &[(1, 1)]).await;
    assert_eq!(reply.body["notes"], json!({"messages_since_digest": 0}), "another window brings no message");
}

#[tokio::test]
async fn notes_are_the_same_on_another_instance() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_text(&bob, "before").await;
    let digest = server.digest().await;
    for number in 0..3 {
        post_intent(&bob, &format!("plan {number}"), [0, 0, 9, 9]).await;
    }
    let here = place(&ada, &digest, &[(1, 1)]).await.body["notes"].clone();
    assert_eq!((&here["messages_since_digest"], here["inside"].as_array().unwrap().len()), (&json!(3), 3));
    let other = server.start_instance(&FREE_SETTINGS).await;
    let there = place(&ada.on(&other), &digest, &[(1, 1)]).await.body["notes"].clone();
    assert_eq!(ids(&there["inside"]), ids(&here["inside"]));
    assert_eq!(ids(&there["intents_since_digest"]), ids(&here["intents_since_digest"]));
}

#[tokio::test]
async fn live_intents_of_others_that_cover_a_pixel_are_listed() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let roof = post_intent(&bob, "A roof.", [10, 10, 19, 19]).await;
    post_intent(&ada, "My garden.", [10, 10, 19, 19]).await;
    let sea = post_intent(&bob, "The sea.", [0, 15, 127, 127]).await;
    server.advance_clock(60);
    let digest = server.digest().await;
    let notes = place(&ada, &digest, &[(0, 0), (12, 15)]).await.body["notes"].clone();
    let inside: Vec<_> = notes["inside"].as_array().unwrap().iter().collect();
    let age = inside[0]["age_seconds"].as_i64().unwrap();
    assert!((60..70).contains(&age), "{notes}");
    assert_eq!(*inside[0], note(&sea, age));
    assert_eq!(ids(&notes["inside"]), [id_of(&sea), id_of(&roof)]);
    assert_eq!((&notes["messages_since_digest"], notes.get("intents_since_digest")), (&json!(0), None));
    // The rectangle around these two touches both intents, but the pixels do not.
    let beside = place(&ada, &digest, &[(9, 14), (20, 10)]).await;
    assert_eq!(beside.body["notes"], json!({"messages_since_digest": 0}));
    assert_eq!(ids(&place(&bob, &digest, &[(12, 15)]).await.body["notes"]["inside"]).len(), 1, "Ada's alone");

    end_intent(&bob, &sea).await;
    assert_eq!(ids(&place(&ada, &digest, &[(12, 15)]).await.body["notes"]["inside"]), [id_of(&roof)]);
    // Helpers of a plan are not told of what is announced for it.
    let plan = json!({"title": "A roof", "x": 10, "y": 10, "rows": ["5"]});
    let plan = open_plan(&bob, plan).await["id"].clone();
    let region = json!({"x1": 10, "y1": 10, "x2": 19, "y2": 19});
    let intent = json!({"type": "intent", "content": "The plan's roof.", "region": region, "plan_id": plan});
    let intent = post_message(&bob, intent).await;
    let digest = server.digest().await;
    let inside = async |plan_id: Value| {
        let body = json!({"x": 12, "y": 15, "color": 6, "chat_digest": digest, "plan_id": plan_id});
        ada.post("/api/pixel", body).await.body["notes"]["inside"].clone()
    };
    assert_eq!(ids(&inside(Value::Null).await), [id_of(&intent), id_of(&roof)]);
    assert_eq!(ids(&inside(plan).await), [id_of(&roof)]);
    server.advance_clock(2 * 3_600);
    let digest = server.digest().await;
    assert_eq!(place(&ada, &digest, &[(12, 15)]).await.body["notes"], json!({"messages_since_digest": 0}));
}

#[tokio::test]
async fn intents_since_the_digest_are_the_newest_five_and_cut() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let digest = server.digest().await;
    let long = post_intent(&bob, &"x".repeat(200), [0, 0, 1, 1]).await;
    let notes = place(&ada, &digest, &[(100, 100)]).await.body["notes"].clone();
    let content = notes["intents_since_digest"][0]["content"].as_str().unwrap();
    assert!(content.chars().count() == 140 && content.ends_with("x…"), "{content}");
    assert_eq!(ids(&notes["intents_since_digest"]), [id_of(&long)]);
    let mut newest = Vec::new();
    for number in 0..6 {
        newest.insert(0, post_intent(&bob, &format!("plan {number}"), [0, 0, 1, 1]).await);
        post_text(&bob, &format!("message {number}")).await;
    }
    post_intent(&ada, "mine", [0, 0, 1, 1]).await;
    let notes = place(&ada, &digest, &[(1, 1)]).await.body["notes"].clone();
    assert_eq!(notes["messages_since_digest"], 13);
    let expected: Vec<_> = newest.iter().take(5).map(id_of).collect();
    assert_eq!(ids(&notes["intents_since_digest"]), expected);
    assert_eq!(ids(&notes["inside"]), expected);
}

#[tokio::test]
async fn repeated_requests_have_the_first_notes() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let digest = server.digest().await;
    post_intent(&bob, "A roof.", [0, 0, 9, 9]).await;
    let body = json!({"runs": [[0, 0, 3, 1]], "chat_digest": digest});
    let first = ada.post_idempotent("/api/pixels", body.clone(), "once").await;
    assert_eq!(first.body["notes"]["inside"].as_array().map(Vec::len), Some(1), "{}", first.body);
    post_text(&bob, "later").await;
    server.advance_clock(100);
    let again = ada.post_idempotent("/api/pixels", body, "once").await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(again.body_without_attention(), first.body_without_attention());
}

#[tokio::test]
async fn a_new_season_has_no_notes_of_the_old_one() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let digest = server.digest().await;
    post_intent(&bob, "A roof.", [0, 0, 9, 9]).await;
    assert_eq!(ids(&place(&ada, &digest, &[(1, 1)]).await.body["notes"]["inside"]).len(), 1);
    server.sign_in_operator().await.open_season(1, 9, 9).await;
    // The old digest is still accepted. The system announces the season.
    let notes = place(&ada, &digest, &[(1, 1)]).await.body["notes"].clone();
    assert_eq!(notes, json!({"messages_since_digest": 1}));
}

#[tokio::test]
async fn tools_fence_the_notes() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let digest = server.digest().await;
    post_intent(&bob, "A roof.", [0, 0, 9, 9]).await;
    let mcp = server.mcp(Some(&ada.key));
    let expected = json!({"x": 1, "y": 1, "color": 5, "expected_color": 9});
    let free = json!({"x": 2, "y": 1, "color": 5});
    let arguments = json!({"pixels": [expected, free], "on_conflict": "skip", "chat_digest": digest});
    let result = mcp.call_tool_ok("place_pixels", arguments).await;
    assert_eq!(result.structured["skipped"][0]["index"], 0);
    let text = &result.text;
    assert!(text.contains("Skipped 1 with other colours: (1, 1) 0 (white)."), "{text}");
    assert!(text.contains("Messages by others since your digest: 1."), "{text}");
    let (before, fenced) = text.split_once("untrusted\n").unwrap();
    assert!(!before.contains("A roof.") && fenced.contains("agent Bob"), "{text}");
    assert!(fenced.contains(": A roof.") && result.structured["untrusted"].is_string(), "{text}");
    let arguments = json!({"runs": [[100, 1, 2, 5]], "chat_digest": server.digest().await});
    let result = mcp.call_tool_ok("place_pixels", arguments).await;
    let text = &result.text;
    assert!(!text.contains("untrusted") && result.structured.get("untrusted").is_none(), "{text}");
    let pixel = json!({"x": 100, "y": 1, "color": 5, "expected_color": 0});
    let result = mcp.call_tool_ok("place_pixels", json!({"pixels": [pixel], "chat_digest": digest})).await;
    assert!(result.text.starts_with("Placed 0. Already as wanted: 1."), "{}", result.text);
}

#[tokio::test]
async fn without_chat_there_are_no_notes() {
    let server = Server::start_with(&[("CARAPLACE_CHAT_ENABLED", "false")]).await;
    let ada = server.register_agent("Ada").await;
    let reply = ada.post("/api/pixels", json!({"runs": [[0, 0, 2, 5]]})).await;
    assert_eq!((reply.status, reply.body.get("notes")), (201, None), "{}", reply.body);
    let reply = ada.post("/api/pixel", json!({"x": 5, "y": 0, "color": 1})).await;
    assert_eq!((reply.status, reply.body.get("notes")), (201, None), "{}", reply.body);
}
