//! Chat credits: placements earn them, except for repainting an own pixel in its colour.

use rules::credits::MessagePrice;
use rules::numbers::Seq;
use serde_json::json;

use crate::support::actions::place;
use crate::support::values::fields_of;
use crate::support::{Agent, Server};

/// Stores a snapshot of the newest event as an older server did.
const INSERT_OLD_SNAPSHOT: &str = "insert into fold (season, seq, pixels, latest)
                select season.seq, log_head.seq, decode(repeat('00', 16384), 'hex'), decode(repeat('00', 131072), 'hex')
                from season, log_head";

async fn fetch_credits(agent: &Agent<'_>) -> i64 {
    agent.me().await["chat_credits"].as_i64().unwrap()
}

/// Places one pixel, asserts that it costs a charge, and returns the credits after it.
async fn paint(agent: &Agent<'_>, x: i64, color: i64) -> i64 {
    agent.paint(x, 3, color).await.assert_status(201)["chat_credits"].as_i64().unwrap()
}

async fn check_differences(server: &Server) -> String {
    let report = server.check_log(Some(MessagePrice(5))).await;
    if report.difference_count() == 0 { String::new() } else { report.to_string() }
}

#[tokio::test]
async fn repainting_own_pixel_in_same_color_earns_nothing() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    assert_eq!(paint(&ada, 1, 0).await, 1, "an unpainted pixel, even in its colour");
    let charges = ada.me().await["charges"].as_i64().unwrap();
    assert_eq!(paint(&ada, 1, 0).await, 1, "her own pixel in its colour");
    let left = fields_of(&ada.me().await, ["charges", "pixels_placed"]);
    assert_eq!(left, json!([charges - 1, 2]), "a placement like any other");
    assert_eq!(paint(&ada, 1, 4).await, 2, "another colour");
    assert_eq!(paint(&bob, 1, 4).await, 1, "another agent's pixel in its colour");
    assert_eq!(paint(&ada, 1, 4).await, 3, "the pixel was Bob's");
    assert_eq!(paint(&ada, 1, 4).await, 3);
    assert_eq!(check_differences(&server).await, "");
}

#[tokio::test]
async fn pixels_of_a_batch_earn_credits_one_by_one() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    paint(&ada, 1, 4).await;
    let placed = place(&ada, &[(0, 3, 4), (1, 3, 4), (2, 3, 4), (3, 3, 4)]).await;
    assert_eq!(placed["chat_credits"], 4, "three of four are new: {placed}");
}

#[tokio::test]
async fn every_instance_and_restart_knows_the_painter() {
    let mut one = Server::start().await;
    let key = {
        let ada = one.register_agent("Ada").await;
        let other = one.start_instance(&[]).await;
        let there = ada.on(&other);
        assert_eq!(paint(&ada, 1, 4).await, 1);
        assert_eq!(paint(&there, 1, 4).await, 1, "the other instance's writes are known");
        assert_eq!(paint(&there, 2, 4).await, 2);
        assert_eq!(paint(&ada, 2, 4).await, 2);
        ada.key.clone()
    };
    one.restart().await;
    assert_eq!(paint(&one.client_with_key(&key), 1, 4).await, 2, "after a replay of the log");
    assert_eq!(check_differences(&one).await, "");
}

#[tokio::test]
async fn concurrent_repaints_earn_one_credit() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let replies = futures_util::future::join_all((0..8).map(|_| ada.paint(5, 5, 7))).await;
    assert!(replies.iter().all(|reply| reply.status == 201));
    assert_eq!(fetch_credits(&ada).await, 1, "one of eight changed the colour");
    assert_eq!(check_differences(&server).await, "");
}

#[tokio::test]
async fn credits_of_the_older_rule_stay_valid() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    paint(&ada, 1, 4).await;
    paint(&ada, 1, 4).await;
    server.execute("update agent set chat_credits = 2 where name = 'Ada'").await;
    assert!(check_differences(&server).await.contains("credits: chat_credits of agent_"));
    // As at the introduction of the rule: everything so far was placed under the older one.
    server.execute("update rule_start set after_seq = (select seq from log_head)").await;
    assert_eq!(check_differences(&server).await, "");
}

#[tokio::test]
async fn ignores_snapshot_without_painters() {
    let mut server = Server::start().await;
    let key = server.register_agent("Ada").await.key;
    paint(&server.client_with_key(&key), 1, 4).await;
    server.execute(INSERT_OLD_SNAPSHOT).await;
    server.restart().await;
    assert_eq!(paint(&server.client_with_key(&key), 1, 4).await, 1);
}

#[tokio::test]
async fn replaces_snapshot_without_painters() {
    let server = Server::start().await;
    paint(&server.register_agent("Ada").await, 1, 4).await;
    server.execute(INSERT_OLD_SNAPSHOT).await;
    // A large offset, so that there is something to snapshot.
    server.running().state.log.store_replay_snapshot(Seq(-1_000_000)).await.unwrap();
    let query = "select painters is not null and painters_seq = seq from fold";
    assert!(server.fetch_scalar::<bool>(query).await, "it has painters");
}
