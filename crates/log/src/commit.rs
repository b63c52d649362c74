//! Decides a batch at the head of the log and writes it in one transaction.

use std::mem;

use chrono::{DateTime, Utc};
use platform::telemetry::{METRICS, PhaseTimer};
use sqlx::postgres::{PgDatabaseError, PgSeverity};
use sqlx::{Connection, PgConnection};

use super::batch_context::{BatchContext, LookupNeeds, Lookups};
use super::batch_effects::BatchEffects;
use super::clock_watch;
use super::error::LogError;
use super::part::{HeadState, Parts};
use super::projector::Projector;
use super::reply_batcher::ErasedCommand;
use super::store::{self, HeadPosition};
use super::timeout::with_step_timeout;
use super::writer_cache::WriterCache;

/// The reason why a batch was not written, or why its outcome is unknown.
pub(super) enum BatchFailure {
    /// The batch was rolled back.
    NotCommitted(LogError),
    /// The commit was sent, but not answered.
    Unanswered(Box<BatchEffects>, LogError),
}

impl From<LogError> for BatchFailure {
    fn from(error: LogError) -> Self {
        Self::NotCommitted(error)
    }
}

/// Decides and writes a batch: optimistically if that is likely to succeed, otherwise with the head locked.
pub(super) async fn commit_batch(
    projector: &Projector,
    connection: &mut PgConnection,
    cache: &mut WriterCache,
    batch: &mut [Box<dyn ErasedCommand>],
) -> Result<BatchEffects, BatchFailure> {
    let mut needs = LookupNeeds { parts: Parts::new(projector.nouns.parts), ..LookupNeeds::default() };
    batch.iter().for_each(|command| command.require_lookups(&mut needs));
    let mut writer = BatchWriter { projector, cache, needs, batch };
    if let Some(effects) = writer.write_optimistically(connection).await? {
        return Ok(effects);
    }
    writer.write_with_lock(connection).await
}

/// A batch, and the data for deciding it.
struct BatchWriter<'a> {
    projector: &'a Projector,
    cache: &'a mut WriterCache,
    needs: LookupNeeds,
    batch: &'a mut [Box<dyn ErasedCommand>],
}

