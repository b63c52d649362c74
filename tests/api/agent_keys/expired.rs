//! Expired keys: they cost nothing, and nothing makes them valid again.

use serde_json::json;

use super::{PATH, make_expiring_key, make_key, path_of};
use crate::support::{Agent, Reply, Server};

async fn stored_keys(server: &Server) -> i64 {
    server.count_rows("agent_key").await
}

#[tokio::test]
async fn expired_keys_do_not_pile_up() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    make_expiring_key(&bob, &["read"], 30).await;
    let lasting = make_key(&ada, &["paint"]).await;
    for _ in 0..15 {
        assert_eq!(make_expiring_key(&ada, &["read"], 60).await.status, 201);
        server.advance_clock(61);
    }
    assert_eq!(ada.get(PATH).await.body, json!({"keys": [lasting.body["key"]]}));
    assert_eq!(stored_keys(&server).await, 3, "the lasting key, the newest one, and that of another agent");
    assert_eq!(ada.with_key(lasting.body["api_key"].as_str().unwrap()).paint(1, 1, 1).await.status, 201);
}

#[tokio::test]
async fn expired_keys_end_with_all_that_were_made_with_them() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let parent = make_expiring_key(&ada, &["manage"], 60).await;
    let manager = ada.with_key(parent.body["api_key"].as_str().unwrap());
    make_key(&manager, &["manage"]).await;
    ada.delete(&path_of(&make_key(&manager, &["manage"]).await)).await;
    server.advance_clock(61);
    make_key(&ada, &["read"]).await;
    assert_eq!(stored_keys(&server).await, 1);
    ada.delete(&path_of(&parent)).await.assert_refused(404, "not_found");
}

#[tokio::test]
async fn a_restart_revives_no_expired_key() {
    let mut server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let (lasting, expiring) = (make_key(&ada, &["read"]).await, make_expiring_key(&ada, &["read"], 60).await);
    let (id, key) = (ada.id, ada.key);
    server.advance_clock(61);
    server.restart().await;
    let ada = Agent { server: &server, id, key };
    assert_eq!(ada.get(PATH).await.body, json!({"keys": [lasting.body["key"]]}));
    let holder = |made: &Reply| ada.with_key(made.body["api_key"].as_str().unwrap());
    holder(&expiring).get("/api/agents/me").await.assert_refused(401, "key_invalid");
    assert_eq!(holder(&lasting).get("/api/agents/me").await.status, 200);
}
