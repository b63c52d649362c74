//! The control log forgets old entries, and an instance that has missed some reads everything again.

use std::time::Duration;

use platform::config::RetentionSettings;

use caraplace::log::check::check;
use caraplace::server::retention;
use tokio::time::timeout;

use super::change_key;
use crate::support::{Agent, Reply, Server};

const DAY_SECONDS: i64 = 86_400;
const KEEP_ALL: RetentionSettings = RetentionSettings {
    chat_text_days: 0,
    private_message_days: 0,
    messages_per_channel: 0,
    delivery_days: 7,
    evidence_days: 0,
    guide_days: 30,
};
/// The maximum time until an instance has seen a change.
const SYNC_TIMEOUT: Duration = Duration::from_secs(5);

async fn delete_old_entries(server: &Server) -> u64 {
    retention::run_once(&server.running().state, &KEEP_ALL).await.unwrap().control_entries
}

async fn count_entries(server: &Server) -> i64 {
    sqlx::query_scalar("select count(*) from control").fetch_one(&server.pool).await.unwrap()
}

async fn assert_check_passes(server: &Server) {
    let report = check(&mut server.pool.acquire().await.unwrap(), None, |_, _| {}).await.unwrap();
    assert_eq!(report.difference_count(), 0);
}

/// Waits until an agent's requests have a status.
async fn wait_for_status(agent: &Agent<'_>, status: u16) {
    let reached = async { while agent.get("/api/agents/me").await.status != status {} };
    timeout(SYNC_TIMEOUT, reached).await.expect("the status is never reached");
}

#[tokio::test]
async fn old_entries_are_deleted_and_newer_ones_follow_them() {
    let mut server = Server::start().await;
    let other_instance = server.start_instance(&[]).await;
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
    assert_check_passes(&server).await;
    assert_eq!(delete_old_entries(&server).await, 0);
    server.advance_clock(DAY_SECONDS);
    assert_eq!((delete_old_entries(&server).await, count_entries(&server).await), (1, 0));
    assert_check_passes(&server).await;
    wait_for_status(&ada.with_key(&fourth).on(&other_instance), 200).await;
    let fifth = change_key(&ada.with_key(&fourth)).await.key;
    assert_check_passes(&server).await;
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
    let settings = [("CARAPLACE_PIXELS_PER_MESSAGE", "0"), ("CARAPLACE_MESSAGE_SECONDS", "0")];
    let server = Server::start_with(&settings).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let extra = ada.with_extra_key(&["read"]).await;
    let posted = bob.post_message("Hello").await;
    assert_eq!(posted.status, 201, "{}", posted.body);
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
    sqlx::raw_sql(missed).execute(&server.pool).await.unwrap();
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
    let known = Reply::fetch(server.post_request("/api/agents/me/key").bearer_auth(&bob.key)).await;
    assert_eq!(known.status, 200, "{}", known.body);
    wait_for_status(&bob, 401).await;
}
