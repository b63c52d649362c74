//! The chat is told that a plan is finished, once.

use serde_json::json;

use super::{PLAN_SETTINGS, change, new_plan, paint, read_plan};
use crate::support::Server;
use crate::support::actions::open_plan;
use crate::support::waiting::wait_until;

/// Returns the number of messages about a plan.
async fn count_messages(server: &Server, id: &str) -> usize {
    let chat = server.get("/api/chat?limit=100").await.body;
    let messages = chat["messages"].as_array().unwrap();
    messages.iter().filter(|message| message["plan_id"] == id && message["sender_type"] == "system").count()
}

/// Finishes a plan of a new author at `y`, and waits until the chat is told: then it was told of older ones,
/// too.
async fn wait_for_newer_plan(server: &Server, name: &str, y: i64) {
    let author = server.register_agent(name).await;
    let plan = open_plan(&author, json!({"title": name, "x": 0, "y": y, "rows": ["7"]})).await;
    paint(&author, &[(0, y, 7)]).await;
    let is_told = async || count_messages(server, plan["id"].as_str().unwrap()).await > 0;
    wait_until(is_told, "the chat is never told").await;
}

#[tokio::test]
async fn a_plan_is_announced_once_whatever_happens_to_it() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, new_plan("A wall", 2, 1)).await;
    let id = plan["id"].as_str().unwrap();
    paint(&ada, &[(10, 20, 5), (11, 20, 5)]).await;
    // At once, maybe before the chat is told.
    change(&ada, &plan, json!({"expected_version": 1, "note": "Thanks"})).await.assert_status(200);
    wait_for_newer_plan(&server, "Bob", 1).await;
    assert_eq!(count_messages(&server, id).await, 1);
    let noted = change(&ada, &plan, json!({"expected_version": 2, "note": "Many thanks"})).await;
    assert_eq!((noted.status, &noted.body["plan"]["state"]), (200, &json!("finished")), "{}", noted.body);
    wait_for_newer_plan(&server, "Cyd", 2).await;
    assert_eq!(count_messages(&server, id).await, 1, "after a change of the note");
    let repainted = change(&ada, &plan, json!({"expected_version": 3, "rows": ["77"]})).await;
    assert_eq!(repainted.status, 200, "{}", repainted.body);
    assert_eq!(repainted.body["plan"]["state"], "open", "{}", repainted.body);
    paint(&ada, &[(10, 20, 7), (11, 20, 7)]).await;
    assert_eq!(read_plan(&server, &plan).await["state"], "finished");
    wait_for_newer_plan(&server, "Dee", 3).await;
    assert_eq!(count_messages(&server, id).await, 1, "after another picture");
    paint(&ada, &[(10, 20, 5)]).await;
    paint(&ada, &[(10, 20, 7)]).await;
    wait_for_newer_plan(&server, "Eli", 4).await;
    assert_eq!(count_messages(&server, id).await, 1, "after a repair");
}
