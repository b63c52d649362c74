//! `/api/canvas/heat`: each heatmap equals a plain replay of the log, on every instance and after a restart.

use std::collections::BTreeMap;

use proptest::collection::hash_set;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use sqlx::{PgPool, Row as _};

use crate::support::Server;
use crate::support::actions::paint;

const SMALL_CANVAS: [(&str, &str); 5] = [
    ("CARAPLACE_CANVAS_WIDTH", "8"),
    ("CARAPLACE_CANVAS_HEIGHT", "9"),
    ("CARAPLACE_MAX_CHARGES", "300"),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    // System messages would change the digest when this clock jumps.
    ("CARAPLACE_SYSTEM_MESSAGES", "false"),
];
const AREA: usize = 8 * 9;

/// The log's facts about one pixel: its newest painter, the time of that, and the number of painters.
#[derive(Clone, Default)]
struct ExpectedPixel {
    painter: Option<String>,
    painted_at: i64,
    placements: i64,
}

async fn expected_pixels(pool: &PgPool) -> Vec<ExpectedPixel> {
    let mut pixels = vec![ExpectedPixel::default(); AREA];
    let rows = sqlx::query(
        "select x, y, a.id, floor(extract(epoch from placed_at))::bigint as at
         from placement p join agent a on a.no = p.agent order by seq",
    );
    for row in rows.fetch_all(pool).await.unwrap() {
        let index = row.get::<i16, _>("y") as usize * 8 + row.get::<i16, _>("x") as usize;
        let placements = pixels[index].placements + 1;
        pixels[index] = ExpectedPixel { painter: Some(row.get("id")), painted_at: row.get("at"), placements };
    }
    pixels
}

fn values(heat: &Value) -> Vec<i64> {
    heat["values"].as_array().unwrap().iter().map(|value| value.as_i64().unwrap()).collect()
}

