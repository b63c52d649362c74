//! The writer: one task per instance that takes all queued commands and writes them in one transaction.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use caraplace_live::event::Event;
use platform::clock::monotonic_now;
use platform::telemetry::{METRICS, PhaseTimer};
use sqlx::{Connection, PgConnection};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::batch_effects::BatchEffects;
use super::commit::{BatchFailure, commit_batch};
use super::error::LogError;
use super::projector::Projector;
use super::reply_batcher::{CommitOutcome, ErasedCommand};
use super::timeout::{STEP_TIMEOUT, with_step_timeout};
use super::write_health::WriteHealth;
use super::writer_cache::WriterCache;
use super::{metrics, reply_batcher, store};

/// The maximum number of queued commands; one more is refused at once.
pub(super) const QUEUE_CAPACITY: usize = 4_096;
/// The maximum number of commands in a transaction.
const MAX_BATCH_COMMANDS: usize = 256;
/// The idle time after which the connection is tested before use.
const IDLE_BEFORE_PING: Duration = Duration::from_secs(1);
/// The interval between checks whether an unanswered commit has succeeded.
const COMMIT_CHECK_INTERVAL: Duration = Duration::from_millis(100);

type Batch = Vec<Box<dyn ErasedCommand>>;

/// Runs the writer until the task is aborted.
pub(super) async fn run(
    projector: Arc<Projector>,
    health: Arc<WriteHealth>,
    mut queue: mpsc::Receiver<Box<dyn ErasedCommand>>,
) {
    let used_at = monotonic_now();
    let cache = WriterCache::empty();
    let mut writer = Writer { projector, health, connection: None, used_at, cache };
    let mut batch = Batch::with_capacity(MAX_BATCH_COMMANDS);
    while queue.recv_many(&mut batch, MAX_BATCH_COMMANDS).await > 0 {
        METRICS.writer.batch_size.observe(batch.len() as f64);
        let outcome = writer.process_batch(&mut batch).await;
        metrics::count_batch(outcome);
        reply_batcher::reply_to_batch(&mut batch, outcome);
        if outcome != CommitOutcome::Committed {
            // The writer is in trouble, so commands that have queued up meanwhile are refused instead of
            // waiting longer.
            while let Ok(command) = queue.try_recv() {
                command.reply(CommitOutcome::NotCommitted);
            }
        }
    }
}

struct Writer {
    projector: Arc<Projector>,
    health: Arc<WriteHealth>,
    /// Reused as long as it works, because its statements are prepared.
    connection: Option<PgConnection>,
    used_at: Instant,
    cache: WriterCache,
}

impl Writer {
    async fn process_batch(&mut self, batch: &mut [Box<dyn ErasedCommand>]) -> CommitOutcome {
        self.health.begin_batch();
        match self.write_batch(batch).await {
            Ok(has_written) => {
                self.health.end_batch(Ok(has_written));
                CommitOutcome::Committed
            }
            Err(BatchFailure::NotCommitted(error)) => {
                self.reset();
                self.health.end_batch(Err((&error).into()));
                error.report("batch not written");
                CommitOutcome::NotCommitted
            }
            Err(BatchFailure::Unanswered(effects, error)) => {
                self.reset();
                error.count_in_metrics();
                tracing::warn!(%error, "commit without an answer");
                let outcome = self.find_outcome(&effects).await;
                let is_written = outcome == CommitOutcome::Committed;
                self.health.end_batch(if is_written { Ok(true) } else { Err((&error).into()) });
                if outcome != CommitOutcome::NotCommitted {
                    self.announce_private_news(&effects);
                }
                outcome
            }
        }
    }

