//! A long log that is written directly into the database.

use chrono::{DateTime, Utc};
use sqlx::{Postgres, Transaction};

use super::Server;

/// Settings with a small canvas, many charges and free messages, behind a trusted proxy.
pub const SMALL_CANVAS_SETTINGS: [(&str, &str); 7] = [
    ("CARAPLACE_CANVAS_WIDTH", "9"),
    ("CARAPLACE_CANVAS_HEIGHT", "9"),
    ("CARAPLACE_MAX_CHARGES", "256"),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
];

/// A placement with its number, its row-major index, its colour and its time.
pub struct TestPlacement {
    pub seq: i64,
    pub index: usize,
    pub color: u8,
    pub placed_at: DateTime<Utc>,
}

/// Starts a server with a small canvas on a log with this number of placements.
pub async fn start_with_placements(count: i64) -> (Server, Vec<TestPlacement>) {
    let mut server = Server::start_with(&SMALL_CANVAS_SETTINGS).await;
    let painted = insert_placements(&server, 9, count).await;
    // The server must reread the log, because the test has written to it directly.
    server.restart().await;
    (server, painted)
}

/// Adds placements of one agent to a log that ends with the season's start, on a canvas of `width` × `width`
/// pixels. They start an hour before the season by the server's clock; every three share a time.
pub async fn insert_placements(server: &Server, width: i64, count: i64) -> Vec<TestPlacement> {
    server.register_agent("Scribe").await;
    let mut transaction = server.pool.begin().await.unwrap();
    for statement in [
        "update season set opened_at = opened_at - interval '1 hour'",
        "update event set at = at - interval '1 hour'",
    ] {
        sqlx::query(statement).execute(&mut *transaction).await.unwrap();
    }
    let insert = "insert into placement (seq, x, y, color, agent, placed_at)
        select head.seq + n, abs(hashint8(n)) % $2, abs(hashint8(n + 1)) % $2, abs(hashint8(n + 2)) % 16, agent.no,
               season.opened_at + n / 3 * interval '3 hours' / $1
        from log_head head, season, agent, generate_series(1, $1) as n where agent.kind = 'agent'";
    sqlx::query(insert).bind(count).bind(width).execute(&mut *transaction).await.unwrap();
    let update = "update log_head set seq = p.seq, version = p.seq, at = p.at
        from (select max(seq) as seq, max(placed_at) as at from placement) p";
    sqlx::query(update).execute(&mut *transaction).await.unwrap();
    transaction.commit().await.unwrap();
    list_placements(server, width).await
}

/// Returns all placements of the log in order.
pub async fn list_placements(server: &Server, width: i64) -> Vec<TestPlacement> {
    let query = "select seq, (y::bigint * $1 + x), color, placed_at from placement order by seq";
    let rows: Vec<(i64, i64, i16, DateTime<Utc>)> =
        sqlx::query_as(query).bind(width).fetch_all(&server.pool).await.unwrap();
    let to_placement = |(seq, place, color, at): (i64, i64, i16, DateTime<Utc>)| TestPlacement {
        seq,
        index: place as usize,
        color: color as u8,
        placed_at: at,
    };
    rows.into_iter().map(to_placement).collect()
}

/// Replays placements up to an event on a blank canvas. Returns the colours pixel by pixel.
pub fn replay(placements: &[TestPlacement], area: usize, up_to: i64) -> Vec<u8> {
    let mut pixels = vec![0; area];
    for placement in placements.iter().take_while(|one| one.seq <= up_to) {
        pixels[placement.index] = placement.color;
    }
    pixels
}

/// Locks the snapshots, so that long replays wait, until it is dropped.
pub async fn lock_snapshots(server: &Server) -> Transaction<'static, Postgres> {
    let mut transaction = server.pool.begin().await.unwrap();
    sqlx::query("lock table snapshot in access exclusive mode").execute(&mut *transaction).await.unwrap();
    transaction
}

/// Waits until this number of reads is blocked.
pub async fn wait_for_blocked_reads(server: &Server, count: i64) {
    server.wait_for_blocked_queries("%placements, pixels from snapshot%", count).await;
}
