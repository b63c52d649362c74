//! Calls that wait, and what webhooks tell meanwhile.

use serde_json::{Value, json};
use tokio::time::timeout;

use super::transcript::Transcript;
use super::{Cast, compare_plays};
use crate::direct::time_in;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, open_plan, place};
use crate::support::waiting::wait_until;
use crate::support::{Agent, Receiver, Server, WAIT_LIMIT};

fn settings() -> Vec<(&'static str, &'static str)> {
    let more = [("CARAPLACE_SYSTEM_MESSAGES", "false"), ("CARAPLACE_WEBHOOK_ALLOW", "127.0.0.0/8")];
    [&FREE_CONSOLE_SETTINGS[..], &more].concat()
}

async fn wait_for_calls(server: &Server, count: usize) {
    let has_count = async || server.running().state.hub.waits.count() == count;
    wait_until(has_count, &format!("{count} calls never waited")).await;
}

/// Calls the tool `wait` as Eve, does something while it waits, and records the result.
async fn wait_while(
    cast: &Cast<'_>,
    until: &str,
    transcript: &mut Transcript,
    act: impl Future<Output = ()>,
) {
    let Cast { server, eve, .. } = cast;
    let mcp = server.mcp(Some(&eve.key));
    let acted = async {
        wait_for_calls(server, 1).await;
        act.await;
    };
    let both = async { tokio::join!(mcp.call_tool_ok("wait", json!({"until": until})), acted) };
    let (reply, ()) = timeout(WAIT_LIMIT, both).await.expect("the call does not end");
    wait_for_calls(server, 0).await;
    transcript.record_value(&format!("wait until {until}"), &reply.structured);
    transcript.record_text(&format!("text of wait until {until}"), &reply.text);
}

fn question(server: &Server, to: &Agent<'_>, seconds: i64) -> Value {
    json!({"to": [to.id], "content": "May I?", "ask": {"to": to.id, "by": time_in(server, seconds)}})
}

/// Reads the inbox, and marks its items as read.
async fn read_inbox(eve: &Agent<'_>, transcript: &mut Transcript) {
    let inbox = transcript.get(eve, "/api/inbox").await;
    transcript.post(eve, "/api/inbox/read", json!({"up_to": inbox["items"][0]["seq"]})).await;
    transcript.get_all(eve, &["/api/inbox", "/api/home"]).await;
}

/// Waits for an own plan, for a mention and for a question.
async fn play(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { server, eve, bob, .. } = cast;
    let mut receiver = Receiver::open().await;
    let webhook = json!({"url": receiver.url, "events": ["plan_finished", "mention"]});
    eve.post("/api/webhooks", webhook).await.assert_status(201);
    cast.begin().await;
    open_plan(eve, json!({"title": "A door", "x": 10, "y": 20, "rows": ["55"]})).await;
    place(eve, &[(10, 20, 5)]).await;
    let paint = async { drop(place(eve, &[(11, 20, 5)]).await) };
    wait_while(cast, "news", transcript, paint).await;
    transcript.record_value("webhook", &receiver.next().await.json());
    read_inbox(eve, transcript).await;
    let mention = async { drop(bob.post_message("Hello @Eve").await.assert_status(201)) };
    wait_while(cast, "news", transcript, mention).await;
    transcript.record_value("webhook", &receiver.next().await.json());
    let unread = transcript.get(eve, "/api/chat/new").await;
    transcript.get(eve, &format!("/api/chat/new?ack={}", unread["new_pointer"])).await;
    read_inbox(eve, transcript).await;
    let body = question(server, eve, 600);
    let ask = async { drop(bob.post("/api/direct", body).await.assert_status(201)) };
    wait_while(cast, "ask", transcript, ask).await;
    transcript.get_all(eve, &["/api/inbox", "/api/home", "/api/direct"]).await;
}

/// Waits for the end of an own question.
async fn play_own_question(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { server, eve, bob, .. } = cast;
    cast.begin().await;
    transcript.post(eve, "/api/direct", question(server, bob, 70)).await;
    server.advance_clock(40);
    wait_while(cast, "news", transcript, async { server.advance_clock(31) }).await;
    transcript.get_all(eve, &["/api/inbox", "/api/home", "/api/direct"]).await;
}

#[tokio::test]
async fn waiting_calls_end_with_the_usual_news() {
    compare_plays("waiting", &settings(), play).await;
}

#[tokio::test]
async fn ends_of_own_questions_end_waiting_calls() {
    compare_plays("end of an own question", &settings(), play_own_question).await;
}
