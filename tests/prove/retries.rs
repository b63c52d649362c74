//! Connections cut before the answer is read: the same request again, under its key, does nothing twice.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::crowd::Acks;
use crate::stage::{MOMENT, Stage};

/// Cuts for each round.
const CUTS: usize = 50;
/// At least one in so many must have been done, and its answer given again.
const REPLAYED: usize = 4;
const PATIENCE: Duration = Duration::from_mins(2);

pub async fn cut(rounds: u32) -> String {
    let wanted = rounds as usize * CUTS;
    let stage = Stage::alone().await;
    let crowd = stage.crowd(&["--replays", "0"]);
    let front = &stage.first().front;
    front.cut(true);
    let enough = async {
        while front.cuts() < wanted {
            sleep(MOMENT).await;
        }
    };
    timeout(PATIENCE, enough).await.expect("too little is sent to be cut");
    front.cut(false);
    let cuts = front.cuts();
    let seen = stage.verdict(crowd, Acks::default()).await;
    // The other cuts hit what had been cut before, what was refused, and requests that had not been read yet.
    assert!(seen.replayed >= cuts / REPLAYED, "hardly an answer had to be given again: {cuts} cuts, {seen}");
    format!("{cuts} cuts; {seen}")
}
