//! The limits of searches: how many run at a time, and for how long.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;

use super::{find, path, say, texts};
use crate::moderation::FREE_SETTINGS;
use crate::support::{EventStream, Reply, Server, WAIT_LIMIT};

/// Waits until this number of searches waits for a lock.
async fn wait_for_blocked_searches(server: &Server, count: i64) {
    let waiting = "select count(*) from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%search_score%'";
    let blocked = async {
        while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&server.pool).await.unwrap() < count {
            tokio::task::yield_now().await;
        }
    };
    timeout(WAIT_LIMIT, blocked).await.expect("the searches do not wait");
}

#[tokio::test]
async fn slow_searches_end_and_block_only_searches() {
    let mut server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let seq = say(&ada, "a slow tower").await["seq"].as_i64().unwrap();
    // Afterwards no event is in memory, so that a stream has to read them from the database.
    server.restart().await;
    let mut lock = server.pool.begin().await.unwrap();
    sqlx::query("lock table shadow_message").execute(&mut *lock).await.unwrap();
    let search = path("tower", "");
    let search_from =
        |address: &str| Reply::fetch(server.get_request(&search).header("X-Forwarded-For", address));
    let use_others = async {
        wait_for_blocked_searches(&server, 2).await;
        let (own, other) = tokio::join!(search_from("192.0.2.1"), search_from("192.0.2.3"));
        own.assert_refused(429, "too_many_requests");
        other.assert_refused(503, "overloaded");
        for refused in [own, other] {
            assert!(refused.header("retry-after").parse::<u32>().unwrap() >= 1);
        }
        assert_eq!(server.get(&path("!?", "")).await.status, 200, "a search for nothing needs no database");
        let mut stream = EventStream::open(server.get_request("/api/events?since=0")).await;
        assert_eq!(stream.read_seqs_up_to(seq).await.last(), Some(&seq));
    };
    let (first, second, ()) = tokio::join!(search_from("192.0.2.1"), search_from("192.0.2.2"), use_others);
    for slow in [first, second] {
        slow.assert_refused(503, "overloaded");
        assert!(slow.body["hint"].as_str().unwrap().starts_with("Narrow the search"), "{}", slow.body);
    }
    lock.rollback().await.unwrap();
    assert_eq!(texts(&find(&server, "tower", "").await), ["a slow tower"]);
}

#[tokio::test]
async fn an_address_with_many_searches_leaves_half_of_the_places_to_others() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    say(&ada, "a slow tower").await;
    let mut lock = server.pool.begin().await.unwrap();
    sqlx::query("lock table shadow_message").execute(&mut *lock).await.unwrap();
    let search = path("tower", "");
    let search_from =
        |address: &str| Reply::fetch(server.get_request(&search).header("X-Forwarded-For", address));
    let flood = join_all((0..80).map(|_| search_from("192.0.2.1")));
    let other = async {
        wait_for_blocked_searches(&server, 1).await;
        let blocked = search_from("192.0.2.2");
        let unlock = async {
            wait_for_blocked_searches(&server, 2).await;
            lock.rollback().await.unwrap();
        };
        tokio::join!(blocked, unlock).0
    };
    let (flood, other) = tokio::join!(flood, other);
    assert_eq!(other.status, 200, "{}", other.body);
    let refused: Vec<_> = flood.iter().filter(|reply| reply.status == 429).collect();
    assert!(refused.len() >= 80 - 33, "one is worked on, and 32 wait: {} were refused", refused.len());
    for reply in refused {
        reply.assert_refused(429, "too_many_requests");
    }
}

#[tokio::test]
async fn work_of_searches_counts_against_the_allowance_of_the_caller() {
    let settings = [
        ("CARAPLACE_REQUESTS_PER_MINUTE", "100"),
        ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
        ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ];
    let server = Server::start_with(&settings).await;
    let ada = server.register_agent("Ada").await;
    say(&ada, "a slow tower").await;
    let mut lock = server.pool.begin().await.unwrap();
    sqlx::query("lock table shadow_message").execute(&mut *lock).await.unwrap();
    // The longest search is worth 59 requests, of which a quarter of the allowance is taken.
    for _ in 0..4 {
        ada.get(&path("tower", "")).await.assert_refused(503, "overloaded");
    }
    lock.rollback().await.unwrap();
    let refused = ada.get(&path("tower", "")).await;
    refused.assert_refused(429, "too_many_requests");
    assert!(refused.header("retry-after").parse::<u32>().unwrap() >= 1);
    let stranger = server.get(&path("tower", "")).await;
    assert_eq!(texts(&super::results(&stranger)), ["a slow tower"], "only the caller pays");
}
