//! Guessed keys and sessions are limited, and do not affect valid ones from the same address.

use futures_util::stream::{self, StreamExt as _};
use platform::tokens::hash;
use serde_json::json;

use crate::support::{Reply, Server};

/// Sends wrong keys from an address until it is refused.
async fn guess_until_paused(server: &Server, address: &str, header: &str, wrong: impl Fn(u32) -> String) {
    let guesses = stream::iter(0..800).map(|number| {
        let request = server.get_request("/api/admin/session").header("X-Forwarded-For", address);
        Reply::fetch(request.header(header, wrong(number)))
    });
    let statuses: Vec<_> = guesses.buffer_unordered(20).map(|reply| reply.status).collect().await;
    assert!(statuses.contains(&503), "continued guessing is not limited: {statuses:?}");
}

#[tokio::test]
async fn wrong_keys_do_not_block_valid_keys_or_sessions() {
    let mut server = Server::start_with_console().await;
    let cookies = server.sign_in_operator().await.cookies;
    let key = server.create_operator_key("deploy").await;
    let ada = server.register_agent("Ada").await.key;
    // The restart clears all caches.
    server.restart().await;
    let mut operator = server.browser("192.0.2.77");
    operator.cookies = cookies;
    let with_key = async |path: &str, key: &str| {
        let request = server.get_request(path).header("X-Forwarded-For", "192.0.2.77");
        Reply::fetch(request.bearer_auth(key)).await.status
    };
    assert_eq!(with_key("/api/agents/me", &ada).await, 200);
    for prefix in ["ca_", "cp_"] {
        let wrong = |number: u32| format!("Bearer {prefix}{number:064x}");
        guess_until_paused(&server, "192.0.2.77", "Authorization", wrong).await;
        assert_eq!(operator.get("/api/admin/session").await.status, 200, "a session");
        assert_eq!(with_key("/api/admin/session", &key).await, 200, "an operator's key");
        assert_eq!(with_key("/api/canvas", &key).await, 200, "an operator's key");
        assert_eq!(with_key("/api/agents/me", &ada).await, 200, "an agent's known key");
    }
}

#[tokio::test]
async fn wrong_keys_do_not_block_keys_without_tags() {
    let mut server = Server::start_with_console().await;
    let key = format!("ca_{}", "5".repeat(64));
    let insert =
        "insert into operator_key (id, name, key_hash, created_at) values ('key_old', 'old', $1, now())";
    sqlx::query(insert).bind(&hash(&key)[..]).execute(&server.pool).await.unwrap();
    // A server of this version starts on the database of an earlier one.
    server.restart().await;
    let ask = async |address: &str| {
        let request = server.get_request("/api/admin/session").header("X-Forwarded-For", address);
        Reply::fetch(request.bearer_auth(&key)).await
    };
    for address in ["192.0.2.77", "192.0.2.78", "192.0.2.79"] {
        guess_until_paused(&server, address, "Authorization", |number| format!("Bearer ca_{number:064x}"))
            .await;
        assert_eq!(ask(address).await.body["operator"], "owner (key old)", "from {address}");
    }
    let operator = server.sign_in_operator().await;
    assert_eq!(operator.post("/api/admin/keys/key_old/revoke", json!({})).await.status, 200);
    ask("192.0.2.80").await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn guessed_sessions_are_limited_without_blocking_others() {
    let server = Server::start_with_console().await;
    let (operator, key) = (server.sign_in_operator().await, server.create_operator_key("deploy").await);
    guess_until_paused(&server, "192.0.2.77", "Cookie", |number| format!("caraplace-admin={number:064x}"))
        .await;
    assert_eq!(operator.get("/api/admin/session").await.status, 200);
    let ask = |key: &str| {
        let request = server.get_request("/api/admin/session").header("X-Forwarded-For", "192.0.2.77");
        Reply::fetch(request.bearer_auth(key))
    };
    assert_eq!(ask(&key).await.status, 200);
    ask(&format!("ca_{}", "0".repeat(64))).await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn key_or_session_over_its_limit_is_refused_without_a_query() {
    let mut server = Server::start_with_console().await;
    let (cookies, key) =
        (server.sign_in_operator().await.cookies, server.create_operator_key("deploy").await);
    let other = server.sign_in_operator().await.cookies;
    server.restart_with("CARAPLACE_REQUESTS_PER_MINUTE", "6").await;
    let ask = async |header: &str, secret: &str| {
        let request = server.get_request("/api/admin/session").header("X-Forwarded-For", "192.0.2.77");
        Reply::fetch(request.header(header, secret)).await
    };
    let bearer = format!("Bearer {key}");
    for (header, secret) in [("Cookie", cookies.as_str()), ("Authorization", &bearer)] {
        // The limit permits another request every ten seconds, so a slow run needs some more.
        let mut statuses = Vec::new();
        while statuses.last() != Some(&429) && statuses.len() < 60 {
            statuses.push(ask(header, secret).await.status);
        }
        assert_eq!((statuses[0], statuses.last()), (200, Some(&429)), "{header}: {statuses:?}");
        let mut transaction = server.pool.begin().await.unwrap();
        let lock = "lock table operator_session, operator_key in access exclusive mode";
        sqlx::query(lock).execute(&mut *transaction).await.unwrap();
        ask(header, secret).await.assert_refused(429, "too_many_requests");
    }
    assert_eq!(ask("Cookie", &other).await.status, 200, "each address is counted separately");
}

#[tokio::test]
async fn ended_session_is_limited_separately() {
    let server = Server::start_with_console().await;
    let (operator, ended) = (server.sign_in_operator().await, server.sign_in_operator().await);
    assert_eq!(ended.submit("/admin/sign-out", &[]).await.status, 303);
    guess_until_paused(&server, "192.0.2.77", "Cookie", |_| ended.cookies.clone()).await;
    assert_eq!(operator.get("/api/admin/session").await.status, 200);
}
