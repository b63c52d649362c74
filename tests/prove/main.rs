//! Faults as tests: whatever dies, hangs, fills up or is cut off, what was acknowledged is stored, streamed and drawn.
//!
//! Real processes, a real PostgreSQL for each row, load and verdict by `swarm`. `CARAPLACE_PROVE_ROUNDS` says how
//! often each fault happens: once among the other tests, twenty times for `make prove`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test whose ground gives way must fail")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are small, and chosen here"
)]

#[allow(dead_code, unused_imports, reason = "the harness of tests/api, of which this needs only a part")]
#[path = "../api/support/mod.rs"]
mod support;

mod audit;
mod crowd;
mod disk;
mod follower;
mod front;
mod kills;
mod lies;
mod outage;
mod pair;
mod probe;
mod retries;
mod stage;
mod stall;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::process::ExitCode;
use std::time::Duration;

use caraplace::clock;
use libtest_mimic::{Arguments, Trial};
use table::{Row, Verdict};

/// The other tests have no time for more.
const FEW: u32 = 1;

/// The one that not every machine can have.
const DISK: &str = "disk_full";

/// Does the fault so often, and says what was seen.
type Proof = fn(u32) -> Pin<Box<dyn Future<Output = String>>>;

const PROOFS: [(&str, &str, Proof); 12] = [
    ("server_killed", "server killed under load", |rounds| Box::pin(kills::server(rounds))),
    ("postgres_killed", "PostgreSQL killed under load, all its processes", |rounds| {
        Box::pin(kills::postgres(rounds))
    }),
    ("both_killed", "server and PostgreSQL killed under load", |rounds| Box::pin(kills::both(rounds))),
    ("postgres_hangs", "PostgreSQL hangs (SIGSTOP)", |rounds| Box::pin(outage::hangs(rounds))),
    ("postgres_stopped", "PostgreSQL stopped and started", |rounds| Box::pin(outage::stopped(rounds))),
    (DISK, "disk full", |rounds| Box::pin(disk::full(rounds))),
    ("answers_lost", "connections cut before the answer is read", |rounds| Box::pin(retries::cut(rounds))),
    ("follower_cut", "follower's database connections ended each second", |rounds| {
        Box::pin(follower::cut(rounds))
    }),
    ("one_of_two_killed", "two servers under one load, one of them killed", |rounds| {
        Box::pin(pair::one_killed(rounds))
    }),
    ("server_stalls", "server stalls under a timetable (SIGSTOP)", |rounds| Box::pin(stall::charged(rounds))),
    ("sound", "nothing at all (two servers, one load)", |rounds| Box::pin(pair::sound(rounds))),
    ("lies", "lies, which must be noticed", |rounds| Box::pin(lies::noticed(rounds))),
];

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == crowd::SWARM) {
        return swarm::start(std::env::args_os().skip(1));
    }
    let mut arguments = Arguments::from_args();
    // Each has the machine to itself, as far as this process can see to it.
    arguments.test_threads = Some(1);
    let missing = disk::missing();
    let trials = PROOFS.iter().map(|(name, fault, proof)| {
        Trial::test(*name, move || {
            prove(fault, *proof);
            Ok(())
        })
        .with_ignored_flag(*name == DISK && missing.is_some())
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    let skipped = missing.filter(|_| conclusion.num_ignored > 0);
    // Among the other tests it may be left out; who asks for everything must hear that it is not proved.
    let incomplete = skipped.is_some() && rounds().is_some();
    if let (Some(why), Some((_, fault, _))) = (skipped, PROOFS.iter().find(|(name, ..)| *name == DISK)) {
        table::add(Row { fault, took: Duration::ZERO, verdict: Verdict::Skipped(why) });
    }
    table::print();
    if incomplete { ExitCode::FAILURE } else { conclusion.exit_code() }
}

/// How often, for whoever asks for everything.
fn rounds() -> Option<u32> {
    Some(std::env::var("CARAPLACE_PROVE_ROUNDS").ok()?.parse().unwrap())
}

fn prove(fault: &'static str, proof: Proof) {
    let rounds = rounds().unwrap_or(FEW);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let started = clock::moment();
    let seen = catch_unwind(AssertUnwindSafe(|| runtime.block_on(proof(rounds))));
    let took = started.elapsed();
    let verdict = seen.as_ref().map_or(Verdict::Fails, |seen| Verdict::Holds(seen.clone()));
    table::add(Row { fault, took, verdict });
    if let Err(panic) = seen {
        resume_unwind(panic);
    }
}
