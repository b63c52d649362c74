//! Jumps of the database's clock: what they do to times and charges.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use tokio::time::timeout;

use crate::support::{Agent, Server};

const HOUR: i64 = 3_600;
/// The time after which a state that is waited for counts as missing.
const WAIT_LIMIT: Duration = Duration::from_secs(30);

/// Returns the time that the machine's clock shows.
fn machine_time(server: &Server) -> DateTime<Utc> {
    server.clock.of_another_process().now()
}

/// Paints a pixel, as soon as there is a charge, and returns the time of its event.
async fn paint(server: &Server, agent: &Agent<'_>, x: i64) -> DateTime<Utc> {
    let painted = async { while agent.paint(x, 1, 1).await.status != 201 {} };
    timeout(WAIT_LIMIT, painted).await.expect("the agent is locked out");
    sqlx::query_scalar("select at from log_head").fetch_one(&server.pool).await.unwrap()
}

/// Spends all charges.
async fn charge_and_count(server: &Server, agent: &Agent<'_>) {
    for x in 0..10 {
        paint(server, agent, x).await;
    }
    agent.paint(11, 1, 1).await.assert_refused(429, "no_charges");
}

/// Checks that a time is at most a few minutes away from the expected one.
fn assert_close(time: DateTime<Utc>, expected: DateTime<Utc>) {
    assert!((time - expected).abs() < TimeDelta::minutes(5), "{time} is not about {expected}");
}

/// Returns what `/readyz` tells about the clock, as soon as it tells something, or nothing.
async fn wait_for_clock(server: &Server, is_told: bool) -> Value {
    let told = async {
        loop {
            let clock = server.get("/readyz").await.body["clock"].clone();
            if clock.is_object() == is_told {
                return clock;
            }
        }
    };
    timeout(WAIT_LIMIT, told).await.expect("the clock is not as expected")
}

/// Waits until a lead is stored for the next start, or none.
async fn wait_for_stored_lead(server: &Server, is_stored: bool) {
    let count = "select count(*) from clock_lead";
    let stored = async {
        while sqlx::query_scalar::<_, i64>(count).fetch_one(&server.pool).await.unwrap()
            != i64::from(is_stored)
        {
            tokio::task::yield_now().await;
        }
    };
    timeout(WAIT_LIMIT, stored).await.expect("the lead is not stored");
}

#[tokio::test]
async fn a_clock_that_is_set_forward_is_not_followed_until_it_is_corrected() {
    let mut server = Server::start().await;
    let start = machine_time(&server);
    let (id, key) = {
        let ada = server.register_agent("Ada").await;
        paint(&server, &ada, 1).await;
        server.set_system_clocks(HOUR);
        let clock = wait_for_clock(&server, true).await;
        assert_eq!(clock["followed"], false);
        assert!((HOUR - 2..=HOUR).contains(&clock["jumped_seconds"].as_i64().unwrap()), "{clock}");
        assert_close(paint(&server, &ada, 2).await, start);
        assert_close(serde_json::from_value(ada.me().await["next_charge_at"].clone()).unwrap(), start);
        (ada.id.clone(), ada.key.clone())
    };
    let metrics = server.get_request("/metrics").send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("\ncaraplace_clock_jumps_total{direction=\"forward\"} 1\n"));

    wait_for_stored_lead(&server, true).await;
    server.restart_process(0).await;
    let ada = Agent { server: &server, id, key };
    assert_close(paint(&server, &ada, 3).await, start);
    assert_eq!(wait_for_clock(&server, true).await["followed"], false);

    server.set_system_clocks(-HOUR);
    wait_for_clock(&server, false).await;
    assert_close(paint(&server, &ada, 4).await, start);
    wait_for_stored_lead(&server, false).await;
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn a_jump_before_the_start_does_not_outlive_its_correction() {
    let mut server = Server::start().await;
    let start = machine_time(&server);
    server.restart_process(HOUR).await;
    let (id, key) = {
        let ada = server.register_agent("Ada").await;
        charge_and_count(&server, &ada).await;
        (ada.id.clone(), ada.key.clone())
    };
    server.restart_process(-HOUR).await;
    let ada = Agent { server: &server, id, key };
    for x in 12..14 {
        assert_close(paint(&server, &ada, x).await, start);
    }
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn a_clock_that_is_set_back_while_serving_is_followed() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    charge_and_count(&server, &ada).await;
    let start = machine_time(&server);
    server.set_system_clocks(-HOUR);
    let clock = wait_for_clock(&server, true).await;
    assert_eq!(clock["followed"], true);
    assert!((-HOUR..2 - HOUR).contains(&clock["jumped_seconds"].as_i64().unwrap()), "{clock}");
    for x in 12..14 {
        assert_close(paint(&server, &ada, x).await, start - TimeDelta::hours(1));
    }
    server.assert_log_is_sound().await;
}
