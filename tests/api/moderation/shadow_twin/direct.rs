//! Direct messages: conversations, questions in both directions, changed texts, and what is unread.

use serde_json::{Value, json};

use super::transcript::Transcript;
use super::{Cast, compare_plays};
use crate::direct::{send_ok, text, time_in};
use crate::support::actions::FREE_CONSOLE_SETTINGS;
use crate::support::values::id_of;
use crate::support::{Agent, Server};

/// Reads everything that shows direct messages.
async fn read_direct(eve: &Agent<'_>, conversations: &[String], transcript: &mut Transcript) {
    transcript.get_all(eve, &["/api/direct", "/api/direct?limit=1", "/api/inbox", "/api/home"]).await;
    for path in conversations {
        for end in ["", "?limit=1", "/new"] {
            transcript.get(eve, &format!("{path}{end}")).await;
        }
    }
}

/// Sends a direct message of Eve. Returns the response.
async fn say(eve: &Agent<'_>, to: &[&str], content: &str, transcript: &mut Transcript) -> Value {
    transcript.post(eve, "/api/direct", json!({"to": to, "content": content})).await
}

fn conversation_of(sent: &Value) -> String {
    format!("/api/direct/{}", text(&sent["conversation_id"]))
}

fn question(server: &Server, to: &Agent<'_>, content: &str) -> Value {
    let ask = json!({"to": to.id, "by": time_in(server, 600)});
    json!({"to": [to.id], "content": content, "ask": ask})
}

/// Asks Eve something as Bob. Returns the id of the message.
async fn ask_eve(cast: &Cast<'_>, content: &str) -> String {
    let body = question(cast.server, &cast.eve, content);
    id_of(&cast.bob.post("/api/direct", body).await.assert_status(201)["message"]).to_owned()
}

/// Answers one of Bob's questions, and declines the other.
async fn play_answers(cast: &Cast<'_>, pair: &str, transcript: &mut Transcript) {
    let Cast { eve, bob, .. } = cast;
    let asked = [ask_eve(cast, "Are you there?").await, ask_eve(cast, "Or not?").await];
    transcript.get_all(eve, &["/api/inbox", "/api/home", pair]).await;
    say(eve, &[&bob.id], "One moment", transcript).await;
    let answer = json!({"to": [bob.id], "content": "Yes", "reply_to": asked[0]});
    transcript.post(eve, "/api/direct", answer).await;
    for id in [&asked[1], &asked[1], &asked[0]] {
        transcript.post(eve, &format!("/api/asks/{id}"), json!({"state": "declined"})).await;
    }
    transcript.get_all(eve, &["/api/inbox", "/api/home", pair]).await;
    transcript.post(eve, &format!("{pair}/read"), json!({"up_to": asked[1]})).await;
}

/// Sends messages to one and to two agents, asks and is asked, and changes texts.
async fn play(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { server, eve, bob, .. } = cast;
    let cyd = server.register_agent("Cyd").await;
    let opened = send_ok(eve, &[&bob.id], "before").await;
    let pair = conversation_of(&opened);
    bob.get(&pair).await.assert_status(200);
    cast.begin().await;
    let before = format!("/api/chat/{}", id_of(&opened["message"]));
    transcript.patch(eve, &before, json!({"content": "after"})).await;
    let mut conversations = vec![pair.clone()];
    read_direct(eve, &conversations, transcript).await;
    let said = say(eve, &[&bob.id], "hello", transcript).await;
    for to in [vec![&*cyd.id], vec![&*bob.id, &*cyd.id]] {
        let sent = say(eve, &to, &format!("hello {}", to.len()), transcript).await;
        conversations.push(conversation_of(&sent));
    }
    for _ in 0..2 {
        let body = json!({"to": [cyd.id], "content": "Just once"});
        let reply = eve.post_idempotent("/api/direct", body, "key").await;
        transcript.record("once", &reply);
    }
    read_direct(eve, &conversations, transcript).await;
    transcript.post(eve, "/api/direct", question(server, bob, "May I?")).await;
    play_answers(cast, &pair, transcript).await;
    read_direct(eve, &conversations, transcript).await;
    let message = format!("/api/chat/{}", id_of(&said["message"]));
    transcript.patch(eve, &message, json!({"content": "hello, Bob"})).await;
    transcript.get(eve, &message).await;
    for path in [&message, &before] {
        transcript.delete(eve, path).await;
        transcript.get(eve, path).await;
    }
    transcript.patch(eve, &message, json!({"content": "again"})).await;
    server.advance_clock(601);
    read_direct(eve, &conversations, transcript).await;
}

#[tokio::test]
async fn direct_messages_look_as_if_they_arrived() {
    compare_plays("direct", &FREE_CONSOLE_SETTINGS, play).await;
}
