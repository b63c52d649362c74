//! Load by a timetable: every request has a planned time, independent of the responses to earlier ones.
//!
//! Latencies count from the planned time, so the time that requests wait for a stalled server is included.

mod job;
pub mod mix;
mod rate;
mod recording;
mod workers;

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use serde::Serialize;
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinSet,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use crate::{args::Args, picture::Palette, run_context::RunContext};
use job::Job;
use workers::Workers;

/// Maximum number of concurrent jobs. Beyond it the timetable waits, and latencies continue to count.
const MAX_CONCURRENT_JOBS: usize = 65_536;
/// Number of jobs that are prepared in advance.
const JOB_QUEUE_CAPACITY: usize = 4_096;

/// The statistics of a timetable.
#[derive(Default, Serialize)]
pub struct TimetableStats {
    pub jobs: u64,
    /// Jobs that were due before the end and were not sent. No latency includes them.
    pub unsent: u64,
    /// Lines of a recording that could not be used.
    pub skipped: u64,
    /// The greatest delay of a job after its planned time, in milliseconds.
    pub latest_ms: f64,
}

/// Returns true if the run follows a timetable. Otherwise agents act at their own pace.
pub fn is_requested(args: &Args) -> bool {
    args.rate.is_some() || args.recording.is_some()
}

/// Runs all jobs until the end of the timetable or of the run.
pub async fn run(context: Arc<RunContext>) -> Result<TimetableStats> {
    let palette = Palette::parse(&context.canvas.palette)?;
    let (sender, jobs) = mpsc::channel(JOB_QUEUE_CAPACITY);
    let size = (context.canvas.width, context.canvas.height);
    let agents = context.accounts.len();
    let workers = Arc::new(Workers::new(context.clone()));
    let digest_task = tokio::spawn(workers.clone().refresh_digest_forever());
    workers.load_digest().await;
    let generator = match &context.args.recording {
        Some(path) => {
            let file = recording::open(path)?;
            let speed = context.args.speed;
            tokio::task::spawn_blocking(move || {
                recording::generate_jobs(file, &palette, size, agents, speed, &sender)
            })
        }
        None => tokio::spawn(rate::generate_jobs(context.clone(), agents, sender)),
    };
    let mut stats = run_jobs(workers, jobs, &context.stop).await;
    stats.skipped = generator.await??;
    digest_task.abort();
    Ok(stats)
}

async fn run_jobs(
    workers: Arc<Workers>,
    mut jobs: mpsc::Receiver<Job>,
    stop: &CancellationToken,
) -> TimetableStats {
    let (started, semaphore) = (Instant::now(), Arc::new(Semaphore::new(MAX_CONCURRENT_JOBS)));
    let mut stats = TimetableStats::default();
    let mut running = JoinSet::new();
    while let Some(job) = jobs.recv().await {
        let planned = started + job.due;
        if stop.run_until_cancelled(sleep_until(planned)).await.is_none() {
            stats.unsent = count_unsent(job, &mut jobs, started.elapsed()).await;
            break;
        }
        let permit = semaphore.clone().acquire_owned().await;
        stats.jobs += 1;
        stats.latest_ms = stats.latest_ms.max(planned.elapsed().as_secs_f64() * 1_000.0);
        let workers = workers.clone();
        let number = stats.jobs;
        running.spawn(async move {
            workers.run_job(job, number, planned).await;
            drop(permit);
        });
        while running.try_join_next().is_some() {}
    }
    // Closing the channel stops the task that prepares the timetable.
    drop(jobs);
    while running.join_next().await.is_some() {}
    stats
}

/// Returns the number of jobs that were due by the end: this one and those after it.
async fn count_unsent(next: Job, jobs: &mut mpsc::Receiver<Job>, end: Duration) -> u64 {
    let (mut next, mut count) = (Some(next), 0);
    while next.take().is_some_and(|job| job.due <= end) {
        count += 1;
        next = jobs.recv().await;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::job::JobKind;
    use super::*;

    #[tokio::test]
    async fn counts_jobs_due_but_not_sent() {
        let kind = || JobKind::Read("/api/stats");
        let job = |at| Job { due: Duration::from_secs(at), agent: 0, kind: kind() };
        let (sender, mut jobs) = mpsc::channel(9);
        for at in [2, 3, 3, 4, 5] {
            sender.send(job(at)).await.unwrap();
        }
        assert_eq!(count_unsent(job(1), &mut jobs, Duration::from_secs(3)).await, 4);
        drop(sender);
        assert_eq!(
            count_unsent(job(5), &mut jobs, Duration::from_secs(9)).await,
            2,
            "to the timetable's end"
        );
        assert_eq!(count_unsent(job(4), &mut jobs, Duration::from_secs(3)).await, 0);
    }
}
