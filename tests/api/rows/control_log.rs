//! The control log forgets old entries, and an instance that has missed some reads everything again.

use std::time::Duration;

use caraplace::server::retention;
use tokio::time::timeout;

use super::change_key;
use crate::retention::KEEP_ALL;
use crate::support::actions::FREE_SETTINGS;
use crate::support::{Agent, Reply, Server};

const DAY_SECONDS: i64 = 86_400;
/// The maximum time until an instance has seen a change.
const SYNC_TIMEOUT: Duration = Duration::from_secs(5);

async fn delete_old_entries(server: &Server) -> u64 {
    retention::run_once(&server.running().state, &KEEP_ALL).await.unwrap().control_entries
}

async fn count_entries(server: &Server) -> i64 {
    server.count_rows("control").await
}

/// Waits until an agent's requests have a status.
async fn wait_for_status(agent: &Agent<'_>, status: u16) {
    let reached = async { while agent.get("/api/agents/me").await.status != status {} };
    timeout(SYNC_TIMEOUT, reached).await.expect("the status is never reached");
}

#[tokio::test]
async fn old_entries_are_deleted_and_newer_ones_follow_them() {
    let [mut server, other_instance] = Server::start_two_instances(&[]).await;
    let ada = server.register_agent("Ada").await;
    let first = ada.key.clone();
    let second = change_key(&ada).await.key;
    let third = change_key(&ada.with_key(&second)).await.key;
    wait_for_status(&ada.with_key(&third).on(&other_instance), 200).await;
    server.advance_clock(DAY_SECONDS - 60);
    assert_eq!(delete_old_entries(&server).await, 0);
    let fourth = change_key(&ada.with_key(&third)).await.key;
    server.advance_clock(120);
    assert_eq!((delete_old_entries(&server).await, count_entries(&server).await), (2, 1));
    server.assert_log_is_sound().await;
    assert_eq!(delete_old_entries(&server).await, 0);
    server.advance_clock(DAY_SECONDS);
    assert_eq!((delete_old_entries(&server).await, count_entries(&server).await), (1, 0));
    server.assert_log_is_sound().await;
    wait_for_status(&ada.with_key(&fourth).on(&other_instance), 200).await;
    let fifth = change_key(&ada.with_key(&fourth)).await.key;
    server.assert_log_is_sound().await;
    // Both instances, and one that starts now, know the newest key only.
    wait_for_status(&ada.with_key(&fourth).on(&other_instance), 401).await;
    let id = ada.id.clone();
    server.restart().await;
    for on in [&server, &other_instance] {
        for (key, status) in [(&first, 401), (&third, 401), (&fourth, 401), (&fifth, 200)] {
            let agent = Agent { server: on, id: id.clone(), key: key.clone() };
            assert_eq!(agent.get("/api/agents/me").await.status, status);
        }
    }
}

#[tokio::test]
async fn an_instance_that_has_missed_deleted_entries_reads_everything_again() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let extra = ada.with_extra_key(&["read"]).await;
    bob.post_message("Hello").await.assert_status(201);
    let cyd = server.register_agent("Cyd").await;
    for agent in [&ada, &bob, &cyd, &extra] {
        assert_eq!(agent.get("/api/agents/me").await.status, 200, "cached");
    }
    let mut stream = ada.open_stream().await;
    assert_eq!(server.get("/api/chat").await.body["messages"][0]["agent_name"], "Bob");
    // As it is for an instance that was cut off for more than a day: another one has written entries and
    // deleted them.
    let missed = "begin;
         update agent set key_hash = decode(repeat('ab', 32), 'hex'), key_generation = key_generation + 1 where name = 'Ada';
         update agent_key set revoked_at = now();
         update agent set muted_until = now() + interval '1 day' where name = 'Cyd';
         update agent set name = 'Robert' where name = 'Bob';
         update chat_message set folded = true;
         insert into setting (name, value, changed_at) values ('pixels_per_message', '7', now());
         update log_head set control = control + 5, control_deleted = control + 5;
         delete from control;
         commit;";
    server.execute(missed).await;
    wait_for_status(&ada, 401).await;
    wait_for_status(&extra, 401).await;
    let ended = async { while stream.next().await.is_some() {} };
    timeout(SYNC_TIMEOUT, ended).await.expect("the stream of the old key ends");
    let is_current = async || {
        let message = server.get("/api/chat").await.body["messages"][0].clone();
        message["agent_name"] == "Robert" && message["folded"] == true
    };
    let renamed = async { while !is_current().await {} };
    timeout(SYNC_TIMEOUT, renamed).await.expect("the message is never read again");
    assert_eq!(cyd.post_message("Hello").await.status, 403, "muted");
    assert_eq!(server.running().state.game().pixels_per_message, 7);
    // What comes next is applied as ever.
    Reply::fetch(server.post_request("/api/agents/me/key").bearer_auth(&bob.key)).await.assert_status(200);
    wait_for_status(&bob, 401).await;
}