/// Loads a heatmap until it includes the newest placement. A cached one may be a second old.
async fn fetch_heatmap(server: &Server, by: &str) -> Value {
    let newest: i64 = server.fetch_scalar("select version from log_head").await;
    loop {
        let reply = server.get(&format!("/api/canvas/heat?by={by}")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert_eq!(reply.header("x-canvas-version"), reply.body["version"].to_string());
        if reply.body["version"] == newest {
            return reply.body;
        }
    }
}

async fn assert_matches_log(server: &Server) {
    let expected = expected_pixels(&server.pool).await;
    let contested = fetch_heatmap(server, "contested").await;
    assert_eq!((&contested["width"], &contested["height"]), (&json!(8), &json!(9)));
    assert_eq!(values(&contested), expected.iter().map(|pixel| pixel.placements).collect::<Vec<_>>());
    let age = fetch_heatmap(server, "age").await;
    let now = chrono::DateTime::parse_from_rfc3339(age["now"].as_str().unwrap()).unwrap().timestamp();
    let ages =
        expected.iter().map(|pixel| if pixel.placements == 0 { -1 } else { (now - pixel.painted_at).max(0) });
    assert_eq!(values(&age), ages.collect::<Vec<_>>());
    assert_painters(&fetch_heatmap(server, "painter").await, &expected);
}

fn assert_painters(heat: &Value, expected: &[ExpectedPixel]) {
    let agents = heat["agents"].as_array().unwrap();
    let painter =
        |place: i64| (place > 0).then(|| agents[place as usize - 1]["id"].as_str().unwrap().to_owned());
    let shown: Vec<_> = values(heat).into_iter().map(painter).collect();
    assert_eq!(shown, expected.iter().map(|pixel| pixel.painter.clone()).collect::<Vec<_>>());
    let mut pixel_counts: BTreeMap<&str, i64> = BTreeMap::new();
    let painters = expected.iter().filter_map(|pixel| pixel.painter.as_deref());
    painters.for_each(|id| *pixel_counts.entry(id).or_default() += 1);
    let listed = agents.iter().map(|it| (it["id"].as_str().unwrap(), it["pixels"].as_i64().unwrap()));
    let listed: Vec<_> = listed.collect();
    assert!(listed.is_sorted_by_key(|(_, pixels)| -pixels), "{listed:?}");
    assert_eq!(listed.into_iter().collect::<BTreeMap<_, _>>(), pixel_counts);
}

fn sample<T>(strategy: impl Strategy<Value = T>, runner: &mut TestRunner) -> T {
    strategy.new_tree(runner).unwrap().current()
}

#[tokio::test]
async fn heatmaps_match_the_log_on_both_instances_and_after_a_restart() {
    let mut server = Server::start_with(&SMALL_CANVAS).await;
    let mut runner = TestRunner::default();
    let keys = server.register_agents(["Ada", "Bob", "Eve"]).await.map(|agent| agent.key);
    assert_matches_log(&server).await;
    for round in 0..4 {
        let other = server.start_instance(&SMALL_CANVAS).await;
        for number in 0..3 {
            let on = if number % 2 == 0 { &server } else { &other };
            let agent = on.client_with_key(&keys[sample(0_usize..3, &mut runner)]);
            paint(&agent, sample(hash_set((0_i64..8, 0_i64..7), 1..40), &mut runner)).await;
            server.advance_clock(sample(0_i64..5_000, &mut runner));
        }
        for instance in [&server, &other] {
            instance.running().state.log.refresh().await.unwrap();
            assert_matches_log(instance).await;
        }
        if round == 1 {
            store_heatmap(&server).await;
        }
        drop(other);
        server.restart().await;
        assert_matches_log(&server).await;
    }
}

/// Stores the counts as of now by a plain query, as a server does after a million events.
async fn store_heatmap(server: &Server) {
    let expected = expected_pixels(&server.pool).await;
    let bytes = |number: fn(&ExpectedPixel) -> u32| {
        expected.iter().flat_map(|pixel| number(pixel).to_be_bytes()).collect::<Vec<u8>>()
    };
    let mut painters = Vec::new();
    for pixel in &expected {
        let query = sqlx::query_scalar("select no from agent where id = $1").bind(&pixel.painter);
        let no: Option<i64> = query.fetch_optional(&server.pool).await.unwrap();
        painters.extend((no.unwrap_or(0) as u32).to_be_bytes());
    }
    let insert = "insert into heat (season, seq, painters, painted_at, strokes, overpaints, overpaints_seq)
        select season.seq, log_head.seq, $1, $2, $3, '', log_head.seq from season, log_head";
    let insert = sqlx::query(insert)
        .bind(painters)
        .bind(bytes(|pixel| pixel.painted_at as u32))
        .bind(bytes(|pixel| pixel.placements as u32));
    assert_eq!(insert.execute(&server.pool).await.unwrap().rows_affected(), 1);
}

#[tokio::test]
async fn empty_canvas_has_a_value_for_every_pixel() {
    let server = Server::start_with(&SMALL_CANVAS).await;
    for (by, expected) in [("painter", 0), ("age", -1), ("contested", 0)] {
        let heat = server.get(&format!("/api/canvas/heat?by={by}")).await.body;
        assert_eq!((values(&heat), &heat["by"]), (vec![expected; AREA], &json!(by)));
    }
    assert_eq!(server.get("/api/canvas/heat").await.body["agents"], json!([]));
    server.get("/api/canvas/heat?by=mood").await.assert_refused(400, "invalid_field");
    server.get("/api/canvas/heat?by=age&by=age").await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn unchanged_heatmap_is_not_sent_again() {
    let server = Server::start_with(&SMALL_CANVAS).await;
    let ada = server.register_agent("Ada").await;
    for by in ["painter", "contested"] {
        let path = format!("/api/canvas/heat?by={by}");
        let tag = server.get(&path).await.header("etag").to_owned();
        let known = [("If-None-Match", tag.as_str())];
        assert_eq!(server.get_with_headers(&path, &known).await.status, 304);
        server.advance_clock(60);
        assert_eq!(server.get_with_headers(&path, &known).await.status, 304, "nothing was painted");
        paint(&ada, [(1, 1)]).await;
        assert_eq!(server.get_with_headers(&path, &known).await.status, 200);
        let packed = server.get_with_headers(&path, &[("Accept-Encoding", "gzip")]).await;
        assert_eq!(packed.header("content-encoding"), "gzip");
        assert_ne!(packed.header("etag"), server.get(&path).await.header("etag"));
    }
    let before = server.get("/api/canvas/heat?by=age").await;
    server.advance_clock(60);
    let after = server.get("/api/canvas/heat?by=age").await;
    assert_ne!(before.header("etag"), after.header("etag"), "ages grow");
}

#[tokio::test]
async fn ages_are_rounded_to_five_seconds() {
    let server = Server::start_with(&SMALL_CANVAS).await;
    for _ in 0..5 {
        let age = server.get("/api/canvas/heat?by=age").await.body;
        let now = chrono::DateTime::parse_from_rfc3339(age["now"].as_str().unwrap()).unwrap();
        assert_eq!(now.timestamp() % 5, 0, "{now}");
        server.advance_clock(1);
    }
}
