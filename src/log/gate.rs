//! The gate: one task per instance that takes everything queued and writes it as one transaction.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::{Connection, PgConnection, Postgres, Transaction};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::deed::{Entry, Fate, Needs};
use super::effects::Effects;
use super::ground::{Ground, Known};
use super::{Log, store};
use crate::clock::moment;
use crate::database;
use crate::live::event::Event;
use crate::telemetry::METRICS;

/// How many writes may wait; one more is refused at once.
pub(super) const QUEUE: usize = 4_096;
/// How many writes share a transaction at most.
const BATCH: usize = 256;
/// How long each step of a transaction may take before its writes are refused.
const PATIENCE: Duration = Duration::from_secs(5);
/// A connection that was not used for so long is asked whether it is still there.
const RESTED: Duration = Duration::from_secs(1);
/// Between two questions whether a commit that was not answered has happened.
const ASK_AGAIN: Duration = Duration::from_millis(100);

type Batch = Vec<Box<dyn Entry>>;

/// Why a batch was not written, or not known to be.
enum Failure {
    /// Nothing is in the log.
    Undone(sqlx::Error),
    /// The commit was sent, but not answered.
    Unanswered(Effects),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Undone(error)
    }
}

/// Writes for as long as it is not aborted.
pub(super) async fn run(log: Arc<Log>, mut queue: mpsc::Receiver<Box<dyn Entry>>) {
    let mut gate = Gate { log, connection: None, used_at: moment() };
    let mut batch = Batch::with_capacity(BATCH);
    while queue.recv_many(&mut batch, BATCH).await > 0 {
        METRICS.batch_size.observe(batch.len() as f64);
        let fate = gate.pass(&mut batch).await;
        batch.drain(..).for_each(|entry| entry.answer(fate));
        if fate != Fate::Committed {
            // Those who waited meanwhile would only wait longer.
            while let Ok(entry) = queue.try_recv() {
                entry.answer(Fate::Undone);
            }
        }
    }
}

struct Gate {
    log: Arc<Log>,
    /// Kept while it works; its prepared statements are warm.
    connection: Option<PgConnection>,
    used_at: Instant,
}

impl Gate {
    async fn pass(&mut self, batch: &mut [Box<dyn Entry>]) -> Fate {
        match self.write(batch).await {
            Ok(()) => Fate::Committed,
            Err(Failure::Undone(error)) => {
                self.connection = None;
                database::report(&error, "a batch could not be written");
                Fate::Undone
            }
            Err(Failure::Unanswered(effects)) => {
                self.connection = None;
                self.find(&effects).await
            }
        }
    }

    async fn write(&mut self, batch: &mut [Box<dyn Entry>]) -> Result<(), Failure> {
        let log = self.log.clone();
        let mut transaction = self.begin().await?;
        let effects = in_time(decide(&log, &mut transaction, batch)).await?;
        if effects.events.is_empty() {
            return Ok(in_time(transaction.rollback()).await?);
        }
        if in_time(transaction.commit()).await.is_err() {
            return Err(Failure::Unanswered(effects));
        }
        METRICS.placements.inc_by(effects.strokes.len() as u64);
        log.apply(&effects.events);
        Ok(())
    }

    /// On the kept connection, or on a new one should it have died since.
    async fn begin(&mut self) -> Result<Transaction<'_, Postgres>, sqlx::Error> {
        let rested = self.used_at.elapsed() > RESTED;
        self.used_at = moment();
        let alive = match &mut self.connection {
            Some(connection) => !rested || in_time(connection.ping()).await.is_ok(),
            None => false,
        };
        if !alive {
            self.connection = Some(in_time(self.log.connect()).await?);
        }
        match &mut self.connection {
            Some(connection) => in_time(connection.begin()).await,
            None => Err(sqlx::Error::PoolClosed),
        }
    }

    /// Asks the log whether a commit that was not answered has happened.
    async fn find(&self, effects: &Effects) -> Fate {
        let deadline = moment() + PATIENCE;
        while moment() < deadline {
            match in_time(is_written(&self.log, effects)).await {
                Ok(true) => return Fate::Committed,
                Ok(false) => return Fate::Undone,
                Err(error) => database::report(&error, "it is not known yet whether a batch was written"),
            }
            sleep(ASK_AGAIN).await;
        }
        tracing::warn!(
            events = effects.events.len(),
            "it could not be found out whether a batch was written"
        );
        Fate::Unknown
    }
}

/// Everything between the lock and the commit.
async fn decide(
    log: &Log,
    connection: &mut PgConnection,
    batch: &mut [Box<dyn Entry>],
) -> Result<Effects, sqlx::Error> {
    let head = store::lock_head(connection).await?;
    log.read_up_to(connection, head.seq).await?;
    let mut needs = Needs::default();
    batch.iter().for_each(|entry| entry.needs(&mut needs));
    let (now, accounts) = store::accounts(connection, &needs.accounts, log.clock.offset(), head.at).await?;
    let known = Known {
        accounts,
        messages: store::existing_messages(connection, &needs.messages).await?,
        reactions: store::reactions(connection, &needs.reactions).await?,
        answers: store::answers(connection, &needs.answers, now).await?,
    };
    let effects = {
        let world = log.world.read();
        let mut ground = Ground::new(now, &log.game, &world, known);
        batch.iter_mut().for_each(|entry| entry.decide(&mut ground));
        ground.into_effects()
    };
    if !effects.events.is_empty() {
        store::record(connection, &effects, now).await?;
    }
    Ok(effects)
}

/// Whether exactly these events are in the log. Behind the gate the answer is final: a transaction that was still
/// committing has ended by then.
async fn is_written(log: &Log, effects: &Effects) -> Result<bool, sqlx::Error> {
    let (Some(first), Some(last)) = (effects.events.first(), effects.events.last()) else { return Ok(false) };
    let mut connection = log.connect().await?;
    let mut transaction = connection.begin().await?;
    store::lock_head(&mut transaction).await?;
    let stored = store::events(&mut transaction, first.seq() - 1, last.seq()).await?;
    transaction.rollback().await?;
    let same = |(stored, ours): (&Event, &Event)| stored.is(ours);
    let written = stored.len() == effects.events.len() && stored.iter().zip(&effects.events).all(same);
    if written {
        log.read_up_to(&mut connection, last.seq()).await?;
    }
    Ok(written)
}

/// A database that does not answer is as good as none.
async fn in_time<T>(work: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
    timeout(PATIENCE, work).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}
