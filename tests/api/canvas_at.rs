//! `/api/canvas?at=`: the canvas at any time equals a replay of the log, by every way to compute it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use caraplace_canvas::history::{History, snapshots};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use platform::work_shares::WorkCaller;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rules::numbers::Seq;
use serde_json::json;

use crate::support::actions::{place, post_text};
use crate::support::log_fixture::{
    self, SMALL_CANVAS_SETTINGS, TestPlacement, list_placements, replay, start_with_placements,
};
use crate::support::values::fields_of;
use crate::support::{Agent, Reply, Server};

const AREA: usize = 81;
const IMMUTABLE_CACHE_CONTROL: &str = "public, max-age=31536000, immutable";

async fn fetch_canvas_at(server: &Server, at: impl ToString) -> Vec<u8> {
    let reply = server.get(&format!("/api/canvas.bin?at={}", at.to_string())).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.bytes
}

fn format_time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// An action of an agent.
#[derive(Clone, Debug)]
enum AgentAction {
    /// Paints these points in these colours.
    Paint(HashMap<(i64, i64), i64>),
    Post,
}

fn action_strategy() -> impl Strategy<Value = AgentAction> {
    let point = (0..9_i64, 0..9_i64);
    prop_oneof![3 => prop::collection::hash_map(point, 0..16_i64, 1..6).prop_map(AgentAction::Paint), 1 => Just(AgentAction::Post)]
}

async fn perform_action(agent: &Agent<'_>, number: usize, action: &AgentAction) {
    match action {
        AgentAction::Post => post_text(agent, &format!("number {number}")).await,
        AgentAction::Paint(pixels) => {
            let pixels: Vec<_> = pixels.iter().map(|((x, y), color)| (*x, *y, *color)).collect();
            place(agent, &pixels).await
        }
    };
}

#[test]
fn canvas_at_every_seq_matches_the_replayed_log() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = TestRunner::new(Config { cases: 6, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&prop::collection::vec(action_strategy(), 1..14), |actions| {
        runtime.block_on(async {
            let server = Server::start_with(&SMALL_CANVAS_SETTINGS).await;
            let agent = server.register_agent("Ada").await;
            for (number, action) in actions.iter().enumerate() {
                perform_action(&agent, number, action).await;
            }
            let painted = list_placements(&server, 9).await;
            for seq in 0..=server.head().await {
                assert_eq!(fetch_canvas_at(&server, seq).await, replay(&painted, AREA, seq), "at {seq}");
            }
        });
        Ok(())
    });
    outcome.unwrap();
}

