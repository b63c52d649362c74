//! Crashes: after a process dies at any time, everything that was acknowledged with 201 is stored, and no
//! number is missing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::{join, join_all};
use parking_lot::Mutex;
use platform::clock;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::{EventStream, MAX_SHUTDOWN_TIME, Process};

/// Timeout, so that a failing test ends.
const PROGRESS_TIMEOUT: Duration = Duration::from_mins(1);
/// Number of rows of the canvas per agent.
const ROWS_PER_PLAYER: usize = 24;
const WIDTH: usize = 128;

/// An agent that paints one of its own pixels in each round, and sometimes posts.
struct Player {
    key: String,
    step: usize,
}

/// The acknowledged writes.
#[derive(Default)]
struct AcknowledgedWrites {
    pixels: Mutex<Vec<Value>>,
    messages: Mutex<Vec<Value>>,
    should_stop: AtomicBool,
}

impl AcknowledgedWrites {
    fn count(&self) -> usize {
        self.pixels.lock().len() + self.messages.lock().len()
    }

    /// Waits until this many more writes were acknowledged.
    async fn wait_for_more(&self, more: usize) {
        let target = self.count() + more;
        let grown = async {
            while self.count() < target {
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(PROGRESS_TIMEOUT, grown).await.expect("no more writes are acknowledged");
    }
}

async fn register_players(process: &Process) -> Vec<Player> {
    let mut players = Vec::new();
    for name in ["Ada", "Bob", "Cyd", "Dee", "Eve"] {
        players.push(Player { key: process.register_agent(name).await, step: 0 });
    }
    players
}

/// Sends a body; `None` if the server is down.
async fn send(process: &Process, key: &str, path: &str, body: Value) -> Option<(u16, Value)> {
    let request = process.client.post(process.url(path)).bearer_auth(key).json(&body);
    let response = request.send().await.ok()?;
    let status = response.status().as_u16();
    Some((status, response.json().await.ok()?))
}

async fn fetch_digest(process: &Process) -> Option<Value> {
    let response = process.client.get(process.url("/api/chat/digest")).send().await.ok()?;
    Some(response.json::<Value>().await.ok()?["digest"].clone())
}

/// Paints and posts until the end or until the server is down. Asserts that all refusals are temporary.
async fn play(
    process: &Process,
    index: usize,
    player: &mut Player,
    ledger: &AcknowledgedWrites,
) -> Option<()> {
    while !ledger.should_stop.load(Ordering::Relaxed) {
        player.step += 1;
        let (x, y) = (player.step % WIDTH, index * ROWS_PER_PLAYER + player.step / WIDTH);
        let pixel =
            json!({"x": x, "y": y, "color": player.step % 16, "chat_digest": fetch_digest(process).await?});
        let (status, body) = send(process, &player.key, "/api/pixel", pixel).await?;
        match status {
            201 => ledger.pixels.lock().push(body["pixel"].clone()),
            _ => assert_eq!(status, 503, "{body}"),
        }
        if player.step.is_multiple_of(3) {
            let content = json!({"content": format!("{index} says {}", player.step)});
            let (status, body) = send(process, &player.key, "/api/chat", content).await?;
            match status {
                201 => ledger.messages.lock().push(body["message"].clone()),
                _ => assert_eq!(status, 503, "{body}"),
            }
        }
    }
    Some(())
}

async fn play_all(process: &Process, players: &mut [Player], ledger: &AcknowledgedWrites) {
    let players = players.iter_mut().enumerate();
    join_all(players.map(|(index, player)| play(process, index, player, ledger))).await;
}

/// Returns all messages, page by page.
async fn list_all_messages(process: &Process) -> Vec<Value> {
    let mut all = Vec::new();
    let mut path = "/api/chat?limit=100".to_owned();
    loop {
        let page = process.get(&path).await.body;
        all.extend(page["messages"].as_array().unwrap().iter().cloned());
        let Some(before) = page["next_before"].as_str() else { return all };
        path = format!("/api/chat?limit=100&before={before}");
    }
}

/// Asserts that all acknowledged writes are stored as acknowledged, and that no number is missing.
async fn assert_all_stored(process: &Process, ledger: &AcknowledgedWrites) {
    let (pixels, messages) = (ledger.pixels.lock().clone(), ledger.messages.lock().clone());
    let canvas = process.get("/api/canvas.bin").await.bytes;
    for pixel in &pixels {
        let pixel_info = process.get(&format!("/api/pixel?x={}&y={}", pixel["x"], pixel["y"])).await.body;
        assert_eq!(&pixel_info["history"][0], pixel, "{pixel_info}");
        let (x, y) = (pixel["x"].as_u64().unwrap() as usize, pixel["y"].as_u64().unwrap() as usize);
        assert_eq!(canvas[y * WIDTH + x], pixel["color"]);
    }
    let there = list_all_messages(process).await;
    messages.iter().for_each(|message| assert!(there.contains(message), "{message}"));
    let head = process.get("/api/stats").await.body["head"].as_i64().unwrap();
    let mut stream = EventStream::open(process.client.get(process.url("/api/events?since=0"))).await;
    assert_eq!(stream.read_seqs_up_to(head).await, (1..=head).collect::<Vec<_>>());
    let mut numbers: Vec<_> =
        pixels.iter().chain(&messages).map(|event| event["seq"].as_i64().unwrap()).collect();
    numbers.sort_unstable();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "a number was used twice");
}

#[tokio::test]
async fn killed_server_keeps_all_acknowledged_writes() {
    let mut process = Process::start().await;
    let mut players = register_players(&process).await;
    let ledger = AcknowledgedWrites::default();
    for acknowledged in [1, 40, 100] {
        let crash = async {
            ledger.wait_for_more(acknowledged).await;
            process.kill();
        };
        join(play_all(&process, &mut players, &ledger), crash).await;
        process.restart().await;
        assert_all_stored(&process, &ledger).await;
    }
}

#[tokio::test]
async fn killed_postgres_keeps_all_acknowledged_writes() {
    let process = Process::start().await;
    let mut players = register_players(&process).await;
    let ledger = AcknowledgedWrites::default();
    let crashes = async {
        for _ in 0..2 {
            ledger.wait_for_more(60).await;
            let killed = process.postmaster_pid();
            process.kill_postmaster();
            ledger.wait_for_more(60).await;
            assert_ne!(process.postmaster_pid(), killed);
        }
        ledger.should_stop.store(true, Ordering::Relaxed);
    };
    join(play_all(&process, &mut players, &ledger), crashes).await;
    assert_all_stored(&process, &ledger).await;
}

#[tokio::test]
async fn stopped_server_exits_in_time_and_keeps_all_writes() {
    let mut process = Process::start().await;
    let mut players = register_players(&process).await;
    let ledger = AcknowledgedWrites::default();
    let mut watcher = EventStream::open(process.client.get(process.url("/api/events"))).await;
    let stop = async {
        ledger.wait_for_more(60).await;
        process.request_stop();
        clock::monotonic_now()
    };
    let ((), stop_requested_at) = join(play_all(&process, &mut players, &ledger), stop).await;
    assert_eq!(process.exit_code().await, Some(0));
    assert!(stop_requested_at.elapsed() < MAX_SHUTDOWN_TIME, "{:?}", stop_requested_at.elapsed());
    while watcher.next().await.is_some() {}
    assert_eq!(process.postmaster_pid(), None, "its PostgreSQL has ended, too");
    process.restart().await;
    assert_all_stored(&process, &ledger).await;
    // Every executed write was also acknowledged.
    let stats = process.get("/api/stats").await.body;
    let done = [stats["pixels"].as_u64(), stats["messages"].as_u64()];
    assert_eq!(done, [&ledger.pixels, &ledger.messages].map(|list| Some(list.lock().len() as u64)));
}

#[tokio::test]
async fn server_stops_while_nobody_reads_its_log() {
    let mut process = Process::start().await;
    process.stop_reading_log().await;
    process.request_stop();
    assert_eq!(process.exit_code().await, Some(0));
    assert_eq!(process.postmaster_pid(), None, "its PostgreSQL has ended, too");
}

#[tokio::test]
async fn dropped_process_leaves_no_shared_memory() {
    let process = Process::start().await;
    let file = std::fs::read_to_string(process.data.join("postgres/postmaster.pid")).unwrap();
    // The key and the number of PostgreSQL's shared memory.
    let segment: Vec<_> = file.lines().nth(6).unwrap().split_whitespace().collect();
    let is_held = || {
        let all = std::fs::read_to_string("/proc/sysvipc/shm").unwrap();
        all.lines().any(|line| line.split_whitespace().nth(1) == Some(segment[1]))
    };
    assert!(is_held());
    drop(process);
    assert!(!is_held(), "segment {segment:?}");
}
