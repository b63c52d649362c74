//! `/readyz`: the server's ability to read and to write.

use serde_json::{Value, json};
use sqlx::Postgres;
use sqlx::pool::PoolConnection;

use crate::support::waiting::wait_for_value;
use crate::support::{Process, Reply, Server, WAIT_LIMIT};

const READYZ_WRITE_PATH: &str = "/readyz?write=true";

async fn fetch_readyz(server: &Server) -> Reply {
    let reply = server.get("/readyz").await;
    assert_eq!(reply.status, 200, "reading works: {}", reply.body);
    reply
}

/// Returns the response of a server that can read but not write, for this reason.
fn unwritable_body(reason: &str) -> Value {
    json!({"status": "ready", "ready": true, "writable": false, "reason": reason})
}

/// Asserts a refusal for this reason.
#[track_caller]
fn assert_unavailable(refused: &Reply, reason: &str) {
    refused.assert_refused(503, "database_unavailable");
    assert_eq!(refused.body["reason"], reason);
}

/// Returns the first refusal of a check for writes. For two seconds after a write there is none.
async fn wait_until_unwritable(server: &Server) -> Reply {
    let is_refused = |reply: &Reply| reply.status != 200;
    wait_for_value(async || server.get(READYZ_WRITE_PATH).await, is_refused, "it stays writable").await
}

#[tokio::test]
async fn an_idle_server_is_writable() {
    let server = Server::start().await;
    for path in ["/readyz", "/readyz?write=false", READYZ_WRITE_PATH] {
        let body = server.get(path).await.assert_status(200);
        assert_eq!(body, json!({"status": "ready", "ready": true, "writable": true}));
    }
    server.get("/readyz?write=perhaps").await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn a_draining_server_serves_on_and_ends_each_connection_with_its_next_response() {
    let server = Server::start().await;
    assert_eq!(server.get("/api/stats").await.header("connection"), "", "connections stay open");
    server.running().start_draining();
    for path in ["/readyz", READYZ_WRITE_PATH] {
        server.get(path).await.assert_refused(503, "stopping");
    }
    let painted = server.register_agent("Ada").await.paint(1, 1, 2).await;
    assert_eq!((painted.status, painted.header("connection")), (201, "close"), "{}", painted.body);
    assert_eq!(server.get("/healthz").await.status, 200, "the process is healthy until it ends");
}

#[tokio::test]
async fn locked_head_is_reported_after_two_seconds() {
    let server = Server::start().await;
    assert_eq!(server.get(READYZ_WRITE_PATH).await.status, 200);
    let head_lock = server.lock_head().await;
    assert_eq!(fetch_readyz(&server).await.body["writable"], true, "the lock is too recent");

    assert_unavailable(&wait_until_unwritable(&server).await, "head_locked");
    assert_eq!(fetch_readyz(&server).await.body, unwritable_body("head_locked"));
    assert_eq!(server.get("/api/canvas").await.status, 200);

    head_lock.release().await;
    let reply = server.get(READYZ_WRITE_PATH).await;
    assert_eq!((reply.status, &reply.body["writable"]), (200, &json!(true)), "{}", reply.body);
}

#[tokio::test]
async fn blocked_writer_and_full_queue_are_reported() {
    let server = Server::start().await;
    let head_lock = server.fill_writer_queue(&server.register_agent("Ada").await).await;
    let refused = wait_until_unwritable(&server).await;
    assert_eq!(refused.status, 503);
    let reason = refused.body["reason"].as_str().unwrap();
    assert!(["head_locked", "queue_full"].contains(&reason), "{}", refused.body);
    assert_eq!(fetch_readyz(&server).await.body["writable"], false);
    head_lock.release().await;
}

#[tokio::test]
async fn read_only_database_is_reported() {
    let server = Server::start().await;
    let database: String = server.fetch_scalar("select current_database()::text").await;
    server.execute(&format!("alter database \"{database}\" set default_transaction_read_only = on")).await;
    // The setting applies to new sessions.
    server.start_outage().await.end().await;
    let read_only_reply = async {
        loop {
            let reply = server.get(READYZ_WRITE_PATH).await;
            if reply.body["reason"] == "read_only" {
                return reply;
            }
        }
    };
    let reply = tokio::time::timeout(WAIT_LIMIT, read_only_reply).await.unwrap();
    reply.assert_refused(503, "database_unavailable");
    assert_eq!(fetch_readyz(&server).await.body["reason"], "read_only");
}

#[tokio::test]
async fn a_server_that_cannot_read_is_not_ready() {
    let server = Server::start().await;
    let outage = server.start_outage().await;
    for path in ["/readyz", READYZ_WRITE_PATH] {
        let refused = server.get(path).await;
        assert_unavailable(&refused, "no_answer");
        assert_eq!(refused.body["hint"], "Check again after Retry-After.");
    }
    outage.end().await;
}

#[tokio::test]
async fn a_server_that_may_serve_from_memory_is_ready_without_its_database() {
    let server = Server::start_with(&[("CARAPLACE_READY_WITHOUT_DATABASE", "true")]).await;
    let outage = server.start_outage().await;
    assert_eq!(fetch_readyz(&server).await.body, unwritable_body("no_answer"));
    server.get(READYZ_WRITE_PATH).await.assert_refused(503, "database_unavailable");
    assert_eq!(server.get("/api/canvas").await.status, 200);
    outage.end().await;
}

#[tokio::test]
async fn a_server_that_can_lock_but_not_store_is_not_writable() {
    let server = Server::start().await;
    assert_eq!(server.get(READYZ_WRITE_PATH).await.status, 200);
    // The probe fails as PostgreSQL does on a full disk.
    let fail = "create or replace function probe_write(name text) returns boolean language plpgsql as $$
        begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$";
    server.execute(fail).await;
    assert_unavailable(&wait_until_unwritable(&server).await, "disk_full");
    assert!(server.get("/metrics").await.text().contains("\ncaraplace_writable 0\n"));
}

#[tokio::test]
async fn a_failed_batch_is_reported_although_probes_succeed() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(server.get(READYZ_WRITE_PATH).await.status, 200);
    let fail = "create function fail() returns trigger language plpgsql as $$
            begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
        create trigger full_disk before insert on placement execute function fail()";
    server.execute(fail).await;
    ada.paint(1, 1, 1).await.assert_refused(503, "database_unavailable");
    assert_unavailable(&server.get(READYZ_WRITE_PATH).await, "disk_full");
    server.execute("drop trigger full_disk on placement").await;
    assert_eq!(ada.paint(1, 1, 1).await.status, 201);
    assert_eq!(server.get(READYZ_WRITE_PATH).await.status, 200);
}

