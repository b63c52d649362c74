//! The server, PostgreSQL, or both are killed at random times.

use std::time::Duration;

use platform::clock;
use rand::RngExt;
use rustix::process::Signal;
use tokio::time::{sleep, timeout};

use crate::environment::{Instance, POLL_INTERVAL, PROGRESS_TIMEOUT, TestEnvironment};
use crate::plan_writers::PlanWriters;
use crate::support::postmaster::{postmaster_in, send_signal_to_family};
use crate::swarm_process::AckedWrites;

#[derive(Clone, Copy, PartialEq)]
enum Victim {
    Server,
    Postgres,
    Both,
}

pub async fn kill_server(rounds: u32) -> String {
    kill_repeatedly(rounds, Victim::Server).await
}

pub async fn kill_postgres(rounds: u32) -> String {
    kill_repeatedly(rounds, Victim::Postgres).await
}

pub async fn kill_both(rounds: u32) -> String {
    kill_repeatedly(rounds, Victim::Both).await
}

/// Kills the server, PostgreSQL or both while authors write plans.
pub async fn kill_under_plan_writers(rounds: u32) -> String {
    let mut environment = TestEnvironment::single().await;
    let writers = PlanWriters::start(environment.first_instance());
    for _ in 0..rounds {
        let wanted = writers.acked_count() + environment.rng.random_range(5..40);
        wait_for_plans(&writers, wanted).await;
        let victim = [Victim::Server, Victim::Postgres, Victim::Both][environment.rng.random_range(0..3)];
        kill(&mut environment, victim).await;
    }
    wait_for_plans(&writers, writers.acked_count() + 10).await;
    let url = environment.database_url();
    let written = writers.finish_and_check(&url, environment.first_instance()).await;
    let (code, report) = environment.first_instance().process.check().await;
    assert_eq!(code, 0, "caraplace check: {report}");
    format!("{rounds} kills; {written}")
}

async fn wait_for_plans(writers: &PlanWriters, count: usize) {
    let wait = async {
        while writers.acked_count() < count {
            sleep(POLL_INTERVAL).await;
        }
    };
    timeout(PROGRESS_TIMEOUT, wait).await.expect("no plan is opened any more");
}

async fn kill_repeatedly(rounds: u32, victim: Victim) -> String {
    let mut environment = TestEnvironment::single().await;
    let swarm = environment.start_swarm(&[]);
    let mut longest_recovery = Duration::ZERO;
    for _ in 0..rounds {
        environment.wait_random_progress().await;
        let killed_at = clock::monotonic_now();
        kill(&mut environment, victim).await;
        environment.first_instance().wait_for_placements(1).await;
        longest_recovery = longest_recovery.max(killed_at.elapsed());
    }
    environment.wait_random_progress().await;
    let checked = environment.finish_and_check(swarm, AckedWrites::default()).await;
    format!("{rounds} kills, painting again after at most {:.1} s; {checked}", longest_recovery.as_secs_f64())
}

async fn kill(environment: &mut TestEnvironment, victim: Victim) {
    let server_first: bool = environment.rng.random();
    let server = environment.first_instance_mut();
    let kill_postgres_of =
        |server: &Instance| send_signal_to_family(postmaster_in(&server.process.data).unwrap(), Signal::KILL);
    if victim == Victim::Postgres || victim == Victim::Both && !server_first {
        kill_postgres_of(server);
    }
    if victim != Victim::Postgres {
        server.process.kill();
        // No process restarts PostgreSQL between the two kills.
        if victim == Victim::Both && server_first {
            kill_postgres_of(server);
        }
        server.restart().await;
    }
}
