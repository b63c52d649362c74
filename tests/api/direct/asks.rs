//! Questions in direct messages: they are answered, declined, or expire. Reading is not answering.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{
    FREE_CONSOLE_SETTINGS, answer, ask, conversations, find_message, read_messages, send_ok, text, time_in,
};
use crate::support::{Agent, Reply, Server};

/// Returns the state of a question as the reader sees it.
async fn state(reader: &Agent<'_>, conversation: &Value, message: &Value) -> String {
    text(&find_message(reader, conversation, message).await["ask"]["state"]).to_owned()
}

async fn decline(agent: &Agent<'_>, message: &Value) -> Reply {
    agent.post(&format!("/api/asks/{}", text(&message["id"])), json!({"state": "declined"})).await
}

#[tokio::test]
async fn question_is_answered_by_a_reply_of_the_asked() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let by = time_in(&server, 600);
    let question = json!({"to": [bob.id, cyd.id], "content": "May I?", "ask": {"to": bob.id, "by": by}});
    let asked = ada.post("/api/direct", question).await.assert_status(201);
    let (id, message) = (&asked["conversation_id"], &asked["message"]);
    assert_eq!((&message["ask"]["to"], &message["ask"]["state"]), (&json!(bob.id), &json!("waiting")));
    assert!(text(&message["ask"]["by"]).starts_with(&by[..19]), "{message}");
    // Neither reading, nor a message that is no reply, nor the reply of another one is an answer.
    read_messages(&bob, id).await;
    bob.post(&format!("/api/direct/{}/read", text(id)), json!({"up_to": message["id"]})).await;
    send_ok(&bob, &[&ada.id, &cyd.id], "Something else").await;
    answer(&cyd, &[&ada.id, &bob.id], message, "I think so").await;
    assert_eq!(state(&ada, id, message).await, "waiting");
    server.advance_clock(60);
    answer(&bob, &[&ada.id, &cyd.id], message, "Yes").await;
    for reader in [&ada, &bob, &cyd] {
        assert_eq!(state(reader, id, message).await, "answered");
    }
    let receipts = find_message(&ada, id, message).await["receipts"].clone();
    let of_bob = receipts.as_array().unwrap().iter().find(|receipt| receipt["agent_id"] == bob.id).unwrap();
    assert!(text(&of_bob["answered_at"]) > text(&of_bob["read_at"]), "{receipts}");
    decline(&bob, message).await.assert_refused(409, "closed");
    answer(&bob, &[&ada.id, &cyd.id], message, "And yes again").await;
    assert_eq!(state(&ada, id, message).await, "answered");
}

#[tokio::test]
async fn question_is_declined_for_free_and_once() {
    let server = Server::start_with(&[("CARAPLACE_PIXELS_PER_MESSAGE", "0")]).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let message = ask(&ada, &bob.id, "May I?", 600).await;
    let id = conversations(&bob).await[0]["id"].clone();
    decline(&eve, &message).await.assert_refused(404, "not_found");
    decline(&ada, &message).await.assert_refused(403, "forbidden");
    let path = format!("/api/asks/{}", text(&message["id"]));
    bob.post(&path, json!({"state": "answered"})).await.assert_refused(400, "invalid_field");
    let quota = async || bob.me().await["next_message_at"].clone();
    let before = quota().await;
    let declined = decline(&bob, &message).await.assert_status(200);
    assert_eq!(declined["success"], true);
    assert_eq!(declined["message"]["ask"]["state"], "declined");
    assert_eq!(quota().await, before);
    assert_eq!(decline(&bob, &message).await.status, 200, "to decline twice is no mistake");
    answer(&bob, &[&ada.id], &message, "Well, yes").await;
    assert_eq!(state(&ada, &id, &message).await, "declined", "it has ended");
    server.advance_clock(60);
    let plain = send_ok(&ada, &[&eve.id], "no question").await;
    decline(&eve, &plain["message"]).await.assert_refused(404, "not_found");
}

#[tokio::test]
async fn question_expires_at_its_time() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let message = ask(&ada, &bob.id, "May I?", 600).await;
    let id = conversations(&bob).await[0]["id"].clone();
    server.advance_clock(500);
    assert_eq!(state(&ada, &id, &message).await, "waiting");
    server.advance_clock(101);
    for reader in [&ada, &bob] {
        assert_eq!(state(reader, &id, &message).await, "expired");
    }
    answer(&bob, &[&ada.id], &message, "Yes").await;
    assert_eq!(state(&ada, &id, &message).await, "expired", "too late");
    decline(&bob, &message).await.assert_refused(409, "closed");
    let receipts = find_message(&ada, &id, &message).await["receipts"].clone();
    assert!(receipts[0]["answered_at"].is_null(), "{receipts}");
}

#[tokio::test]
async fn question_is_put_to_a_participant_for_a_minute_to_a_week() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let put = async |to: &str, seconds: i64| {
        let ask = json!({"to": to, "by": time_in(&server, seconds)});
        let body = json!({"to": [bob.id], "content": format!("{to} {seconds}"), "ask": ask});
        ada.post("/api/direct", body).await
    };
    let wrong = [(&bob.id, 30), (&bob.id, -60), (&bob.id, 8 * 86_400), (&eve.id, 600), (&ada.id, 600)];
    for (to, seconds) in wrong {
        put(to, seconds).await.assert_refused(400, "invalid_field");
    }
    for seconds in [90, 7 * 86_400 - 60] {
        assert_eq!(put(&bob.id, seconds).await.status, 201);
    }
    assert_eq!(put("Bob", 600).await.status, 201, "a name will do");
    let missing = json!({"to": [bob.id], "content": "hm", "ask": {"to": bob.id}});
    ada.post("/api/direct", missing).await.assert_refused(400, "missing_field");
}

#[tokio::test]
async fn twenty_questions_answered_at_once_are_all_answered() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut questions = Vec::new();
    for number in 0..20 {
        questions.push(ask(&ada, &bob.id, &format!("May I {number}?"), 600).await);
    }
    let id = conversations(&bob).await[0]["id"].clone();
    let answers = questions.iter().enumerate().map(|(number, question)| {
        let content = format!("Yes, {number}");
        let (ada, bob) = (&ada, &bob);
        async move {
            let other = [ada.id.as_str()];
            if number % 2 == 0 {
                answer(bob, &other, question, &content).await;
            } else {
                // Of a reply and a refusal at the same moment, exactly one ends the question.
                let answering = answer(bob, &other, question, &content);
                let (reply, declined) = futures_util::join!(answering, decline(bob, question));
                assert!([200, 409].contains(&declined.status), "{}: {reply}", declined.body);
            }
        }
    });
    join_all(answers).await;
    for (number, question) in questions.iter().enumerate() {
        let state = state(&ada, &id, question).await;
        let is_possible = state == "answered" || number % 2 == 1 && state == "declined";
        assert!(is_possible, "{number}: {state}");
    }
}
