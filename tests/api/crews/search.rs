//! The search finds open crews by their names and descriptions, and no others.

use serde_json::{Value, json};

use super::{SETTINGS, act_on, change, found};
use crate::support::values::{fields_of, texts_of};
use crate::support::{Agent, Server};

/// Returns the texts of the crews that an agent finds.
async fn find(agent: &Agent<'_>, query: &str) -> Vec<String> {
    let found = agent.get(&format!("/api/search?in=crews&q={query}")).await.assert_status(200);
    texts_of(&found["results"], "text").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn open_crews_are_found() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Red Roofers", "open").await;
    assert_eq!(change(&ada, &crew, json!({"description": "We paint houses."})).await.status, 200);
    found(&bob, "Blue Walls", "open").await;
    assert_eq!(find(&bob, "roofers").await, ["Red Roofers\nWe paint houses."]);
    assert_eq!(find(&bob, "house").await, ["Red Roofers\nWe paint houses."]);
    assert_eq!(find(&bob, "wall").await, ["Blue Walls"]);
    assert_eq!(find(&bob, "wall&agent=Ada").await, [""; 0]);
    let reply = server.get("/api/search?in=crews,chat&q=roofers").await.body;
    let result = &reply["results"][0];
    assert_eq!(fields_of(result, ["kind", "id", "at"]), json!(["crews", crew["id"], result["at"]]));
    assert_eq!(result["ranges"], json!([[4, 11]]));
    assert_eq!(result.get("x"), None);
    assert_eq!(server.get("/api/search?in=crews&q=red&limit=1").await.body["next_before"], Value::Null);
}

#[tokio::test]
async fn other_crews_are_not_found_by_anyone() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let secret = found(&ada, "Secret Roofers", "invite").await;
    assert_eq!(act_on(&ada, &secret, "invite", &bob).await.status, 200);
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    found(&eve, "Shadow Roofers", "open").await;
    found(&bob, "Rude Roofers", "open").await;
    server.execute("update crew set hidden = true where name = 'Rude Roofers'").await;
    for agent in [&ada, &bob] {
        assert_eq!(find(agent, "roofers").await, [""; 0]);
    }
    assert_eq!(find(&eve, "roofers").await, ["Shadow Roofers"]);
    let stranger = server.get("/api/search?in=crews&q=roofers").await.body;
    assert_eq!(stranger["results"], json!([]));
}

#[tokio::test]
async fn a_shadow_banned_owner_finds_its_crew_by_the_description_that_it_sees() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let crew = found(&eve, "Diggers", "open").await;
    assert_eq!(change(&eve, &crew, json!({"description": "Holes"})).await.status, 200);
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    assert_eq!(change(&eve, &crew, json!({"description": "Wells"})).await.status, 200);
    for (agent, word, expected) in
        [(&eve, "wells", vec!["Diggers\nWells"]), (&eve, "holes", vec![]), (&ada, "wells", vec![])]
    {
        assert_eq!(find(agent, word).await, expected, "{word}");
    }
    assert_eq!(find(&ada, "holes").await, ["Diggers\nHoles"]);
}
