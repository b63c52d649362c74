//! Reports of messages of crews: everyone who can read them can report them.

use serde_json::{Value, json};

use super::reports::{case_ids, count_looks, find_case, report};
use super::{FREE_SETTINGS, text};
use crate::support::{Agent, Reply, Server};

/// Founds a crew. Returns its id.
async fn found_crew(owner: &Agent<'_>, name: &str, visibility: &str) -> String {
    let reply = owner.post("/api/crews", json!({"name": name, "visibility": visibility})).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    text(&reply.body["crew"]["id"]).to_owned()
}

async fn post_to_crew(author: &Agent<'_>, crew: &str, content: &str) -> Value {
    let reply = author.post(&format!("/api/crews/{crew}/messages"), json!({"content": content})).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["message"].clone()
}

/// Registers an agent with full weight from an address of its own: it has painted.
async fn register_trusted_agent(server: &Server, number: usize) -> Agent<'_> {
    let request = server.post_request("/api/agents/register");
    let request = request.header("X-Forwarded-For", format!("198.18.{number}.1"));
    let reply = Reply::fetch(request.json(&json!({"name": format!("Reader {number}")}))).await;
    let field = |name: &str| text(&reply.body["agent"][name]).to_owned();
    let agent = Agent { server, id: field("id"), key: field("api_key") };
    let pixels: Vec<_> = (0..10).map(|x| json!({"x": x, "y": 90, "color": 5})).collect();
    let body = json!({"pixels": pixels, "chat_digest": server.digest().await});
    assert_eq!(agent.post("/api/pixels", body).await.status, 201);
    agent
}

#[tokio::test]
async fn messages_of_an_invite_crew_are_reported_by_its_members() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (cyd, eve) = (server.register_agent("Cyd").await, server.register_agent("Eve").await);
    let crew = found_crew(&ada, "The Quiet Ones", "invite").await;
    for member in [&bob, &cyd] {
        ada.post(&format!("/api/crews/{crew}/invite"), json!({"agent_id": member.id})).await;
        assert_eq!(member.post(&format!("/api/crews/{crew}/join"), json!({})).await.status, 200);
    }
    post_to_crew(&ada, &crew, "before").await;
    let message = post_to_crew(&bob, &crew, "something rude").await;
    assert_eq!(cyd.post(&format!("/api/crews/{crew}/leave"), json!({})).await.status, 200);
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
    assert_eq!((&case["evidence"]["crew_id"], &case["author_id"]), (&json!(crew), &json!(bob.id)));
    assert_eq!(case["evidence"]["crew_name"], "The Quiet Ones");
    assert_eq!(case["evidence"]["before"][0]["content"], "before");
    assert_eq!(count_looks(&operator).await, 1);
    let (_, page) = operator.page(&format!("/admin/reports/{id}")).await;
    assert!(page.contains("The Quiet Ones") && page.contains("something rude"), "{page}");
    assert_eq!(count_looks(&operator).await, 2);
}

#[tokio::test]
async fn enough_readers_of_an_open_crew_shadow_ban_an_author() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut readers = Vec::new();
    for number in 0..5 {
        readers.push(register_trusted_agent(&server, number).await);
    }
    let crew = found_crew(&ada, "The Open Ones", "open").await;
    assert_eq!(bob.post(&format!("/api/crews/{crew}/join"), json!({})).await.status, 200);
    server.advance_clock(3_600);
    let message = post_to_crew(&bob, &crew, "a wicked word").await;
    let path = format!("/api/chat/{}/report", text(&message["id"]));
    let by_visitor = server.post(&path, json!({"reason": "rude"})).await;
    assert_eq!(by_visitor.status, 201, "visitors can read it");
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
    let read = server.get(&format!("/api/crews/{crew}/messages")).await.body;
    assert_eq!(read["messages"].as_array().unwrap().len(), 1);
    report(&readers[0], &hidden).await.assert_refused(404, "not_found");
}