#[tokio::test]
async fn every_format_is_immutable_at_a_seq() {
    let server = Server::start_with(&SMALL_CANVAS_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let first = agent.paint(3, 2, 11).await.body["pixel"].clone();
    let message = agent.post_message("between").await.body["message"].clone();
    agent.paint(3, 2, 5).await;
    let json = server.get(&format!("/api/canvas?at={}", message["seq"])).await;
    assert_eq!(json.body["at"], json!({"seq": message["seq"], "time": message["timestamp"]}));
    assert_eq!((&json.body["version"], &json.body["rows"][2]), (&first["seq"], &json!("000b00000")));
    assert_eq!(server.get("/api/canvas").await.body.get("at"), None);
    let path = |form: &str| format!("/api/canvas{form}at={}", message["seq"]);
    for (form, kind) in [
        ("?", "application/json"),
        (".bin?", "application/octet-stream"),
        (".png?", "image/png"),
        (".png?scale=3&", "image/png"),
    ] {
        let reply = server.get(&path(form)).await;
        let is = (reply.header("content-type"), reply.header("cache-control"));
        assert_eq!(is, (kind, IMMUTABLE_CACHE_CONTROL), "{form}");
        assert_eq!(reply.header("x-canvas-version"), first["seq"].to_string());
        let tag = reply.header("etag").to_owned();
        let again = server.get_request(&path(form)).header("if-none-match", &tag);
        assert_eq!((Reply::fetch(again).await.status, tag.starts_with('"')), (304, true), "{form}");
    }
    let packed = server.get_request(&path("?")).header("accept-encoding", "gzip");
    assert_eq!(Reply::fetch(packed).await.header("content-encoding"), "gzip");
}

#[tokio::test]
async fn seq_zero_is_blank_and_the_future_is_refused() {
    let server = Server::start_with(&SMALL_CANVAS_SETTINGS).await;
    server.register_agent("Ada").await.paint(0, 0, 7).await;
    let blank = server.get("/api/canvas?at=0").await.body;
    assert_eq!((&blank["version"], &blank["at"]["seq"]), (&json!(0), &json!(0)));
    assert!(blank["rows"].as_array().unwrap().iter().all(|row| row == "000000000"));
    assert_eq!(fetch_canvas_at(&server, "1999-12-31T23:59:59Z").await, vec![0; AREA]);
    let beyond = server.head().await + 1;
    let tomorrow = format_time(server.clock.now() + TimeDelta::days(1));
    for at in [beyond.to_string(), tomorrow, "99999999999999999999".into()] {
        for path in ["canvas", "canvas.bin", "canvas.png", "chat"] {
            server.get(&format!("/api/{path}?at={at}")).await.assert_refused(400, "invalid_field");
        }
    }
    for at in ["", "-1", "1.5", "now", "2026-01-31"] {
        server.get(&format!("/api/canvas?at={at}")).await.assert_refused(400, "invalid_field");
    }
}

/// Returns numbers at which off-by-one errors would show, and some more.
fn boundary_seqs(painted: &[TestPlacement]) -> Vec<i64> {
    let (first, last) = (painted[0].seq, painted[painted.len() - 1].seq);
    let mut numbers = vec![0, 1, first, last];
    for snapshot_seq in [16_384, 32_768] {
        numbers.extend([-1, 0, 1, 511, 512, 513].map(|distance| snapshot_seq + distance));
    }
    numbers.extend((first..last).step_by(3_777));
    numbers
}

async fn assert_canvas_at_boundaries(server: &Server, painted: &[TestPlacement], how: &str) {
    for seq in boundary_seqs(painted) {
        assert!(fetch_canvas_at(server, seq).await == replay(painted, AREA, seq), "{how}: at {seq}");
    }
}

#[tokio::test]
async fn snapshots_do_not_change_the_canvas() {
    let (mut server, painted) = start_with_placements(40_000).await;
    server.execute("delete from snapshot").await;
    assert_canvas_at_boundaries(&server, &painted, "without snapshots").await;
    let mut done = Seq::ZERO;
    snapshots::store_missing(&server.running().state, &mut done).await.unwrap();
    let query = "select array_agg(seq order by seq) from snapshot";
    let snapshot_seqs: Vec<i64> = server.fetch_scalar(query).await;
    assert_eq!((snapshot_seqs, done), (vec![16_384, 32_768], Seq(32_768)));
    let other = server.start_instance(&SMALL_CANVAS_SETTINGS).await;
    assert_canvas_at_boundaries(&other, &painted, "on another instance, with snapshots").await;
    drop(other);
    server.execute("delete from snapshot where seq = 16384").await;
    server.restart().await;
    assert_canvas_at_boundaries(&server, &painted, "after a restart, with a snapshot missing").await;
}

#[tokio::test]
async fn two_instances_store_the_same_snapshots() {
    let (server, _) = start_with_placements(40_000).await;
    let other = server.start_instance(&SMALL_CANVAS_SETTINGS).await;
    let all = "select array_agg((s)::text order by seq) from snapshot s";
    let mut before: Option<Vec<String>> = None;
    for _ in 0..3 {
        server.execute("delete from snapshot").await;
        let (mut here, mut there) = (Seq::ZERO, Seq::ZERO);
        let (one, two) = tokio::join!(
            snapshots::store_missing(&server.running().state, &mut here),
            snapshots::store_missing(&other.running().state, &mut there)
        );
        one.and(two).unwrap();
        let stored_snapshots: Vec<String> = sqlx::query_scalar(all).fetch_one(&server.pool).await.unwrap();
        assert_eq!(stored_snapshots.len(), 2);
        assert_eq!(*before.get_or_insert(stored_snapshots.clone()), stored_snapshots);
    }
}

#[tokio::test]
async fn time_shows_the_newest_event_before_it() {
    let (server, painted) = start_with_placements(3_000).await;
    let past = server.clock.now();
    for one in painted.iter().step_by(401).filter(|one| one.placed_at < past) {
        let until =
            |time: DateTime<Utc>| painted.iter().rfind(|one| one.placed_at <= time).map_or(0, |one| one.seq);
        for time in [0, -1, 1].map(|distance| one.placed_at + TimeDelta::microseconds(distance)) {
            let reply = server.get(&format!("/api/canvas?at={}", format_time(time))).await;
            assert_eq!(reply.body["at"]["seq"], until(time), "{time}");
            assert_eq!(reply.header("cache-control"), "public, max-age=10");
        }
    }
}

/// Later seasons have canvases of other sizes.
#[tokio::test]
async fn point_in_time_shows_the_canvas_of_its_season() {
    let mut server = Server::start_with(&SMALL_CANVAS_SETTINGS).await;
    server.register_agent("Ada").await.paint(1, 1, 4).await;
    let ended = server.head().await;
    let statements = "insert into event (seq, kind, id, at)
             select seq + 1, 'season', 'season_next', at from log_head;
        insert into season (id, title, width, height, seq, opened_at)
             select 'season_next', 'Next', 10, 8, seq + 1, at from log_head;
        update log_head set seq = seq + 1, version = seq + 1";
    server.execute(statements).await;
    server.restart().await;
    let before = server.get(&format!("/api/canvas?at={ended}")).await.body;
    let after = server.get(&format!("/api/canvas?at={}", ended + 1)).await.body;
    assert_eq!((&before["width"], &before["rows"][1]), (&json!(9), &json!("040000000")));
    let after = fields_of(&after, ["width", "height", "version", "season"]);
    assert_eq!(after, json!([10, 8, ended + 1, "season_next"]));
    assert_eq!(server.get("/api/canvas?at=0").await.body["season"], before["season"]);
}

fn caller(last: u8) -> WorkCaller {
    WorkCaller { address: IpAddr::from([192, 0, 2, last]), account: None }
}

#[tokio::test]
async fn cancelled_request_leaves_its_read_running() {
    let (server, _) = start_with_placements(600).await;
    let canvas_history = Arc::new(History::new(server.running().state.clone()));
    let snapshot_lock = log_fixture::lock_snapshots(&server).await;
    for (count, seq) in [(1, Seq(599)), (2, Seq(600))] {
        let season = canvas_history.season_at(seq).await.unwrap();
        let (reader, caller) = (canvas_history.clone(), caller(count as u8));
        let asking = tokio::spawn(async move { reader.read_canvas(&caller, season, seq).await.map(drop) });
        log_fixture::wait_for_blocked_reads(&server, count).await;
        asking.abort();
        assert!(asking.await.unwrap_err().is_cancelled());
    }
    let other = caller(3);
    let permit = canvas_history.acquire_read_permit(&other).now_or_never();
    assert!(permit.is_none(), "both reads are still running");
    drop(snapshot_lock);
    assert!(canvas_history.acquire_read_permit(&other).await.is_ok());
}

#[tokio::test]
async fn cached_and_invalid_requests_do_not_wait_for_reads() {
    let (server, painted) = start_with_placements(600).await;
    let early = replay(&painted, AREA, 3);
    assert_eq!(fetch_canvas_at(&server, 3).await, early);
    let tomorrow = format_time(server.clock.now() + TimeDelta::days(1));
    let snapshot_lock = log_fixture::lock_snapshots(&server).await;
    let meanwhile = async {
        log_fixture::wait_for_blocked_reads(&server, 2).await;
        for path in ["canvas?at", "canvas.png?at", "events?from"] {
            server.get(&format!("/api/{path}={tomorrow}")).await.assert_refused(400, "invalid_field");
        }
        assert_eq!(fetch_canvas_at(&server, 3).await, early, "kept");
        drop(snapshot_lock);
    };
    let request = server.get_request("/api/canvas.bin?at=600").header("X-Forwarded-For", "192.0.2.1");
    let (one, other, ()) = tokio::join!(fetch_canvas_at(&server, 599), Reply::fetch(request), meanwhile);
    assert_eq!((one, other.bytes), (replay(&painted, AREA, 599), replay(&painted, AREA, 600)));
}

/// The database reads one of the two: half of the places are left to other addresses.
#[tokio::test]
async fn an_address_reads_one_past_canvas_at_a_time_and_others_go_on() {
    let (server, painted) = start_with_placements(600).await;
    let snapshot_lock = log_fixture::lock_snapshots(&server).await;
    let fetch = async |address: &str, seq: i64| {
        let path = format!("/api/canvas.bin?at={seq}");
        Reply::fetch(server.get_request(&path).header("X-Forwarded-For", address)).await
    };
    let greedy = join_all((590..600).map(|seq| fetch("192.0.2.1", seq)));
    let other = async {
        log_fixture::wait_for_blocked_reads(&server, 1).await;
        let unlock = async {
            log_fixture::wait_for_blocked_reads(&server, 2).await;
            drop(snapshot_lock);
        };
        tokio::join!(fetch("192.0.2.2", 600), unlock).0
    };
    let (greedy, other) = tokio::join!(greedy, other);
    assert_eq!((other.status, other.bytes), (200, replay(&painted, AREA, 600)));
    assert!(greedy.iter().all(|reply| reply.status == 200), "those that wait are answered, too");
}
