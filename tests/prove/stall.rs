//! A server that stalls under a timetable: the latencies include all requests that were due during the stall.

use std::time::Duration;

use rustix::process::Signal;
use tokio::time::sleep;

use crate::environment::TestEnvironment;
use crate::support::postmaster::signal;
use crate::swarm_process::{AGENTS, SwarmProcess};

/// Requests per second.
const REQUESTS_PER_SECOND: u64 = 100;
/// Duration of the stall.
const STALL_DURATION: Duration = Duration::from_secs(2);
/// Maximum lateness in milliseconds. A timetable that waited for the stall would exceed it.
const MAX_LATENESS_MS: f64 = 1_500.0;

pub async fn stalled_requests_are_counted(_rounds: u32) -> String {
    let environment = TestEnvironment::single().await;
    let rate = REQUESTS_PER_SECOND.to_string();
    let swarm = SwarmProcess::with_options(
        &[&environment.first_instance().proxy.base_url],
        &["--agents", AGENTS, "--seconds", "3600", "--rate", &rate, "--mix", "pixel=1"],
    );
    environment.first_instance().wait_for_placements(REQUESTS_PER_SECOND as i64).await;
    let server_pid = environment.first_instance().process.pid();
    signal(server_pid, Signal::STOP);
    sleep(STALL_DURATION).await;
    signal(server_pid, Signal::CONT);
    environment.first_instance().wait_for_placements(REQUESTS_PER_SECOND as i64).await;
    let (report, _) = swarm.finish().await;
    let mut rows = report["requests"].as_array().unwrap().iter();
    // A request that waited too long for a connection may have been refused and retried.
    let accepted = rows.find(|row| row["request"] == "POST /api/pixel" && row["answer"] == "201").unwrap();
    let (count, p50, p90) =
        (accepted["count"].as_u64(), accepted["p50_ms"].as_f64(), accepted["p90_ms"].as_f64());
    // Two hundred of about four hundred requests were due during the stall, so a tenth of all waited for most
    // of it.
    assert!(p90.unwrap() > 750.0, "p90 {p90:?} ms of {count:?} requests: the stall is not included");
    let timetable = &report["timetable"];
    assert_eq!(timetable["jobs"].as_u64(), count, "every request of the timetable went out");
    assert!(
        timetable["latest_ms"].as_f64().unwrap() < MAX_LATENESS_MS,
        "the timetable itself must not wait: {timetable}"
    );
    format!("{} requests, p50 {:.0} ms, p90 {:.0} ms", count.unwrap(), p50.unwrap(), p90.unwrap())
}
