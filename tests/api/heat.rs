//! `/api/canvas/heat`: each view equals the log folded plainly, on every instance and after a restart.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use sqlx::{PgPool, Row as _};

use crate::support::{Agent, Server};

const SMALL: [(&str, &str); 5] = [
    ("CARAPLACE_CANVAS_WIDTH", "8"),
    ("CARAPLACE_CANVAS_HEIGHT", "9"),
    ("CARAPLACE_MAX_CHARGES", "300"),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    // What the system says changes the digest while this clock jumps.
    ("CARAPLACE_SYSTEM_MESSAGES", "false"),
];
const AREA: usize = 8 * 9;

/// What the log says of one pixel: its newest painter, when that was, and how many there were.
#[derive(Clone, Default)]
struct Told {
    painter: Option<String>,
    painted_at: i64,
    strokes: i64,
}

async fn folded(pool: &PgPool) -> Vec<Told> {
    let mut told = vec![Told::default(); AREA];
    let rows = sqlx::query(
        "select x, y, a.id, floor(extract(epoch from placed_at))::bigint as at
         from placement p join agent a on a.no = p.agent order by seq",
    );
    for row in rows.fetch_all(pool).await.unwrap() {
        let place = row.get::<i16, _>("y") as usize * 8 + row.get::<i16, _>("x") as usize;
        let strokes = told[place].strokes + 1;
        told[place] = Told { painter: Some(row.get("id")), painted_at: row.get("at"), strokes };
    }
    told
}

fn values(heat: &Value) -> Vec<i64> {
    heat["values"].as_array().unwrap().iter().map(|value| value.as_i64().unwrap()).collect()
}

