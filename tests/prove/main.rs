//! Fault tests: after crashes, outages, full disks and lost connections, every acknowledged write is stored,
//! streamed and on the canvas.
//!
//! Each row uses real processes and a PostgreSQL of its own; `swarm` generates the load and checks the
//! server.
//! `CARAPLACE_PROVE_ROUNDS` sets how often each fault happens: once among the other tests, twenty times in
//! `make prove`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failed assumption must fail the test")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are small constants"
)]

#[allow(dead_code, unused_imports, reason = "the test support of tests/api, of which only a part is used")]
#[path = "../api/support/mod.rs"]
mod support;

mod crews;
mod database_check;
mod disk;
mod environment;
mod follower;
mod kills;
mod outage;
mod plan_writers;
mod plans;
mod probe;
mod proxy;
mod retries;
mod rolling_restarts;
mod stall;
mod swarm_process;
mod table;
mod tampering;
mod two_instances;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use platform::clock;
use table::{FaultRow, TestOutcome};

/// Number of rounds among the other tests, which must be short.
const DEFAULT_ROUNDS: u32 = 1;

/// The fault test that needs mount permissions.
const DISK_TEST: &str = "disk_full";

/// Injects the fault this many times. Returns a summary.
type FaultTest = fn(u32) -> Pin<Box<dyn Future<Output = String>>>;

const FAULT_TESTS: [(&str, &str, FaultTest); 17] = [
    ("server_killed", "server killed under load", |rounds| Box::pin(kills::kill_server(rounds))),
    ("postgres_killed", "PostgreSQL killed under load, all its processes", |rounds| {
        Box::pin(kills::kill_postgres(rounds))
    }),
    ("both_killed", "server and PostgreSQL killed under load", |rounds| Box::pin(kills::kill_both(rounds))),
    ("postgres_hangs", "PostgreSQL hangs (SIGSTOP)", |rounds| Box::pin(outage::postgres_hangs(rounds))),
    ("postgres_stopped", "PostgreSQL stopped and started", |rounds| {
        Box::pin(outage::postgres_stopped(rounds))
    }),
    (DISK_TEST, "disk full", |rounds| Box::pin(disk::disk_full(rounds))),
    ("answers_lost", "connections cut before the response is read", |rounds| {
        Box::pin(retries::connections_cut(rounds))
    }),
    ("follower_cut", "follower's database connections ended each second", |rounds| {
        Box::pin(follower::database_connections_cut(rounds))
    }),
    ("one_of_two_killed", "two servers under one load, one of them killed", |rounds| {
        Box::pin(two_instances::one_killed(rounds))
    }),
    ("rolling_restarts", "two servers behind HAProxy, restarted in turn", |rounds| {
        Box::pin(rolling_restarts::restart_each(rounds))
    }),
    ("plan_authors", "server, PostgreSQL or both killed while plans are written", |rounds| {
        Box::pin(kills::kill_under_plan_writers(rounds))
    }),
    ("plan_finished", "no fault (twenty agents, one plan)", |rounds| Box::pin(plans::finished(rounds))),
    ("plan_survives", "two servers under one plan, one of them killed", |rounds| {
        Box::pin(plans::finished_after_kill(rounds))
    }),
    ("crews", "no fault (two crews, one picture, webhooks)", |rounds| Box::pin(crews::finished(rounds))),
    ("server_stalls", "server stalls under a timetable (SIGSTOP)", |rounds| {
        Box::pin(stall::stalled_requests_are_counted(rounds))
    }),
    ("sound", "no fault (two servers, one load)", |rounds| Box::pin(two_instances::no_fault(rounds))),
    ("lies", "tampering, which must be detected", |rounds| Box::pin(tampering::changes_are_detected(rounds))),
];

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == swarm_process::SWARM_ARGUMENT) {
        return swarm::start(std::env::args_os().skip(1));
    }
    let mut arguments = Arguments::from_args();
    // The tests run one at a time, because each needs the whole machine.
    arguments.test_threads = Some(1);
    let unavailable = disk::unavailable_reason();
    let trials = FAULT_TESTS.iter().map(|(name, fault, test)| {
        Trial::test(*name, move || {
            run_fault_test(fault, *test);
            Ok(())
        })
        .with_ignored_flag(*name == DISK_TEST && unavailable.is_some())
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    let skipped = unavailable.filter(|_| conclusion.num_ignored > 0);
    // A test may be skipped among the other tests, but not if all rounds were requested.
    let is_incomplete = skipped.is_some() && requested_rounds().is_some();
    if let (Some(reason), Some((_, fault, _))) =
        (skipped, FAULT_TESTS.iter().find(|(name, ..)| *name == DISK_TEST))
    {
        table::add(FaultRow { fault, duration: Duration::ZERO, outcome: TestOutcome::Skipped(reason) });
    }
    table::print();
    if is_incomplete { ExitCode::FAILURE } else { conclusion.exit_code() }
}

/// Returns the requested number of rounds; `None` if it is not set.
fn requested_rounds() -> Option<u32> {
    Some(std::env::var("CARAPLACE_PROVE_ROUNDS").ok()?.parse().unwrap())
}

fn run_fault_test(fault: &'static str, test: FaultTest) {
    let rounds = requested_rounds().unwrap_or(DEFAULT_ROUNDS);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let started = clock::monotonic_now();
    let result = catch_unwind(AssertUnwindSafe(|| runtime.block_on(test(rounds))));
    let elapsed = started.elapsed();
    let outcome = result.as_ref().map_or(TestOutcome::Failed, |summary| TestOutcome::Passed(summary.clone()));
    table::add(FaultRow { fault, duration: elapsed, outcome });
    if let Err(panic) = result {
        resume_unwind(panic);
    }
}
