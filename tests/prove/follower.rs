//! A follower whose database connections are terminated repeatedly while another instance writes.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::database_check;
use crate::environment::TestEnvironment;
use crate::swarm_process::{AckedWrites, SwarmProcess};

/// The follower's own database user, by which its connections are found.
const FOLLOWER_USER: &str = "follower";

pub async fn database_connections_cut(rounds: u32) -> String {
    let mut environment = TestEnvironment::with_shared_postgres(&["caraplace", FOLLOWER_USER]).await;
    let [writer, follower] = [0, 1].map(|index| environment.instances[index].proxy.base_url.clone());
    let swarm = SwarmProcess::start(&[&writer], &["--watch", &writer, "--watch", &follower]);
    environment.first_instance().wait_for_placements(100).await;
    let mut connection = database_check::connect(&environment.database_url()).await;
    let mut ticks = interval(Duration::from_secs(1));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut terminated_count = 0;
    for _ in 0..rounds {
        ticks.tick().await;
        let statement = "select count(*) filter (where pg_terminate_backend(pid)) from pg_stat_activity where usename = $1";
        let terminated: i64 =
            sqlx::query_scalar(statement).bind(FOLLOWER_USER).fetch_one(&mut connection).await.unwrap();
        assert!(terminated > 0, "the follower was not connected");
        terminated_count += terminated;
        environment.instances[1].wait_for_placements(1).await;
    }
    environment.wait_random_progress().await;
    let checked = environment.finish_and_check(swarm, AckedWrites::default()).await;
    format!("{rounds} times, {terminated_count} connections; {checked}")
}
