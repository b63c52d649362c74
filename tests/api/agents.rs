//! `/api/agents`: registration, the own account, keys, profiles.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::values::texts_of;
use crate::support::{Agent, Server};

#[tokio::test]
async fn new_agent_has_all_charges_and_a_hashed_key() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    let me = agent.me().await;
    assert_eq!((me["charges"].as_i64(), me["max_charges"].as_i64()), (Some(10), Some(10)));
    assert_eq!(me["agent"]["name"], "Ada");
    assert_eq!(me["next_charge_at"], json!(null));
    let rows: Vec<String> = server.fetch_scalars("select agent::text from agent where kind = 'agent'").await;
    assert!(rows.iter().all(|row| !row.contains(&agent.key[3..])));
}

#[tokio::test]
async fn concurrent_registrations_of_one_name_succeed_once() {
    let server = Server::start().await;
    let names = ["PixelCrab", "PIXELCRAB", "pixeIcrab", "Ріxelcrab"];
    let tries = (0..12).map(|i| server.post("/api/agents/register", json!({"name": names[i % names.len()]})));
    let replies = join_all(tries).await;
    let (registered, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!(registered.len(), 1);
    refused.iter().for_each(|reply| reply.assert_refused(409, "name_taken"));
}

#[tokio::test]
async fn replaced_key_is_rejected_at_once_on_every_instance() {
    let [server, other] = Server::start_two_instances(&[]).await;
    let agent = server.register_agent("Ada").await;
    let old = agent.key.clone();
    let on_other = |key: String| other.get_request("/api/agents/me").bearer_auth(key).send();
    assert_eq!(on_other(old.clone()).await.unwrap().status(), 200);
    let reply = agent.post("/api/agents/me/key", json!({})).await;
    let new = reply.body["api_key"].as_str().unwrap().to_owned();
    agent.get("/api/agents/me").await.assert_refused(401, "key_invalid");
    assert_eq!(on_other(old).await.unwrap().status(), 401);
    assert_eq!(on_other(new).await.unwrap().status(), 200);
}

/// Returns the names on a page of active agents, and the cursor of the next page.
async fn list_agents(server: &Server, query: &str) -> (Vec<String>, Value) {
    let page = server.get(&format!("/api/agents?{query}")).await.assert_status(200);
    let names = texts_of(&page["agents"], "name").into_iter().map(str::to_owned).collect();
    (names, page["next_before"].clone())
}

/// Registers five agents, one each second.
async fn register_each_second(server: &Server) -> Vec<Agent<'_>> {
    let mut agents = Vec::new();
    for name in ["Ada", "Bob", "Cyd", "Dee", "Eve"] {
        agents.push(server.register_agent(name).await);
        server.advance_clock(1);
    }
    agents
}

#[tokio::test]
async fn lists_active_agents_by_their_last_action() {
    let server = Server::start().await;
    assert_eq!(server.get("/api/agents").await.body, json!({"agents": [], "next_before": null}));
    let ada = server.register_agent("Ada").await;
    server.advance_clock(10);
    let bob = server.register_agent("Bob").await;
    server.advance_clock(10);
    assert_eq!(ada.paint(1, 1, 5).await.status, 201);
    let seen = |agent: Value| agent["agent"]["last_seen_at"].clone();
    let page = server.get("/api/agents?active=3600").await.body;
    let expected = [
        json!({"id": ada.id, "name": "Ada", "last_seen_at": seen(ada.me().await), "pixels_placed": 1}),
        json!({"id": bob.id, "name": "Bob", "last_seen_at": seen(bob.me().await), "pixels_placed": 0}),
    ];
    assert_eq!(page, json!({"agents": expected, "next_before": null}));
    server.advance_clock(5);
    assert_eq!(list_agents(&server, "active=14").await.0, ["Ada"], "Bob acted 15 seconds ago");
    assert_eq!(list_agents(&server, "active=20").await.0, ["Ada", "Bob"]);
    server.advance_clock(86_400);
    assert_eq!(list_agents(&server, "active=3600").await.0, [""; 0]);
    assert_eq!(list_agents(&server, "").await.0, ["Ada", "Bob"], "all agents without a time");
}

#[tokio::test]
async fn pages_of_active_agents_repeat_none_while_agents_act() {
    let server = Server::start().await;
    let agents = register_each_second(&server).await;
    let (first, next) = list_agents(&server, "limit=2").await;
    assert_eq!(first, ["Eve", "Dee"]);
    for moving in [&agents[4], &agents[0]] {
        assert_eq!(moving.paint(1, 1, 5).await.status, 201);
    }
    let before = next.as_str().unwrap();
    let (second, next) = list_agents(&server, &format!("limit=2&before={before}")).await;
    assert_eq!((second, next), (vec!["Cyd".to_owned(), "Bob".to_owned()], json!(null)), "Ada has moved up");
    // Of agents of the same moment, none is left out.
    server.execute("update agent set last_seen_at = '2026-01-01'").await;
    let (mut names, mut query) = (Vec::new(), "limit=2".to_owned());
    loop {
        let (page, next) = list_agents(&server, &query).await;
        names.extend(page);
        let Some(next) = next.as_str() else { break };
        query = format!("limit=2&before={next}");
    }
    names.sort();
    assert_eq!(names, ["Ada", "Bob", "Cyd", "Dee", "Eve"]);
}

#[tokio::test]
async fn active_agents_are_no_viewers_no_operators_and_not_banned() {
    let server = Server::start().await;
    register_each_second(&server).await;
    let changes = "update agent set banned_until = '9999-01-01' where name = 'Ada';
        update agent set banned_until = '2020-01-01' where name = 'Bob';
        update agent set shadowed = true where name = 'Cyd';
        update agent set kind = 'viewer' where name = 'Dee'";
    server.execute(changes).await;
    let names = list_agents(&server, "").await.0;
    assert_eq!(names, ["Eve", "Cyd", "Bob"], "a shadow-ban does not show, a ban that has ended neither");
}

#[tokio::test]
async fn refuses_wrong_cursors_of_active_agents() {
    let server = Server::start().await;
    for before in ["", "x", "agent_00000000000000000000000000000000", "1-agent_x"] {
        server.get(&format!("/api/agents?before={before}")).await.assert_refused(400, "bad_cursor");
    }
}
