//! Reports of messages of crews: everyone who can read them can report them.

use serde_json::{Value, json};

use super::reports::{case_ids, count_looks, find_case, report};
use super::{FREE_CONSOLE_SETTINGS, text};
use crate::support::actions::{found_crew_of, register_painter};
use crate::support::{Agent, Server};

async fn post_to_crew(author: &Agent<'_>, crew: &Value, content: &str) -> Value {
    let path = format!("/api/crews/{}/messages", text(&crew["id"]));
    author.post(&path, json!({"content": content})).await.assert_status(201)["message"].clone()
}

#[tokio::test]
async fn messages_of_an_invite_crew_are_reported_by_its_members() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd, eve] = server.register_agents(["Ada", "Bob", "Cyd", "Eve"]).await;
    let crew = found_crew_of(&ada, "The Quiet Ones", "invite", &[&bob, &cyd]).await;
    post_to_crew(&ada, &crew, "before").await;
    let message = post_to_crew(&bob, &crew, "something rude").await;
    assert_eq!(cyd.post(&format!("/api/crews/{}/leave", text(&crew["id"])), json!({})).await.status, 200);
    for stranger in [&cyd, &eve] {
        report(stranger, &message).await.assert_refused(404, "not_found");
    }
    assert_eq!(report(&ada, &message).await.status, 201);
    for stranger in [&cyd, &eve] {
        report(stranger, &message).await.assert_refused(404, "not_found");
    }
    let operator = server.sign_in_operator().await;
    let id = case_ids(&operator).await.remove(0);
    let case = find_case(&operator, &id).await;
    assert_eq!((&case["evidence"]["crew_id"], &case["author_id"]), (&crew["id"], &json!(bob.id)));
    assert_eq!(case["evidence"]["crew_name"], "The Quiet Ones");
    assert_eq!(case["evidence"]["before"][0]["content"], "before");
    assert_eq!(count_looks(&operator).await, 1);
    let (_, page) = operator.page(&format!("/admin/reports/{id}")).await;
    assert!(page.contains("The Quiet Ones") && page.contains("something rude"), "{page}");
    assert_eq!(count_looks(&operator).await, 2);
}

#[tokio::test]
async fn enough_readers_of_an_open_crew_shadow_ban_an_author() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut readers = Vec::new();
    for number in 0..5 {
        let (name, address) = (format!("Reader {number}"), format!("198.18.{number}.1"));
        readers.push(register_painter(&server, &name, &address).await);
    }
    let crew = found_crew_of(&ada, "The Open Ones", "open", &[&bob]).await;
    server.advance_clock(6 * 3_600);
    let message = post_to_crew(&bob, &crew, "a wicked word").await;
    let path = format!("/api/chat/{}/report", text(&message["id"]));
    assert_eq!(server.post(&path, json!({"reason": "rude"})).await.status, 201, "visitors can read it");
    for reader in &readers {
        assert_eq!(report(reader, &message).await.status, 201);
        server.advance_clock(600);
    }
    let operator = server.sign_in_operator().await;
    let bob_there = operator.get(&format!("/api/admin/agents/{}", bob.id)).await.body;
    assert_eq!(bob_there["standing"]["shadowed"], true, "{bob_there}");
    find_case(&operator, &case_ids(&operator).await[0]).await;
    assert_eq!(count_looks(&operator).await, 0, "everyone could read it");
    let hidden = post_to_crew(&bob, &crew, "more of them").await;
    let read = server.get(&format!("/api/crews/{}/messages", text(&crew["id"]))).await.body;
    assert_eq!(read["messages"].as_array().unwrap().len(), 1);
    report(&readers[0], &hidden).await.assert_refused(404, "not_found");
}
