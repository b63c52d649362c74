//! The end of a key: at once, on every instance, in streams and in the writer's queue.

use chrono::TimeDelta;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{PATH, make_expiring_key, make_key, path_of};
use crate::support::waiting::wait_until;
use crate::support::{Agent, Reply, Server, WAIT_LIMIT};

const FREE_SETTINGS: [(&str, &str); 1] = [("CARAPLACE_CHARGE_SECONDS", "0")];
const ALL: [&str; 4] = ["read", "paint", "chat", "manage"];

/// Returns the agent with the key of a reply, as a client of an instance.
fn holder<'a>(server: &'a Server, made: &Reply) -> Agent<'a> {
    server.client_with_key(made.body["api_key"].as_str().unwrap())
}

#[tokio::test]
async fn a_revoked_key_ends_on_both_instances() {
    let [one, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let ada = one.register_agent("Ada").await;
    let (made, sibling) = (make_key(&ada, &ALL).await, make_key(&ada, &ALL).await);
    let (here, there) = (holder(&one, &made), holder(&other, &made));
    let siblings = holder(&other, &sibling);
    for agent in [&here, &there, &siblings] {
        assert_eq!(agent.paint(1, 1, 2).await.status, 201);
        assert_eq!(agent.get("/api/agents/me").await.status, 200);
    }
    other.running().state.log.refresh().await.unwrap();
    let mut ended = [here.open_stream().await, there.open_stream().await];
    let mut kept = [ada.open_stream().await, siblings.open_stream().await];
    assert_eq!(ada.delete(&path_of(&made)).await.status, 200);
    here.get("/api/agents/me").await.assert_refused(401, "key_invalid");
    let pixel = json!({"x": 1, "y": 1, "color": 3, "chat_digest": one.digest().await});
    there.post("/api/pixel", pixel).await.assert_refused(401, "key_invalid");
    wait_until(async || there.get("/api/agents/me").await.status == 401, "the key still works").await;
    for stream in &mut ended {
        assert!(stream.ends().await);
    }
    assert_eq!(siblings.paint(2, 2, 2).await.status, 201);
    for stream in &mut kept {
        assert_eq!(stream.next_with_id().await.name, "pixels");
    }
}

#[tokio::test]
async fn an_expired_key_ends_while_it_is_cached() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let cached = holder(&server, &make_expiring_key(&ada, &["read"], 60).await);
    let uncached = holder(&server, &make_expiring_key(&ada, &["read"], 60).await);
    assert_eq!(cached.get("/api/agents/me").await.status, 200);
    let mut stream = cached.open_stream().await;
    server.advance_clock(61);
    for key in [&cached, &uncached] {
        key.get("/api/agents/me").await.assert_refused(401, "key_invalid");
    }
    // The stream ends with the next event instead of sending it.
    assert_eq!(ada.paint(1, 1, 1).await.status, 201);
    let mut after = Vec::new();
    while let Some(event) = stream.next().await {
        after.extend(event.id);
    }
    assert!(after.is_empty(), "{after:?}");
    assert_eq!(ada.get("/api/agents/me").await.status, 200);
}

/// Places a pixel with an idempotency key, for which the writer locks the head before it decides.
async fn place_locked(agent: &Agent<'_>, pixel: Value) -> Reply {
    let key = pixel["x"].to_string();
    agent.post_idempotent("/api/pixel", pixel, &key).await
}

#[tokio::test]
async fn a_command_that_waits_under_a_revoked_key_is_refused() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (made, sibling) = (make_key(&ada, &["paint"]).await, make_key(&ada, &["paint"]).await);
    let (painter, other) = (holder(&server, &made), holder(&server, &sibling));
    let digest = server.digest().await;
    let pixel = |x| json!({"x": x, "y": 1, "color": 3, "chat_digest": digest});
    for agent in [&painter, &other] {
        assert_eq!(agent.post("/api/pixel", pixel(9)).await.status, 201);
    }
    // As another instance revokes it, which has the lock first.
    let mut revocation = server.pool.begin().await.unwrap();
    sqlx::query("select from log_head for update").execute(&mut *revocation).await.unwrap();
    let revoke = async {
        server.wait_for_blocked_writers(1).await;
        let id = made.body["key"]["id"].as_str().unwrap();
        for step in [
            "update agent_key set revoked_at = now() where id = $1",
            "with head as (update log_head set control = control + 1 returning control)
             insert into control (no, kind, subject, at)
             select control, 'extra_key', no, now() from head, agent_key where id = $1",
        ] {
            sqlx::query(step).bind(id).execute(&mut *revocation).await.unwrap();
        }
        revocation.commit().await.unwrap();
    };
    let (refused, painted, ()) =
        tokio::join!(place_locked(&painter, pixel(1)), place_locked(&other, pixel(2)), revoke);
    refused.assert_refused(401, "key_invalid");
    assert_eq!(painted.status, 201, "{}", painted.body);
    assert_eq!(server.get("/api/pixel?x=1&y=1").await.body["history"], json!([]));
}

#[tokio::test]
async fn a_command_that_waits_under_an_expired_key_is_refused() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let painter = holder(&server, &make_expiring_key(&ada, &["paint"], 60).await);
    assert_eq!(painter.paint(9, 9, 1).await.status, 201);
    let digest = server.digest().await;
    let head_lock = server.lock_head().await;
    let pixel = |x| json!({"x": x, "y": 1, "color": 3, "chat_digest": digest});
    // The writer waits with the first command, and reads the time for the second one after the clock has
    // moved.
    let second = async {
        server.wait_for_blocked_writers(1).await;
        let expire = async {
            wait_until(async || server.running().state.log.queue_len() > 0, "nothing is queued").await;
            server.clock.advance(TimeDelta::seconds(61));
            head_lock.release().await;
        };
        tokio::join!(place_locked(&painter, pixel(1)), expire).0
    };
    let (painted, refused) = tokio::join!(place_locked(&ada, pixel(2)), second);
    assert_eq!(painted.status, 201, "{}", painted.body);
    refused.assert_refused(401, "key_invalid");
    assert_eq!(server.get("/api/pixel?x=1&y=1").await.body["history"], json!([]));
}

#[tokio::test]
async fn a_waiting_call_ends_with_its_key() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let made = make_key(&ada, &["read"]).await;
    let reader = holder(&server, &made);
    let mcp = server.mcp(Some(&reader.key));
    let revoke = async {
        wait_until(async || server.running().state.hub.waits.count() > 0, "no call waits").await;
        ada.delete(&path_of(&made)).await;
    };
    let waiting = mcp.call_tool("wait", json!({"until": "news", "seconds": 50}));
    let both = async { tokio::join!(waiting, revoke) };
    let (result, ()) = timeout(WAIT_LIMIT, both).await.expect("the call goes on");
    assert_eq!(result.structured["end"], "ended", "{}", result.text);
}

#[tokio::test]
async fn a_key_revokes_itself_and_others() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let (made, painter) = (make_key(&ada, &["manage"]).await, make_key(&ada, &["paint"]).await);
    let manager = holder(&server, &made);
    assert_eq!(manager.delete(&path_of(&painter)).await.status, 200);
    assert_eq!(manager.delete(&path_of(&made)).await.status, 200);
    manager.delete(&path_of(&made)).await.assert_refused(401, "key_invalid");
    assert_eq!(ada.get(PATH).await.body, json!({"keys": []}));
}
