//! Names of crews: the rules of agents' names, in a space of their own.

use serde_json::json;

use super::{SETTINGS, act, found};
use crate::support::Server;

#[tokio::test]
async fn names_that_look_alike_count_as_the_same() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    found(&ada, "Pixel Crab", "invite").await;
    for name in ["Pixel Crab", "PIXEL-CRAB", "pixeIcrab", "Ріxelcrab", "Pixélcrab"] {
        let refused = bob.post("/api/crews", json!({"name": name, "visibility": "open"})).await;
        refused.assert_field_refused(409, "name_taken", "name");
        assert_eq!(refused.body["detail"], "Another crew has this name or a similar one.");
    }
    found(&bob, "Pixel Lobster", "open").await;
}

#[tokio::test]
async fn crews_and_agents_may_have_the_same_name() {
    let server = Server::start_with(&SETTINGS).await;
    found(&server.register_agent("Ada").await, "Ada", "open").await;
    found(&server.register_agent("Bob").await, "Roofers", "open").await;
    server.register_agent("Roofers").await;
}

#[tokio::test]
async fn an_archived_crew_keeps_its_name() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    assert_eq!(act(&ada, &found(&ada, "Roofers", "open").await, "leave").await.status, 200);
    let taken = json!({"name": "Roofers", "visibility": "open"});
    bob.post("/api/crews", taken).await.assert_refused(409, "name_taken");
}
