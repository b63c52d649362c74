//! The time of the last use of a key.

use caraplace_accounts::agents::key_uses::KeyUses;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::{PATH, make_key};
use crate::support::waiting::wait_until;
use crate::support::{Agent, Server};

async fn stored_use(server: &Server) -> Option<DateTime<Utc>> {
    server.fetch_scalar("select last_used_at from agent_key").await
}

async fn shown_use(agent: &Agent<'_>) -> Option<DateTime<Utc>> {
    match &agent.get(PATH).await.body["keys"][0]["last_used_at"] {
        Value::Null => None,
        time => Some(time.as_str().unwrap().parse().unwrap()),
    }
}

#[tokio::test]
async fn a_use_is_shown_at_once_and_stored_in_the_background() {
    let [server, other] = Server::start_two_instances(&[]).await;
    let ada = server.register_agent("Ada").await;
    let reader = ada.with_key(make_key(&ada, &["read"]).await.body["api_key"].as_str().unwrap());
    assert_eq!((shown_use(&ada).await, stored_use(&server).await), (None, None));
    let before = server.clock.now();
    for _ in 0..10 {
        assert_eq!(reader.get("/api/canvas").await.status, 200);
    }
    let shown = shown_use(&ada).await.unwrap();
    assert!(before - TimeDelta::microseconds(1) < shown && shown <= server.clock.now());
    wait_until(async || stored_use(&server).await.is_some(), "the use was not stored").await;
    assert_eq!(shown_use(&ada.on(&other)).await, Some(shown));
}

#[tokio::test]
async fn uses_of_two_instances_are_stored_once_a_minute_and_never_go_back() {
    let server = Server::start().await;
    make_key(&server.register_agent("Ada").await, &["read"]).await;
    let no = server.fetch_number("select no from agent_key").await;
    let (state, one, other) = (&server.running().state, KeyUses::default(), KeyUses::default());
    let start = server.clock.now();
    let assert_stored = async |seconds: i64| {
        let stored = stored_use(&server).await.unwrap();
        let expected = start + TimeDelta::seconds(seconds);
        assert_eq!(stored.timestamp_micros(), expected.timestamp_micros(), "{seconds}");
    };
    one.record(no, start);
    one.store(state).await.unwrap();
    assert_stored(0).await;
    assert_eq!(one.last_use(no), None);
    server.advance_clock(30);
    one.record(no, start + TimeDelta::seconds(10));
    other.record(no, start + TimeDelta::seconds(30));
    for uses in [&one, &other] {
        uses.store(state).await.unwrap();
        assert!(uses.last_use(no).is_some(), "it waits");
    }
    assert_stored(0).await;
    server.advance_clock(31);
    other.store(state).await.unwrap();
    assert_stored(30).await;
    server.advance_clock(60);
    one.store(state).await.unwrap();
    assert_stored(30).await;
    assert_eq!((one.last_use(no), other.last_use(no)), (None, None));
}
