//! A PostgreSQL that hangs or is away for a while: writes are refused, reading goes on, recovery is quick.

use std::time::{Duration, Instant};

use caraplace::clock;
use futures_util::future::join;
use rustix::process::Signal;
use tokio::time::timeout;

use crate::probe::{Answer, Painter, Probe};
use crate::stage::{Instance, Stage};
use crate::support::{EventStream, Reply};

/// How long PostgreSQL is away where each fault happens often, and where it happens a few times.
const LONG: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_secs(7);
/// How soon writes are taken again: where that is measured, and on whatever machine the tests run.
const QUICK: Duration = Duration::from_secs(2);
const PATIENT: Duration = Duration::from_secs(10);
/// How soon a reader is answered who needs no database: soon enough to show that it does not hang with it.
const PROMPT: Duration = Duration::from_secs(5);
/// Between two looks around.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// A few times is what the other tests have time for.
const OFTEN: u32 = 10;

/// Read from memory.
const READS: [&str; 6] =
    ["/api/canvas", "/api/canvas.bin", "/api/canvas.png", "/api/chat", "/api/chat/digest", "/healthz"];

pub async fn hangs(rounds: u32) -> String {
    let stage = Stage::on_cluster(&["caraplace"]).await;
    away(stage, rounds, Kind::Hangs).await
}

pub async fn stopped(rounds: u32) -> String {
    let stage = Stage::on_cluster(&["caraplace"]).await;
    away(stage, rounds, Kind::Stopped).await
}

#[derive(Clone, Copy)]
enum Kind {
    Hangs,
    Stopped,
}

async fn away(mut stage: Stage, rounds: u32, kind: Kind) -> String {
    let (length, limit) = if rounds >= OFTEN { (LONG, QUICK) } else { (SHORT, PATIENT) };
    let crowd = stage.crowd(&[]);
    stage.first().grown_by(100).await;
    let mut latecomer = Painter::join(stage.first(), "Latecomer").await;
    let probe = Probe::start(Painter::join(stage.first(), "Probe").await);
    stage.first().grown_by(100).await;
    let gone = clock::moment();
    leave(&mut stage, kind).await;
    // Of those that were under way, the fate may not be known before PostgreSQL is back; who comes now is refused.
    let (slowest, taken) = join(look_around(stage.first(), length), latecomer.paint(0)).await;
    assert!(!taken, "a write was taken by nobody");
    come_back(&mut stage, kind).await;
    let back = clock::moment();
    stage.first().grown_by(200).await;
    assert_eq!(stage.first().get("/readyz").await.status, 200);
    while !latecomer.paint(0).await {}
    let (answers, mut acks) = probe.finish().await;
    acks.pixels.append(&mut latecomer.acks.pixels);
    let (refused, recovered) = judge(&answers, gone, back);
    assert!(recovered <= limit, "writes are taken again after {recovered:?}");
    let seen = stage.verdict(crowd, acks).await;
    format!(
        "{:.0} s: {refused} writes refused, reads within {slowest:.0?}, writing {:.2} s after its return; {seen}",
        length.as_secs_f64(),
        recovered.as_secs_f64()
    )
}

async fn leave(stage: &mut Stage, kind: Kind) {
    match kind {
        Kind::Hangs => stage.cluster().signal(Signal::STOP),
        Kind::Stopped => stage.cluster().stop().await,
    }
}

async fn come_back(stage: &mut Stage, kind: Kind) {
    match kind {
        Kind::Hangs => stage.cluster().signal(Signal::CONT),
        Kind::Stopped => stage.cluster().start_again().await,
    }
}

/// Reads all the time while the database is away; returns how long the slowest took.
async fn look_around(instance: &Instance, length: Duration) -> Duration {
    let began = clock::moment();
    let mut slowest = Duration::ZERO;
    while began.elapsed() < length {
        for path in READS {
            let asked = clock::moment();
            let reply = timeout(PROMPT, instance.get(path)).await;
            let reply = reply.unwrap_or_else(|_| panic!("{path} is not answered from memory"));
            assert_eq!(reply.status, 200, "{path}: {}", reply.body);
            slowest = slowest.max(asked.elapsed());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let ready: Reply =
        timeout(length, instance.get("/readyz")).await.expect("/readyz hangs with its database");
    ready.assert_refused(503, "database_unavailable");
    let stream = instance.process.client.get(instance.process.url("/api/events"));
    let hello = timeout(PROMPT, async { EventStream::open(stream).await.next().await }).await;
    assert_eq!(hello.expect("no stream is opened").unwrap().name, "hello");
    slowest
}

/// How many writes were refused meanwhile, and how long after the return the next one was taken.
fn judge(answers: &[Answer], gone: Instant, back: Instant) -> (usize, Duration) {
    // The latecomer is one more.
    let refused = answers.iter().filter(|answer| answer.status == 503).count() + 1;
    let longest = answers.iter().map(|answer| answer.took).max().unwrap();
    let done = answers
        .iter()
        .find(|answer| answer.status == 201 && answer.at > back)
        .expect("nothing was taken again");
    assert!(
        answers.iter().any(|answer| answer.status == 201 && answer.at < gone),
        "nothing was taken before"
    );
    println!("slowest answer to a write: {longest:?}");
    (refused, done.at - back)
}