impl BatchWriter<'_> {
    /// Decides on the cached state, and writes in one statement that does nothing if the head has moved
    /// since. Returns `None` if nothing was written and the batch must be decided again.
    async fn write_optimistically(
        &mut self,
        connection: &mut PgConnection,
    ) -> Result<Option<BatchEffects>, BatchFailure> {
        let has_accounts =
            self.needs.needs_only_accounts() && self.cache.missing_accounts(&self.needs.accounts).is_empty();
        let Some(head) = self.cache.likely_head().filter(|_| has_accounts) else { return Ok(None) };
        let Some(now) = self.cache.now(&self.projector.clock) else { return Ok(None) };
        let mut timer = PhaseTimer::start();
        let parts = self.take_parts();
        let decided = self.decide(Lookups::default(), parts, head, now);
        // A batch of refusals writes nothing, so only the locked head can show whether they are right.
        let Some(effects) = decided.filter(|effects| !effects.events.is_empty()) else { return Ok(None) };
        // A milestone's message, for example, takes a statement of its own.
        if !effects.fits_one_statement() {
            self.cache.invalidate();
            return Ok(None);
        }
        timer.observe_phase(&METRICS.writer.decide);
        let recorded =
            with_step_timeout(store::write_batch(connection, &effects, &self.cache.accounts, head, now))
                .await;
        timer.observe_phase(&METRICS.writer.write);
        match recorded {
            Ok(true) => {
                METRICS.writer.optimistic.inc();
                self.cache.advance(effects.new_head(head.seq), now);
                Ok(Some(effects))
            }
            Ok(false) => {
                METRICS.writer.conflicted.inc();
                self.cache.mark_contended();
                Ok(None)
            }
            Err(error) if is_rolled_back(&error) => Err(BatchFailure::NotCommitted(error)),
            Err(error) => Err(BatchFailure::Unanswered(Box::new(effects), error)),
        }
    }

    /// Returns the parts in which the needs were collected. After the first call, returns new ones: only a
    /// batch without needs is decided optimistically, so nothing is lost when it is decided again.
    fn take_parts(&mut self) -> Parts {
        let parts = mem::take(&mut self.needs.parts);
        if parts.is_empty() { Parts::new(self.projector.nouns.parts) } else { parts }
    }

    async fn write_with_lock(mut self, connection: &mut PgConnection) -> Result<BatchEffects, BatchFailure> {
        METRICS.writer.locked.inc();
        let mut timer = PhaseTimer::start();
        let mut transaction = with_step_timeout(connection.begin()).await?;
        let effects = with_step_timeout(self.read_and_decide(&mut transaction, &mut timer)).await?;
        if effects.is_empty() {
            with_step_timeout(transaction.rollback()).await?;
            return Ok(effects);
        }
        let committed = with_step_timeout(transaction.commit()).await;
        timer.observe_phase(&METRICS.writer.commit);
        match committed {
            Ok(()) => Ok(effects),
            Err(error) => Err(BatchFailure::Unanswered(Box::new(effects), error)),
        }
    }

    /// Does everything between the lock and the commit.
    async fn read_and_decide(
        &mut self,
        connection: &mut PgConnection,
        timer: &mut PhaseTimer,
    ) -> Result<BatchEffects, LogError> {
        let head = clock_watch::lock_head(connection, &self.projector.clock).await?;
        self.projector.apply_control_log(connection, head.control).await?;
        self.projector.read_up_to(connection, head.seq).await?;
        self.projector.apply_names();
        self.projector.publish_settings();
        timer.observe_phase(&METRICS.writer.head_lock);
        self.cache.update_head(&head, &self.projector.clock);
        let missing = self.cache.missing_accounts(&self.needs.accounts);
        self.cache.insert_accounts(store::accounts(connection, &missing).await?);
        let mut parts = self.take_parts();
        parts.read(connection, HeadState { now: head.now, world: &self.projector.world }).await?;
        let lookups = Lookups { answers: store::answers(connection, &self.needs.answers, head.now).await? };
        let position = head.position();
        let now = head.now;
        let effects = self.decide(lookups, parts, position, now).ok_or(LogError::ProjectionBehind)?;
        timer.observe_phase(&METRICS.writer.decide);
        if !effects.is_empty() {
            if !store::write_batch(connection, &effects, &self.cache.accounts, position, now).await? {
                return Err(LogError::HeadMoved);
            }
            timer.observe_phase(&METRICS.writer.write);
            self.cache.advance(effects.new_head(position.seq), now);
            self.append_control_entries(connection, &effects).await?;
            store::notify_private_news(connection, &effects.parts.concerned_accounts()).await?;
        }
        Ok(effects)
    }

    /// Adds the entries of the control log by which other instances learn of changed parts.
    async fn append_control_entries(
        &mut self,
        connection: &mut PgConnection,
        effects: &BatchEffects,
    ) -> Result<(), sqlx::Error> {
        let entries = effects.parts.control_entries();
        if entries.is_empty() {
            return Ok(());
        }
        self.cache.invalidate();
        store::append_control_entries(connection, &entries, self.projector.clock.offset()).await
    }

    /// Decides each command in order. Returns `None` if the world is not at the head.
    fn decide(
        &mut self,
        lookups: Lookups,
        parts: Parts,
        head: HeadPosition,
        now: DateTime<Utc>,
    ) -> Option<BatchEffects> {
        let world = self.projector.world.read();
        if world.head != head.seq {
            return None;
        }
        let game = self.projector.settings.game();
        let mut context = BatchContext::new(now, &game, &world, &mut self.cache.accounts, lookups, parts);
        self.batch.iter_mut().for_each(|command| command.decide(&mut context));
        Some(context.effects)
    }
}

/// Returns true if the database itself reported that it rolled back, and the connection is still usable.
fn is_rolled_back(error: &LogError) -> bool {
    let LogError::Database(error) = error else { return false };
    let database_error =
        error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
    database_error.is_some_and(|error| error.severity() == PgSeverity::Error)
}
