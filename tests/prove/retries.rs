//! Connections cut before the answer is read: the same request again, under its key, does nothing twice.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::crowd::Acks;
use crate::stage::{MOMENT, Stage};

/// Cuts for each round.
const CUTS: usize = 50;
const PATIENCE: Duration = Duration::from_secs(120);

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
    assert!(!seen.ends_with(" 0 replayed"), "no answer had to be given again: {seen}");
    format!("{cuts} cuts; {seen}")
}
