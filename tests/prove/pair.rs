//! Two instances under one load: one of them killed, or neither.

use std::time::Duration;

use rand::RngExt;

use crate::crowd::Acks;
use crate::stage::Stage;

/// Where nothing happens, everything is fine.
pub async fn sound(rounds: u32) -> String {
    let mut stage = Stage::on_cluster(&["caraplace", "caraplace"]).await;
    let crowd = stage.crowd(&[]);
    for _ in 0..rounds {
        stage.some_time().await;
    }
    stage.verdict(crowd, Acks::default()).await.to_string()
}

pub async fn one_killed(rounds: u32) -> String {
    let mut stage = Stage::on_cluster(&["caraplace", "caraplace"]).await;
    let crowd = stage.crowd(&[]);
    let mut longest = Duration::ZERO;
    for _ in 0..rounds {
        stage.some_time().await;
        let victim = stage.luck.random_range(0..2);
        stage.instances[victim].process.kill();
        longest = longest.max(stage.instances[1 - victim].grown_by(20).await);
        stage.instances[victim].start_again().await;
        stage.instances[victim].grown_by(20).await;
    }
    let seen = stage.verdict(crowd, Acks::default()).await;
    let longest = longest.as_secs_f64();
    format!("{rounds} kills, the other paints 20 more within {longest:.1} s; {seen}")
}
