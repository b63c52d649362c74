//! The keys that were made with a key are revoked with it.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{PATH, make_key, path_of};
use crate::support::waiting::wait_until;
use crate::support::{Agent, Reply, Server, admin};

const MANAGER: [&str; 2] = ["read", "manage"];

/// A key, one that was made with it, and one that was made with that.
struct Generations<'a> {
    made: [Reply; 3],
    holders: [Agent<'a>; 3],
}

impl<'a> Generations<'a> {
    async fn make(agent: &Agent<'a>) -> Self {
        let parent = make_key(agent, &MANAGER).await;
        let first = holder(agent, &parent);
        let child = make_key(&first, &MANAGER).await;
        let second = holder(agent, &child);
        let grandchild = make_key(&second, &["read"]).await;
        let third = holder(agent, &grandchild);
        Self { made: [parent, child, grandchild], holders: [first, second, third] }
    }
}

/// Returns the agent with the key of a reply.
fn holder<'a>(agent: &Agent<'a>, made: &Reply) -> Agent<'a> {
    agent.with_key(made.body["api_key"].as_str().unwrap())
}

async fn assert_works(agent: &Agent<'_>) {
    assert_eq!(agent.get("/api/agents/me").await.status, 200);
}

async fn assert_ended(agent: &Agent<'_>) {
    agent.get("/api/agents/me").await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn descendants_of_a_revoked_key_end_on_both_instances() {
    let [one, other] = Server::start_two_instances(&[]).await;
    let ada = one.register_agent("Ada").await;
    let family = Generations::make(&ada).await;
    let sibling = make_key(&ada, &["read"]).await;
    let siblings = holder(&ada, &sibling).on(&other);
    let holders_there = family.holders.each_ref().map(|holder| holder.on(&other));
    let mut streams = Vec::new();
    for holder in family.holders.iter().chain(&holders_there) {
        assert_works(holder).await;
        streams.push(holder.open_stream().await);
    }
    assert_works(&siblings).await;
    assert_eq!(ada.delete(&path_of(&family.made[0])).await.status, 200);
    for holder in &family.holders {
        assert_ended(holder).await;
    }
    for holder in &holders_there {
        wait_until(async || holder.get("/api/agents/me").await.status == 401, "the key still works").await;
    }
    for stream in &mut streams {
        assert!(stream.ends().await);
    }
    assert_works(&siblings).await;
    assert_eq!(ada.get(PATH).await.body["keys"].as_array().unwrap().len(), 1, "that of the sibling");
}

#[tokio::test]
async fn ancestors_of_a_revoked_key_stay() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let Generations { made, holders } = Generations::make(&ada).await;
    assert_eq!(holders[0].delete(&path_of(&made[1])).await.status, 200);
    assert_works(&holders[0]).await;
    assert_ended(&holders[1]).await;
    assert_ended(&holders[2]).await;
    ada.delete(&path_of(&made[2])).await.assert_refused(404, "not_found");
    assert_eq!(ada.delete(&path_of(&made[0])).await.status, 200);
    assert_eq!(ada.get(PATH).await.body, json!({"keys": []}));
}

#[tokio::test]
async fn no_key_is_made_with_a_key_while_that_is_revoked() {
    let [server, other] = Server::start_two_instances(&[]).await;
    let ada = server.register_agent("Ada").await;
    let made = make_key(&ada, &MANAGER).await;
    let (here, there) = (holder(&ada, &made), holder(&ada, &made).on(&other));
    assert_works(&there).await;
    let path = path_of(&made);
    let attempts = join_all((0..8).map(|i| make_key(if i % 2 == 0 { &here } else { &there }, &MANAGER)));
    let (replies, revoked) = tokio::join!(attempts, ada.delete(&path));
    assert_eq!(revoked.status, 200);
    assert!(replies.iter().all(|reply| [201, 401].contains(&reply.status)));
    assert_eq!(ada.get(PATH).await.body, json!({"keys": []}));
}

#[tokio::test]
async fn operators_revoke_descendants_too() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let Generations { made, holders } = Generations::make(&ada).await;
    let ids = made.each_ref().map(|made| made.body["key"]["id"].as_str().unwrap());
    admin(&server, &["key", "revoke", ids[0], "--agent", &ada.id], "").await.unwrap();
    server.running().state.log.refresh().await.unwrap();
    for holder in &holders {
        assert_ended(holder).await;
    }
    let (reason, before): (String, Value) =
        sqlx::query_as("select why, before from audit").fetch_one(&server.pool).await.unwrap();
    assert_eq!(reason.as_str(), "revoked with caraplace admin key revoke");
    assert_eq!(before["key"], ids[0]);
    let revoked = before["revoked"].as_array().unwrap();
    assert!(revoked.len() == 3 && ids.iter().all(|id| revoked.contains(&json!(id))), "{before}");
}

#[tokio::test]
async fn a_new_registration_key_tells_how_many_keys_stay() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let Generations { made, holders } = Generations::make(&ada).await;
    let replaced = ada.post("/api/agents/me/key", json!({})).await;
    assert_eq!((replaced.status, &replaced.body["extra_keys"]), (200, &json!(3)));
    let ada = holder(&ada, &replaced);
    assert_works(&holders[2]).await;
    ada.delete(&path_of(&made[1])).await;
    assert_eq!(ada.post("/api/agents/me/key", json!({})).await.body["extra_keys"], 1);
}
