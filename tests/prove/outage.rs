//! PostgreSQL hangs or is stopped for a while: writes are refused, reads succeed, and recovery is quick.

use std::time::{Duration, Instant};

use futures_util::future::join;
use platform::clock;
use rustix::process::Signal;
use tokio::time::timeout;

use crate::environment::{Instance, PROGRESS_TIMEOUT, TestEnvironment};
use crate::probe::{Probe, ProbeAgent, ProbeResponse};
use crate::support::{EventStream, Reply};

/// Duration of an outage with many rounds, and with few.
const LONG_OUTAGE: Duration = Duration::from_secs(10);
const SHORT_OUTAGE: Duration = Duration::from_secs(7);
/// Maximum time until writes succeed again where it is measured, in many rounds on a machine with nothing
/// else to do.
const RECOVERY_LIMIT: Duration = Duration::from_secs(2);
/// Interval between two rounds of reads.
const READ_INTERVAL: Duration = Duration::from_millis(250);
/// Number of rounds from which outages are long.
const MANY_ROUNDS: u32 = 10;

/// Paths that are served from memory.
const MEMORY_READS: [&str; 6] =
    ["/api/canvas", "/api/canvas.bin", "/api/canvas.png", "/api/chat", "/api/chat/digest", "/healthz"];

pub async fn postgres_hangs(rounds: u32) -> String {
    let environment = TestEnvironment::with_shared_postgres(&["caraplace"]).await;
    run_outage(environment, rounds, OutageKind::Hangs).await
}

pub async fn postgres_stopped(rounds: u32) -> String {
    let environment = TestEnvironment::with_shared_postgres(&["caraplace"]).await;
    run_outage(environment, rounds, OutageKind::Stopped).await
}

#[derive(Clone, Copy)]
enum OutageKind {
    Hangs,
    Stopped,
}

async fn run_outage(mut environment: TestEnvironment, rounds: u32, kind: OutageKind) -> String {
    let (duration, recovery_limit) =
        if rounds >= MANY_ROUNDS { (LONG_OUTAGE, RECOVERY_LIMIT) } else { (SHORT_OUTAGE, PROGRESS_TIMEOUT) };
    let swarm = environment.start_swarm(&[]);
    environment.first_instance().wait_for_placements(100).await;
    let mut late_agent = ProbeAgent::register(environment.first_instance(), "Latecomer").await;
    let probe = Probe::start(ProbeAgent::register(environment.first_instance(), "Probe").await);
    environment.first_instance().wait_for_placements(100).await;
    let outage_start = clock::monotonic_now();
    begin_outage(&mut environment, kind).await;
    // The outcome of pending writes may be unknown until PostgreSQL is back. New writes are refused.
    let (slowest_read, was_accepted) =
        join(read_during_outage(environment.first_instance(), duration), late_agent.place(0)).await;
    assert!(!was_accepted, "a write was accepted without a database");
    end_outage(&mut environment, kind).await;
    let outage_end = clock::monotonic_now();
    environment.first_instance().wait_for_placements(200).await;
    assert_eq!(environment.first_instance().get_when_ready("/readyz").await.status, 200);
    while !late_agent.place(0).await {}
    let (responses, mut acks) = probe.finish().await;
    acks.pixels.append(&mut late_agent.acks.pixels);
    let (refused_count, recovery_time) = measure_recovery(&responses, outage_start, outage_end);
    assert!(recovery_time <= recovery_limit, "writes succeeded again only after {recovery_time:?}");
    let checked = environment.finish_and_check(swarm, acks).await;
    format!(
        "{:.0} s: {refused_count} writes refused, reads within {slowest_read:.0?}, writing {:.2} s after its end; {checked}",
        duration.as_secs_f64(),
        recovery_time.as_secs_f64()
    )
}

async fn begin_outage(environment: &mut TestEnvironment, kind: OutageKind) {
    match kind {
        OutageKind::Hangs => environment.cluster().signal(Signal::STOP),
        OutageKind::Stopped => environment.cluster().stop().await,
    }
}

async fn end_outage(environment: &mut TestEnvironment, kind: OutageKind) {
    match kind {
        OutageKind::Hangs => environment.cluster().signal(Signal::CONT),
        OutageKind::Stopped => environment.cluster().restart().await,
    }
}

/// Sends reads until the end of the outage. Returns the time of the slowest.
async fn read_during_outage(instance: &Instance, duration: Duration) -> Duration {
    let started_at = clock::monotonic_now();
    let mut slowest = Duration::ZERO;
    while started_at.elapsed() < duration {
        for path in MEMORY_READS {
            let sent_at = clock::monotonic_now();
            let reply = timeout(PROGRESS_TIMEOUT, instance.get(path)).await;
            let reply = reply.unwrap_or_else(|_| panic!("{path} is not served from memory"));
            assert_eq!(reply.status, 200, "{path}: {}", reply.body);
            slowest = slowest.max(sent_at.elapsed());
        }
        tokio::time::sleep(READ_INTERVAL).await;
    }
    let ready: Reply =
        timeout(PROGRESS_TIMEOUT, instance.get("/readyz")).await.expect("/readyz hangs with its database");
    ready.assert_refused(503, "database_unavailable");
    let stream = instance.process.client.get(instance.process.url("/api/events"));
    let hello = timeout(PROGRESS_TIMEOUT, async { EventStream::open(stream).await.next().await }).await;
    assert_eq!(hello.expect("no stream was opened").unwrap().name, "hello");
    slowest
}

/// Returns the number of refused writes, and the time from the end of the outage to the next accepted one.
fn measure_recovery(
    responses: &[ProbeResponse],
    outage_start: Instant,
    outage_end: Instant,
) -> (usize, Duration) {
    // The latecomer's write is added.
    let refused_count = responses.iter().filter(|response| response.status == 503).count() + 1;
    let slowest = responses.iter().map(|response| response.duration).max().unwrap();
    let first_accepted = responses
        .iter()
        .find(|response| response.status == 201 && response.received_at > outage_end)
        .expect("no write was accepted after the outage");
    assert!(
        responses.iter().any(|response| response.status == 201 && response.received_at < outage_start),
        "no write was accepted before the outage"
    );
    println!("slowest response to a write: {slowest:?}");
    (refused_count, first_accepted.received_at - outage_end)
}