    /// Decides and writes a batch. Returns true if there was something to write.
    async fn write_batch(&mut self, batch: &mut [Box<dyn ErasedCommand>]) -> Result<bool, BatchFailure> {
        let projector = self.projector.clone();
        let mut connection = self.take_connection().await?;
        let effects = commit_batch(&projector, &mut connection, &mut self.cache, batch).await?;
        METRICS.writer.placements.inc_by(effects.placements.len() as u64);
        effects.parts.count_in_metrics();
        let mut timer = PhaseTimer::start();
        let publish_parts = effects.parts.publish(&mut connection, &projector.hub);
        if let Err(error) = with_step_timeout(publish_parts).await {
            error.report("changes of parts could not be published");
        }
        projector.apply_committed(&mut connection, &effects.events).await;
        self.announce_private_news(&effects);
        timer.observe_phase(&METRICS.writer.publish);
        // The events are committed, so an error here is not one of the batch: the follower tries again.
        if let Err(error) = with_step_timeout(projector.read_outdated(&mut connection)).await {
            error.report("outdated data could not be read again");
        }
        self.connection = Some(connection);
        Ok(!effects.is_empty())
    }

    /// Announces the private news of a batch here. The follower ignores the notifications of the writer's own
    /// connection.
    fn announce_private_news(&self, effects: &BatchEffects) {
        self.projector.hub.announce_private_news(&effects.parts.concerned_accounts());
    }

    /// Takes the open connection, or opens another one if it was lost since its last use.
    async fn take_connection(&mut self) -> Result<PgConnection, LogError> {
        let is_idle = self.used_at.elapsed() > IDLE_BEFORE_PING;
        self.used_at = monotonic_now();
        if let Some(mut connection) = self.connection.take()
            && (!is_idle || with_step_timeout(connection.ping()).await.is_ok())
        {
            return Ok(connection);
        }
        self.reset();
        let mut connection = with_step_timeout(self.projector.connect()).await?;
        let process = with_step_timeout(store::backend_process_id(&mut connection)).await?;
        self.projector.writer_process.store(process, Ordering::Relaxed);
        Ok(connection)
    }

    fn reset(&mut self) {
        self.connection = None;
        self.cache.invalidate();
    }

    /// Finds out whether an unanswered commit has succeeded.
    async fn find_outcome(&self, effects: &BatchEffects) -> CommitOutcome {
        let deadline = monotonic_now() + STEP_TIMEOUT;
        while monotonic_now() < deadline {
            match with_step_timeout(is_written(&self.projector, effects)).await {
                Ok(true) => return CommitOutcome::Committed,
                Ok(false) => return CommitOutcome::NotCommitted,
                Err(error) => error.report("outcome of a batch still unknown"),
            }
            sleep(COMMIT_CHECK_INTERVAL).await;
        }
        tracing::warn!(events = effects.events.len(), "outcome of a batch unknown");
        CommitOutcome::Unknown
    }
}

/// Returns true if exactly these events are in the log. With the head locked the answer is final: a
/// transaction that was still committing has ended by then, and a statement that is still in transit fails
/// because of the advanced epoch.
async fn is_written(projector: &Projector, effects: &BatchEffects) -> Result<bool, LogError> {
    let mut connection = projector.connect().await?;
    let mut transaction = connection.begin().await?;
    store::lock_head(&mut transaction).await?;
    let span = effects.events.first().zip(effects.events.last());
    let written = match span {
        Some((first, last)) => {
            let stored =
                store::events(&mut transaction, projector.nouns, first.seq().previous(), last.seq()).await?;
            let is_same = |(stored, expected): (&Event, &Event)| stored.is_same_event(expected);
            stored.len() == effects.events.len() && stored.iter().zip(&effects.events).all(is_same)
        }
        // Changes of parts are not in the log. A batch without any can be repeated without harm.
        None => effects.parts.is_stored(&mut transaction).await?.unwrap_or(false),
    };
    if !written {
        store::advance_epoch(&mut transaction).await?;
    }
    transaction.commit().await?;
    if let Some((_, last)) = span.filter(|_| written) {
        projector.read_up_to(&mut connection, last.seq()).await?;
    }
    Ok(written)
}
