//! A follower whose database connections are ended again and again, while another instance writes.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::audit;
use crate::crowd::{Acks, Crowd};
use crate::stage::Stage;

/// The follower has a name of its own in the database, by which its connections are found.
const FOLLOWER: &str = "follower";

pub async fn cut(rounds: u32) -> String {
    let mut stage = Stage::on_cluster(&["caraplace", FOLLOWER]).await;
    let [writer, follower] = [0, 1].map(|index| stage.instances[index].front.base.clone());
    let crowd = Crowd::start(&[&writer], &["--watch", &writer, "--watch", &follower]);
    stage.first().grown_by(100).await;
    let mut connection = audit::connect(&stage.database_url()).await;
    let mut second = interval(Duration::from_secs(1));
    second.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut ended = 0;
    for _ in 0..rounds {
        second.tick().await;
        let end = "select count(*) filter (where pg_terminate_backend(pid)) from pg_stat_activity where usename = $1";
        let now: i64 = sqlx::query_scalar(end).bind(FOLLOWER).fetch_one(&mut connection).await.unwrap();
        assert!(now > 0, "the follower was not connected");
        ended += now;
        stage.instances[1].grown_by(1).await;
    }
    stage.some_time().await;
    let seen = stage.verdict(crowd, Acks::default()).await;
    format!("{rounds} times, {ended} connections; {seen}")
}
