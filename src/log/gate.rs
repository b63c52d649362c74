//! The gate: one task per instance that takes everything queued and writes it as one transaction.

use std::sync::Arc;
use std::time::Duration;

use sqlx::{Connection, PgConnection};
use tokio::sync::mpsc;

use super::deed::{Entry, Needs};
use super::effects::Effects;
use super::ground::{Ground, Known};
use super::{Log, store};
use crate::telemetry::METRICS;

/// How many writes may wait; one more is refused at once.
pub(super) const QUEUE: usize = 4_096;
/// How many writes share a transaction at most.
const BATCH: usize = 256;
/// How long a transaction may take before its writes are refused.
const PATIENCE: Duration = Duration::from_secs(5);

type Batch = Vec<Box<dyn Entry>>;

/// Writes until the queue is closed and empty.
pub(super) async fn run(log: Arc<Log>, mut queue: mpsc::Receiver<Box<dyn Entry>>) {
    let mut gate = Gate { log, connection: None };
    let mut batch = Batch::with_capacity(BATCH);
    while queue.recv_many(&mut batch, BATCH).await > 0 {
        METRICS.batch_size.observe(batch.len() as f64);
        let committed = gate.pass(&mut batch).await;
        batch.drain(..).for_each(|entry| entry.answer(committed));
    }
}

struct Gate {
    log: Arc<Log>,
    /// Kept while it works; its prepared statements are warm.
    connection: Option<PgConnection>,
}

impl Gate {
    async fn pass(&mut self, batch: &mut Batch) -> bool {
        let problem = match tokio::time::timeout(PATIENCE, self.write(batch)).await {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("no answer within {} s", PATIENCE.as_secs()),
        };
        tracing::warn!(problem, writes = batch.len(), "a batch could not be written");
        self.connection = None;
        false
    }

    async fn write(&mut self, batch: &mut Batch) -> Result<(), sqlx::Error> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            None => self.connection.insert(self.log.connect().await?),
        };
        let mut transaction = connection.begin().await?;
        let effects = decide(&self.log, &mut transaction, batch).await?;
        if effects.events.is_empty() {
            return transaction.rollback().await;
        }
        transaction.commit().await?;
        METRICS.placements.inc_by(effects.strokes.len() as u64);
        self.log.apply(&effects.events);
        Ok(())
    }
}

/// Everything between the lock and the commit.
async fn decide(log: &Log, connection: &mut PgConnection, batch: &mut Batch) -> Result<Effects, sqlx::Error> {
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