/// Asks until the newest stroke shows: a crowd may be shown what was there a second ago.
async fn view(server: &Server, by: &str) -> Value {
    let newest: i64 =
        sqlx::query_scalar("select version from log_head").fetch_one(&server.pool).await.unwrap();
    loop {
        let reply = server.get(&format!("/api/canvas/heat?by={by}")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert_eq!(reply.header("x-canvas-version"), reply.body["version"].to_string());
        if reply.body["version"] == newest {
            return reply.body;
        }
    }
}

async fn assert_folded(server: &Server) {
    let told = folded(&server.pool).await;
    let contested = view(server, "contested").await;
    assert_eq!((&contested["width"], &contested["height"]), (&json!(8), &json!(9)));
    assert_eq!(values(&contested), told.iter().map(|told| told.strokes).collect::<Vec<_>>());
    let age = view(server, "age").await;
    let now = chrono::DateTime::parse_from_rfc3339(age["now"].as_str().unwrap()).unwrap().timestamp();
    let ages = told.iter().map(|told| if told.strokes == 0 { -1 } else { (now - told.painted_at).max(0) });
    assert_eq!(values(&age), ages.collect::<Vec<_>>());
    assert_painters(&view(server, "painter").await, &told);
}

fn assert_painters(heat: &Value, told: &[Told]) {
    let agents = heat["agents"].as_array().unwrap();
    let painter =
        |place: i64| (place > 0).then(|| agents[place as usize - 1]["id"].as_str().unwrap().to_owned());
    let shown: Vec<_> = values(heat).into_iter().map(painter).collect();
    assert_eq!(shown, told.iter().map(|told| told.painter.clone()).collect::<Vec<_>>());
    let mut held: BTreeMap<&str, i64> = BTreeMap::new();
    told.iter().filter_map(|told| told.painter.as_deref()).for_each(|id| *held.entry(id).or_default() += 1);
    let listed: Vec<_> = agents
        .iter()
        .map(|agent| (agent["id"].as_str().unwrap(), agent["pixels"].as_i64().unwrap()))
        .collect();
    assert!(listed.is_sorted_by_key(|(_, pixels)| -pixels), "{listed:?}");
    assert_eq!(listed.into_iter().collect::<BTreeMap<_, _>>(), held);
}

async fn paint(agent: &Agent<'_>, spots: &[(i64, i64)]) {
    let pixels: Vec<_> = spots.iter().map(|(x, y)| json!({"x": x, "y": y, "color": 5})).collect();
    let body = json!({"pixels": pixels, "chat_digest": agent.server.digest().await});
    let reply = agent.post("/api/pixels", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
}

fn drawn<T>(strategy: impl Strategy<Value = T>, runner: &mut TestRunner) -> T {
    strategy.new_tree(runner).unwrap().current()
}

#[tokio::test]
async fn heatmaps_match_the_log_on_both_instances_and_after_a_restart() {
    let mut server = Server::with(&SMALL).await;
    let mut runner = TestRunner::default();
    let keys = [server.agent("Ada").await.key, server.agent("Bob").await.key, server.agent("Eve").await.key];
    assert_folded(&server).await;
    for round in 0..4 {
        let other = server.second(&SMALL).await;
        for number in 0..3 {
            let on = if number % 2 == 0 { &server } else { &other };
            let key = keys[drawn(0_usize..3, &mut runner)].clone();
            let spots = drawn(vec((0_i64..8, 0_i64..7), 1..60), &mut runner);
            paint(&Agent { server: on, id: String::new(), key }, &spots).await;
            server.wait(drawn(0_i64..5_000, &mut runner));
        }
        for instance in [&server, &other] {
            instance.running().state.log.refresh().await.unwrap();
            assert_folded(instance).await;
        }
        if round == 1 {
            keep(&server).await;
        }
        drop(other);
        server.restart().await;
        assert_folded(&server).await;
    }
}

/// Keeps what is counted as of now, by the plainest of ways, as a server does after a million events.
async fn keep(server: &Server) {
    let told = folded(&server.pool).await;
    let bytes = |number: fn(&Told) -> u32| {
        told.iter().flat_map(|told| number(told).to_be_bytes()).collect::<Vec<u8>>()
    };
    let mut painters = Vec::new();
    for told in &told {
        let no: Option<i64> = sqlx::query_scalar("select no from agent where id = $1")
            .bind(&told.painter)
            .fetch_optional(&server.pool)
            .await
            .unwrap();
        painters.extend((no.unwrap_or(0) as u32).to_be_bytes());
    }
    let kept =
        sqlx::query("insert into heat select season.seq, log_head.seq, $1, $2, $3 from season, log_head")
            .bind(painters)
            .bind(bytes(|told| told.painted_at as u32))
            .bind(bytes(|told| told.strokes as u32));
    assert_eq!(kept.execute(&server.pool).await.unwrap().rows_affected(), 1);
}

#[tokio::test]
async fn empty_canvas_has_a_value_for_every_pixel() {
    let server = Server::with(&SMALL).await;
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
    let server = Server::with(&SMALL).await;
    let ada = server.agent("Ada").await;
    for by in ["painter", "contested"] {
        let path = format!("/api/canvas/heat?by={by}");
        let tag = server.get(&path).await.header("etag").to_owned();
        let again = || server.get_request(&path).header("If-None-Match", &tag).send();
        assert_eq!(again().await.unwrap().status(), 304);
        server.wait(60);
        assert_eq!(again().await.unwrap().status(), 304, "nothing was painted");
        paint(&ada, &[(1, 1)]).await;
        assert_eq!(again().await.unwrap().status(), 200);
        let packed = server.get_request(&path).header("Accept-Encoding", "gzip").send().await.unwrap();
        assert_eq!(packed.headers()["content-encoding"], "gzip");
        assert_ne!(packed.headers()["etag"], server.get(&path).await.header("etag"));
    }
    let before = server.get("/api/canvas/heat?by=age").await;
    server.wait(60);
    let after = server.get("/api/canvas/heat?by=age").await;
    assert_ne!(before.header("etag"), after.header("etag"), "ages grow");
}

#[tokio::test]
async fn ages_are_rounded_to_five_seconds() {
    let server = Server::with(&SMALL).await;
    for _ in 0..5 {
        let age = server.get("/api/canvas/heat?by=age").await.body;
        let now = chrono::DateTime::parse_from_rfc3339(age["now"].as_str().unwrap()).unwrap();
        assert_eq!(now.timestamp() % 5, 0, "{now}");
        server.wait(1);
    }
}
