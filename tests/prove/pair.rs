//! Two instances under one load: one of them killed, or neither.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use rand::RngExt;

use crate::audit;
use crate::crowd::Acks;
use crate::stage::Stage;

/// What must be noticed, each with how it is made good again.
const LIES: [(&str, &str); 6] = [
    ("update placement set previous = -1 - previous", "update placement set previous = -1 - previous"),
    (
        "update placement set color = 15 - color where seq = $",
        "update placement set color = 15 - color where seq = $",
    ),
    ("update placement set seq = -1 where seq = $", "update placement set seq = $ where seq = -1"),
    ("update agent set chat_credits = chat_credits + 1", "update agent set chat_credits = chat_credits - 1"),
    (
        "update agent set pixels_placed = pixels_placed + 1",
        "update agent set pixels_placed = pixels_placed - 1",
    ),
    ("update chat_message set id = 'x' || id", "update chat_message set id = substr(id, 2)"),
];

/// Where nothing happens everything is fine, and where something is wrong it is noticed: a verdict that is always
/// the same would prove nothing.
pub async fn sound(rounds: u32) -> String {
    let mut stage = Stage::on_cluster(&["caraplace", "caraplace"]).await;
    let crowd = stage.crowd(&[]);
    for _ in 0..rounds {
        stage.some_time().await;
    }
    let (_, acks) = crowd.finish().await;
    let url = stage.database_url();
    audit::check(&url, &stage.instances, &acks).await;
    println!("six complaints are wanted now");
    for (lie, truth) in LIES {
        tell(&url, lie, &acks).await;
        let noticed = AssertUnwindSafe(audit::check(&url, &stage.instances, &acks)).catch_unwind().await;
        assert!(noticed.is_err(), "nobody noticed: {lie}");
        tell(&url, truth, &acks).await;
    }
    audit::check(&url, &stage.instances, &acks).await;
    format!("{} pixels; {} falsifications noticed", acks.pixels.len(), LIES.len())
}

async fn tell(url: &str, sql: &str, acks: &Acks) {
    let newest = acks.pixels.keys().next_back().unwrap();
    let sql = sqlx::AssertSqlSafe(sql.replace('$', &newest.to_string()));
    sqlx::raw_sql(sql).execute(&mut audit::connect(url).await).await.unwrap();
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