type HeldConnections = Vec<PoolConnection<Postgres>>;

/// Takes the connections of the server that are idle or not open yet.
async fn hold_connections(server: &Server, held: &mut HeldConnections) {
    let pool = &server.running().state.pool;
    while pool.size() < pool.options().get_max_connections() || pool.num_idle() > 0 {
        held.extend(pool.acquire().await.ok());
    }
}

#[tokio::test]
async fn a_database_that_neither_answers_nor_stores_is_not_taken_for_busy() {
    let server = Server::start().await;
    assert_eq!(fetch_readyz(&server).await.body["writable"], true);
    let hang = "create or replace function probe_write(name text) returns boolean language plpgsql as $$
        begin perform pg_sleep(3600); return true; end $$";
    server.execute(hang).await;
    let mut held = Vec::new();
    let refused = async {
        loop {
            hold_connections(&server, &mut held).await;
            let reply = server.get("/readyz").await;
            if reply.status != 200 {
                return reply;
            }
        }
    };
    let refused = tokio::time::timeout(WAIT_LIMIT, refused).await.expect("the server stays ready");
    assert_unavailable(&refused, "no_answer");
}

#[tokio::test]
async fn a_busy_database_is_an_overload_and_no_outage() {
    let server = Server::start().await;
    let mut held = Vec::new();
    // The second refusal comes after the follower has waited in vain, too.
    for _ in 0..2 {
        let refused = loop {
            hold_connections(&server, &mut held).await;
            let reply = server.get("/api/pixels/recent").await;
            if reply.status != 200 {
                break reply;
            }
        };
        refused.assert_refused(503, "overloaded");
        assert!(refused.headers.contains_key("retry-after"));
    }
    assert_eq!(fetch_readyz(&server).await.body["ready"], true);
    drop(held);
}

/// Posts a message as a new agent with this name. Returns the text as it was stored.
async fn post_text(process: &Process, name: &str, content: &str) -> String {
    let key = process.register_agent(name).await;
    let posted = process.post_with_key(&key, "/api/chat", json!({"content": content})).await;
    posted.assert_status(201)["message"]["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn ready_server_finds_secrets_in_its_first_messages() {
    let process = Process::start().await;
    for (name, secret) in [
        ("Ada", "ghp_q8Zr4TnW1xYv7LbK9mCdQ2sHf5GjP0uA6iEo"),
        ("Ben", "AKIAQ4RTNW7XYV3LBK5M"),
        ("Cleo", "-----BEGIN RSA PRIVATE KEY----- MIIEpA0BMIIEpA0BMIIEpA0BMIIEpA0BMIIEpA0BxY/+9xY/+9xY/+9"),
    ] {
        let stored = post_text(&process, name, &format!("mine is {secret} ok")).await;
        assert!(stored.starts_with("mine is [redacted]") && !stored.contains(&secret[..12]), "{stored}");
    }
}
