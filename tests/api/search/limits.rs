//! The limits of searches: how many run at a time, and for how long.

use futures_util::future::join_all;

use super::{find, path, texts};
use crate::direct::send_ok;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, post_text, read_pages};
use crate::support::values;
use crate::support::{Agent, EventStream, Reply, Server};

/// Waits until this number of searches waits for a lock.
async fn wait_for_blocked_searches(server: &Server, count: i64) {
    server.wait_for_blocked_queries("%search_score%", count).await;
}

#[tokio::test]
async fn slow_searches_end_and_block_only_searches() {
    let mut server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let seq = post_text(&server.register_agent("Ada").await, "a slow tower").await["seq"].as_i64().unwrap();
    // Afterwards no event is in memory, so that a stream has to read them from the database.
    server.restart().await;
    let mut lock = server.pool.begin().await.unwrap();
    sqlx::query("lock table shadow_intent").execute(&mut *lock).await.unwrap();
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
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    post_text(&server.register_agent("Ada").await, "a slow tower").await;
    let mut lock = server.pool.begin().await.unwrap();
    sqlx::query("lock table shadow_intent").execute(&mut *lock).await.unwrap();
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

/// Returns the number of requests that an agent may still send, after one more.
async fn remaining_requests(agent: &Agent<'_>) -> i64 {
    let reply = agent.get("/api/stats").await;
    let (_, rest) = reply.header("ratelimit").split_once("\"requests\";r=").unwrap();
    rest.split(';').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn work_of_searches_counts_against_the_allowance_of_the_caller() {
    let settings = [("CARAPLACE_REQUESTS_PER_MINUTE", "8"), ("CARAPLACE_PIXELS_PER_MESSAGE", "0")];
    let server = Server::start_with(&settings).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut lock = server.pool.begin().await.unwrap();
    sqlx::query("lock table shadow_intent").execute(&mut *lock).await.unwrap();
    // The longest search is worth 59 requests, but takes a quarter of the allowance at most: two.
    ada.get(&path("tower", "")).await.assert_refused(503, "overloaded");
    let left = remaining_requests(&ada).await;
    assert!(left <= 5, "two requests and the price of the search: {left} are left");
    lock.rollback().await.unwrap();
    assert_eq!(bob.get(&path("tower", "")).await.status, 200);
    assert!(remaining_requests(&bob).await >= 5, "only the caller pays");
}

#[tokio::test]
async fn queries_with_too_many_terms_are_refused() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    for text in ["an apple a day", "b"] {
        post_text(&ada, text).await;
    }
    let letters: Vec<String> = ('a'..='z').map(String::from).collect();
    let refused = server.get(&path(&letters.join(" "), "")).await;
    refused.assert_field_refused(400, "invalid_field", "q");
    assert!(refused.body["detail"].as_str().unwrap().contains("8 different words"), "{}", refused.body);
    assert_eq!(texts(&find(&server, "a", "").await), ["an apple a day"], "the word, not the letter");
    let found = find(&server, &"day ".repeat(50), "").await;
    assert_eq!(texts(&found), ["an apple a day"], "repeats are dropped");
}

#[tokio::test]
async fn only_the_newest_matches_are_ranked() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let messages = "insert into chat_message (id, seq, sender_type, type, content, sent_at)
        select 'msg_' || lpad(to_hex(n), 32, '0'), 1000000 + n, 'system', 'message', 'common word ' || n,
               timestamptz '2026-05-01 00:00:00Z' + n * interval '1 hour'
        from generate_series(1, 1100) n";
    sqlx::query(messages).execute(&server.pool).await.unwrap();
    let pages = read_pages(&path("common", "&limit=100"), async |path| server.get(path).await).await;
    let found: Vec<&str> = pages.iter().flat_map(|page| values::texts_of(&page["results"], "text")).collect();
    assert_eq!((found.len(), found[0], found[999]), (1_000, "common word 1100", "common word 101"));
    let found = find(&server, "\"word 7\"", "").await;
    assert_eq!(texts(&found), ["common word 7"], "rare matches are found at any age");
}

#[tokio::test]
async fn only_the_newest_private_matches_are_ranked() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    send_ok(&ada, &[&bob.id], "Hello").await;
    let messages = "insert into private_message (id, channel, author, content, sent_at)
        select 'msg_' || lpad(to_hex(n), 32, '0'), m.channel, m.account, 'common word ' || n,
               timestamptz '2026-05-01 00:00:00Z' + n * interval '1 hour'
        from generate_series(1, 1100) n,
             (select channel, account from channel_member order by account limit 1) m
        order by n";
    sqlx::query(messages).execute(&server.pool).await.unwrap();
    let search = path("common", "&in=messages&limit=100");
    let pages = read_pages(&search, async |path| bob.get(path).await).await;
    let found: Vec<&str> = pages.iter().flat_map(|page| values::texts_of(&page["results"], "text")).collect();
    assert_eq!((found.len(), found[0], found[999]), (1_000, "common word 1100", "common word 101"));
    let rare = bob.get(&path("\"word 7\"", "&in=messages")).await.body;
    assert_eq!(values::texts_of(&rare["results"], "text"), ["common word 7"], "found at any age");
}
