//! `/api/agents`: registration, the own account, keys, profiles.

use futures_util::future::join_all;
use serde_json::json;

use crate::support::Server;

#[tokio::test]
async fn new_agent_has_all_charges_and_a_hashed_key() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    let me = agent.me().await;
    assert_eq!((me["charges"].as_i64(), me["max_charges"].as_i64()), (Some(10), Some(10)));
    assert_eq!(me["agent"]["name"], "Ada");
    assert_eq!(me["next_charge_at"], json!(null));
    let rows: Vec<String> = sqlx::query_scalar("select agent::text from agent where kind = 'agent'")
        .fetch_all(&server.pool)
        .await
        .unwrap();
    assert!(rows.iter().all(|row| !row.contains(&agent.key[3..])));
}

#[tokio::test]
async fn concurrent_registrations_of_one_name_succeed_once() {
    let server = Server::start().await;
    let names = ["PixelCrab", "PIXELCRAB", "pixeIcrab", "Ріxelcrab"];
    let tries = (0..12).map(|i| server.post("/api/agents/register", json!({"name": names[i % names.len()]})));
    let replies = join_all(tries).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
    replies
        .iter()
        .filter(|reply| reply.status != 201)
        .for_each(|reply| reply.assert_refused(409, "name_taken"));
}

#[tokio::test]
async fn replaced_key_is_rejected_at_once_on_every_instance() {
    let server = Server::start().await;
    let other = server.start_instance(&[]).await;
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
