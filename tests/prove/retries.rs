//! Connections cut before the response is read: a retry with the same Idempotency-Key has no second effect.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::environment::{POLL_INTERVAL, TestEnvironment};
use crate::swarm_process::AckedWrites;

/// Number of cuts per round.
const CUTS_PER_ROUND: usize = 50;
/// At least one in this many cut requests must have been executed and its response replayed.
const MAX_CUTS_PER_REPLAY: usize = 4;
const CUTS_TIMEOUT: Duration = Duration::from_mins(2);

pub async fn connections_cut(rounds: u32) -> String {
    let wanted_cuts = rounds as usize * CUTS_PER_ROUND;
    let environment = TestEnvironment::single().await;
    let swarm = environment.start_swarm(&["--replays", "0"]);
    let proxy = &environment.first_instance().proxy;
    proxy.set_cutting(true);
    let wait_for_cuts = async {
        while proxy.cut_count() < wanted_cuts {
            sleep(POLL_INTERVAL).await;
        }
    };
    timeout(CUTS_TIMEOUT, wait_for_cuts).await.expect("too little is sent to be cut");
    proxy.set_cutting(false);
    let cut_count = proxy.cut_count();
    let checked = environment.finish_and_check(swarm, AckedWrites::default()).await;
    // The other cuts hit retries, refused requests, and requests that the server had not read yet.
    assert!(
        checked.replayed_count >= cut_count / MAX_CUTS_PER_REPLAY,
        "too few responses were replayed: {cut_count} cuts, {checked}"
    );
    format!("{cut_count} cuts; {checked}")
}
