//! The gate: one task per instance that takes everything queued and writes it as one transaction.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use sqlx::{Connection, PgConnection};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::desk::{Entry, Fate};
use super::effects::Effects;
use super::error::LogError;
use super::footing::Footing;
use super::pass::{Failure, pass};
use super::projector::Projector;
use super::timeout::{STEP_TIMEOUT, in_time};
use super::write_health::WriteHealth;
use super::{desk, measure, store};
use crate::clock::moment;
use crate::live::event::Event;
use crate::telemetry::{Laps, METRICS};

/// How many writes may wait; one more is refused at once.
pub(super) const QUEUE: usize = 4_096;
/// How many writes share a transaction at most.
const BATCH: usize = 256;
/// A connection that was not used for so long is asked whether it is still there.
const RESTED: Duration = Duration::from_secs(1);
/// Between two questions whether a commit that was not answered has happened.
const ASK_AGAIN: Duration = Duration::from_millis(100);

type Batch = Vec<Box<dyn Entry>>;

/// Writes for as long as it is not aborted.
pub(super) async fn run(
    projector: Arc<Projector>,
    health: Arc<WriteHealth>,
    mut queue: mpsc::Receiver<Box<dyn Entry>>,
) {
    let mut gate = Gate { projector, connection: None, used_at: moment(), footing: Footing::none() };
    let mut batch = Batch::with_capacity(BATCH);
    while queue.recv_many(&mut batch, BATCH).await > 0 {
        METRICS.writer.batch_size.observe(batch.len() as f64);
        health.begin_batch();
        let fate = gate.pass(&mut batch).await;
        health.end_batch(fate);
        measure::fate(fate);
        desk::answer(&mut batch, fate);
        if fate != Fate::Committed {
            // Those who waited meanwhile would only wait longer.
            while let Ok(entry) = queue.try_recv() {
                entry.answer(Fate::Undone);
            }
        }
    }
}

struct Gate {
    projector: Arc<Projector>,
    /// Kept while it works; its prepared statements are warm.
    connection: Option<PgConnection>,
    used_at: Instant,
    footing: Footing,
}

impl Gate {
    async fn pass(&mut self, batch: &mut [Box<dyn Entry>]) -> Fate {
        match self.write(batch).await {
            Ok(()) => Fate::Committed,
            Err(Failure::Undone(error)) => {
                self.give_up();
                error.report("a batch could not be written");
                Fate::Undone
            }
            Err(Failure::Unanswered(effects, error)) => {
                self.give_up();
                error.count();
                tracing::warn!(%error, "the commit of a batch was not answered");
                self.find(&effects).await
            }
        }
    }

    async fn write(&mut self, batch: &mut [Box<dyn Entry>]) -> Result<(), Failure> {
        let projector = self.projector.clone();
        let mut connection = self.take_connection().await?;
        let effects = pass(&projector, &mut connection, &mut self.footing, batch).await?;
        METRICS.writer.placements.inc_by(effects.painted.len() as u64);
        let mut laps = Laps::start();
        projector.take_in(&mut connection, &effects.events).await;
        laps.end(&METRICS.writer.announce);
        // What was written stays written: should this fail, the follower does it.
        if let Err(error) = in_time(projector.fill_gaps(&mut connection)).await {
            error.report("the newest messages could not be read anew");
        }
        self.connection = Some(connection);
        Ok(())
    }

    /// Takes the kept connection, or opens another one if it has died since it was used.
    async fn take_connection(&mut self) -> Result<PgConnection, LogError> {
        let rested = self.used_at.elapsed() > RESTED;
        self.used_at = moment();
        if let Some(mut connection) = self.connection.take()
            && (!rested || in_time(connection.ping()).await.is_ok())
        {
            return Ok(connection);
        }
        self.give_up();
        let mut connection = in_time(self.projector.connect()).await?;
        let process = in_time(store::process(&mut connection)).await?;
        self.projector.writer_process.store(process, Ordering::Relaxed);
        Ok(connection)
    }

    fn give_up(&mut self) {
        self.connection = None;
        self.footing.lose();
    }

    /// Asks the log whether a commit that was not answered has happened.
    async fn find(&self, effects: &Effects) -> Fate {
        let deadline = moment() + STEP_TIMEOUT;
        while moment() < deadline {
            match in_time(is_written(&self.projector, effects)).await {
                Ok(true) => return Fate::Committed,
                Ok(false) => return Fate::Undone,
                Err(error) => error.report("it is not known yet whether a batch was written"),
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

/// Whether exactly these events are in the log. Behind the gate the answer is final: a transaction that was still
/// committing has ended by then, and a statement that is still on its way finds that its turn is over.
async fn is_written(projector: &Projector, effects: &Effects) -> Result<bool, LogError> {
    let mut connection = projector.connect().await?;
    let mut transaction = connection.begin().await?;
    store::lock_head(&mut transaction, projector.clock.offset()).await?;
    let span = effects.events.first().zip(effects.events.last());
    let written = match span {
        Some((first, last)) => {
            let stored = store::events(&mut transaction, first.seq() - 1, last.seq()).await?;
            let same = |(stored, ours): (&Event, &Event)| stored.is(ours);
            stored.len() == effects.events.len() && stored.iter().zip(&effects.events).all(same)
        }
        // All of the batch was said beside the log.
        None => store::has_shadows(&mut transaction, effects).await?,
    };
    if !written {
        store::next_turn(&mut transaction).await?;
    }
    transaction.commit().await?;
    if let Some((_, last)) = span.filter(|_| written) {
        projector.read_up_to(&mut connection, last.seq()).await?;
    }
    Ok(written)
}
