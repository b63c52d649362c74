//! Load by a timetable: every request has a moment at which it should go out, whatever became of those before it.
//!
//! Times count from that moment, so a server that stalls is charged for everything that had to wait.

mod deeds;
mod job;
pub mod mix;
mod pace;
mod recording;

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use serde::Serialize;
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinSet,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use crate::{args::Args, picture::Palette, wire::Account, world::World};
use deeds::Crew;
use job::Job;

/// Jobs that may be under way at once; beyond that the timetable waits, and their times count on.
const UNDER_WAY: usize = 65_536;
/// Jobs laid out ahead of their time.
const AHEAD: usize = 4_096;

/// How well the timetable was kept.
#[derive(Default, Serialize)]
pub struct Punctuality {
    pub jobs: u64,
    /// Jobs whose time had come before the end, and which had not been sent then: their latency is in no figure.
    pub unsent: u64,
    /// Lines of a recording that could not be used.
    pub skipped: u64,
    /// The longest that a job left after its time, in milliseconds.
    pub latest_ms: f64,
}

/// Whether the run follows a timetable; otherwise agents live by their own pace.
pub fn is_wanted(args: &Args) -> bool {
    args.rate.is_some() || args.recording.is_some()
}

/// Does everything there is to do, until the end of the timetable or of the run.
pub async fn run(world: Arc<World>, crew: Vec<Account>) -> Result<Punctuality> {
    let palette = Palette::parse(&world.canvas.palette)?;
    let (sender, jobs) = mpsc::channel(AHEAD);
    let size = (world.canvas.width, world.canvas.height);
    let agents = crew.len();
    let crew = Arc::new(Crew::new(world.clone(), crew));
    let digests = tokio::spawn(crew.clone().keep_reading());
    crew.first_reading().await;
    let laying = match &world.args.recording {
        Some(path) => {
            let file = recording::open(path)?;
            let speed = world.args.speed;
            tokio::task::spawn_blocking(move || recording::lay(file, &palette, size, agents, speed, &sender))
        }
        None => tokio::spawn(pace::lay(world.clone(), agents, sender)),
    };
    let mut kept = keep(crew, jobs, &world.stop).await;
    kept.skipped = laying.await??;
    digests.abort();
    Ok(kept)
}

async fn keep(crew: Arc<Crew>, mut jobs: mpsc::Receiver<Job>, stop: &CancellationToken) -> Punctuality {
    let (started, doors) = (Instant::now(), Arc::new(Semaphore::new(UNDER_WAY)));
    let mut kept = Punctuality::default();
    let mut under_way = JoinSet::new();
    while let Some(job) = jobs.recv().await {
        let planned = started + job.at;
        if stop.run_until_cancelled(sleep_until(planned)).await.is_none() {
            kept.unsent = unsent(job, &mut jobs, started.elapsed()).await;
            break;
        }
        let door = doors.clone().acquire_owned().await;
        kept.jobs += 1;
        kept.latest_ms = kept.latest_ms.max(planned.elapsed().as_secs_f64() * 1_000.0);
        let crew = crew.clone();
        let number = kept.jobs;
        under_way.spawn(async move {
            crew.perform(job, number, planned).await;
            drop(door);
        });
        while under_way.try_join_next().is_some() {}
    }
    // Whoever lays the timetable notices that nobody wants it any more.
    drop(jobs);
    while under_way.join_next().await.is_some() {}
    kept
}

/// How many jobs were due by the end, this one and those after it.
async fn unsent(next: Job, jobs: &mut mpsc::Receiver<Job>, end: Duration) -> u64 {
    let (mut next, mut count) = (Some(next), 0);
    while next.take().is_some_and(|job| job.at <= end) {
        count += 1;
        next = jobs.recv().await;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::job::What;
    use super::*;
    use crate::route::Route;

    #[tokio::test]
    async fn counts_jobs_due_but_not_sent() {
        let job = |at| Job { at: Duration::from_secs(at), agent: 0, what: What::Look(Route::Stats) };
        let (sender, mut jobs) = mpsc::channel(9);
        for at in [2, 3, 3, 4, 5] {
            sender.send(job(at)).await.unwrap();
        }
        assert_eq!(unsent(job(1), &mut jobs, Duration::from_secs(3)).await, 4);
        drop(sender);
        assert_eq!(unsent(job(5), &mut jobs, Duration::from_secs(9)).await, 2, "to the timetable's end");
        assert_eq!(unsent(job(4), &mut jobs, Duration::from_secs(3)).await, 0);
    }
}
