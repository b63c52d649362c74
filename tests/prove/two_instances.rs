//! Two instances under one load, with or without a kill of one of them.

use std::time::Duration;

use rand::RngExt;

use crate::environment::TestEnvironment;
use crate::swarm_process::AckedWrites;

/// Runs the load without a fault, which the checks must pass.
pub async fn no_fault(rounds: u32) -> String {
    let mut environment = TestEnvironment::with_shared_postgres(&["caraplace", "caraplace"]).await;
    let swarm = environment.start_swarm(&[]);
    for _ in 0..rounds {
        environment.wait_random_progress().await;
    }
    environment.finish_and_check(swarm, AckedWrites::default()).await.to_string()
}

pub async fn one_killed(rounds: u32) -> String {
    let mut environment = TestEnvironment::with_shared_postgres(&["caraplace", "caraplace"]).await;
    let swarm = environment.start_swarm(&[]);
    let mut longest_wait = Duration::ZERO;
    for _ in 0..rounds {
        environment.wait_random_progress().await;
        let victim = environment.rng.random_range(0..2);
        environment.instances[victim].process.kill();
        longest_wait = longest_wait.max(environment.instances[1 - victim].wait_for_placements(20).await);
        environment.instances[victim].restart().await;
        environment.instances[victim].wait_for_placements(20).await;
    }
    let checked = environment.finish_and_check(swarm, AckedWrites::default()).await;
    let seconds = longest_wait.as_secs_f64();
    format!("{rounds} kills, the other paints 20 more within {seconds:.1} s; {checked}")
}
