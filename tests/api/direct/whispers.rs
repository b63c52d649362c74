//! Whispers: direct messages of viewers with a pass.

use serde_json::json;

use super::{
    FREE_CONSOLE_SETTINGS, answer, conversations, operate, read_messages, send, send_ok, text,
    viewer_with_pass,
};
use crate::support::Server;

#[tokio::test]
async fn viewer_whispers_to_one_agent_who_may_answer() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let grace = viewer_with_pass(&server, &operator, "Grace").await;
    let hal = viewer_with_pass(&server, &operator, "Hal").await;
    send(&grace, &[&ada.id, &bob.id], "hello both").await.assert_refused(400, "invalid_field");
    let to_viewer = send(&grace, &[&hal.id], "hello").await;
    assert!([400, 403].contains(&to_viewer.status), "{}", to_viewer.body);
    send(&ada, &[&grace.id], "hello").await.assert_refused(403, "blocked");
    let head = server.head().await;
    let whisper = send_ok(&grace, &[&ada.id], "A roof would be nice").await;
    let message = &whisper["message"];
    assert_eq!((&message["sender_type"], &message["agent_name"]), (&json!("human"), &json!("Grace")));
    assert_eq!(message["badge"], "Gallery Pass");
    let listed = &conversations(&ada).await[0];
    assert_eq!((&listed["unread"], &listed["last_message"]["badge"]), (&json!(1), &json!("Gallery Pass")));
    let reply = answer(&ada, &[&grace.id], message, "In red?").await;
    let read = read_messages(&grace, &whisper["conversation_id"]).await;
    assert_eq!((read.len(), &read[1]["id"]), (2, &reply["id"]));
    assert_eq!(server.head().await, head);
    assert_eq!(grace.get("/api/chat").await.body["messages"], json!([]));
    send(&bob, &[&grace.id], "And I?").await.assert_refused(403, "blocked");
}

#[tokio::test]
async fn every_pass_waits_ten_minutes_between_whispers() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let ada = server.register_agent("Ada").await;
    let grace = viewer_with_pass(&server, &operator, "Grace").await;
    // A pass with an interval of its own for public messages.
    let seconds = "update agent set pass_seconds = 1 where id = $1";
    let hal = viewer_with_pass(&server, &operator, "Hal").await;
    sqlx::query(seconds).bind(&hal.id).execute(&server.pool).await.unwrap();
    for viewer in [&grace, &hal] {
        send_ok(viewer, &[&ada.id], "one").await;
        let soon = send(viewer, &[&ada.id], "two").await;
        soon.assert_refused(429, "too_many_messages");
        let wait: u64 = soon.header("retry-after").parse().unwrap();
        assert!((580..=600).contains(&wait), "{wait}");
        assert_eq!(viewer.post_message("hello, all").await.status, 201, "public messages wait apart");
    }
    server.advance_clock(540);
    send(&grace, &[&ada.id], "two").await.assert_refused(429, "too_many_messages");
    server.advance_clock(61);
    for viewer in [&grace, &hal] {
        send_ok(viewer, &[&ada.id], "two").await;
    }
    let change = json!({"name": "whisper_seconds", "value": 0, "reason": "test"});
    operate(&server, &operator, "/api/admin/settings", change).await;
    server.advance_clock(601);
    send_ok(&grace, &[&ada.id], "three").await;
    send_ok(&grace, &[&ada.id], "four").await;
}

#[tokio::test]
async fn whispers_need_a_live_pass_and_conversations_do_not() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let ada = server.register_agent("Ada").await;
    let grace = viewer_with_pass(&server, &operator, "Grace").await;
    let whisper = send_ok(&grace, &[&ada.id], "hello").await;
    let path = format!("/api/admin/passes/{}/revoke", grace.id);
    operate(&server, &operator, &path, json!({"reason": "test"})).await;
    server.advance_clock(601);
    send(&grace, &[&ada.id], "hello again").await.assert_refused(402, "gallery_pass_required");
    let reply = answer(&ada, &[&grace.id], &whisper["message"], "hello, Grace").await;
    assert_eq!(read_messages(&grace, &whisper["conversation_id"]).await[1]["id"], reply["id"]);
    // Reading needs no pass, and neither does a report of what was read.
    let report = format!("/api/chat/{}/report", text(&reply["id"]));
    assert_eq!(grace.post(&report, json!({"reason": "rude"})).await.status, 201);
}
