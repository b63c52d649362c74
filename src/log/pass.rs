//! One pass through the gate: a batch is decided at the head of the log and written as one transaction.

use chrono::{DateTime, Utc};
use sqlx::postgres::{PgDatabaseError, PgSeverity};
use sqlx::{Connection, PgConnection};

use super::control::Control;
use super::desk::Entry;
use super::effects::Effects;
use super::error::LogError;
use super::footing::{Footing, Numbers};
use super::ground::{Ground, Known, Needs};
use super::projector::Projector;
use super::store;
use super::timeout::in_time;
use crate::telemetry::{Laps, METRICS};

/// Why a batch was not written, or not known to be.
pub(super) enum Failure {
    /// Nothing is in the log.
    Undone(LogError),
    /// The commit was sent, but not answered.
    Unanswered(Box<Effects>, LogError),
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        Self::Undone(error)
    }
}

/// Decides and writes a batch: at once where that is likely to do, else behind the locked head.
pub(super) async fn pass(
    projector: &Projector,
    connection: &mut PgConnection,
    footing: &mut Footing,
    batch: &mut [Box<dyn Entry>],
) -> Result<Effects, Failure> {
    let mut needs = Needs::default();
    batch.iter().for_each(|entry| entry.needs(&mut needs));
    let mut writer = BatchWriter { projector, footing, needs, batch };
    if let Some(effects) = writer.write_at_once(connection).await? {
        return Ok(effects);
    }
    writer.write_behind_lock(connection).await
}

/// A batch, and what is known for deciding it.
struct BatchWriter<'a> {
    projector: &'a Projector,
    footing: &'a mut Footing,
    needs: Needs,
    batch: &'a mut [Box<dyn Entry>],
}

impl BatchWriter<'_> {
    /// Decides on what is known from the last pass, and writes in one statement that does nothing should the head have
    /// moved since. Returns `None` if nothing was written and the batch must be decided anew.
    async fn write_at_once(&mut self, connection: &mut PgConnection) -> Result<Option<Effects>, Failure> {
        let known = self.needs.only_accounts() && self.footing.missing(&self.needs.accounts).is_empty();
        let Some(numbers) = self.footing.likely_head().filter(|_| known) else { return Ok(None) };
        let now = self.footing.now(&self.projector.clock);
        let mut laps = Laps::start();
        let decided = self.decide(Known::default(), numbers, now);
        // A batch of refusals is written nowhere: whether they are right only the head itself can say.
        let Some(effects) = decided.filter(|effects| !effects.events.is_empty()) else { return Ok(None) };
        // A milestone is reached and told, or an operator acts: that takes more than one statement.
        if effects.painted.len() < effects.events.len() || !effects.acts.is_empty() {
            self.footing.lose();
            return Ok(None);
        }
        laps.end(&METRICS.writer.decide);
        let recorded =
            in_time(store::record(connection, &effects, &self.footing.accounts, numbers, now)).await;
        laps.end(&METRICS.writer.write);
        match recorded {
            Ok(true) => {
                METRICS.writer.at_once.inc();
                self.footing.moved(effects.head(numbers.seq), now);
                Ok(Some(effects))
            }
            Ok(false) => {
                METRICS.writer.overtaken.inc();
                self.footing.shaken();
                Ok(None)
            }
            Err(error) if is_undone(&error) => Err(Failure::Undone(error)),
            Err(error) => Err(Failure::Unanswered(Box::new(effects), error)),
        }
    }

    async fn write_behind_lock(&mut self, connection: &mut PgConnection) -> Result<Effects, Failure> {
        METRICS.writer.behind_the_lock.inc();
        let mut laps = Laps::start();
        let mut transaction = in_time(connection.begin()).await?;
        let effects = in_time(self.read_and_decide(&mut transaction, &mut laps)).await?;
        if effects.is_empty() {
            in_time(transaction.rollback()).await?;
            return Ok(effects);
        }
        let committed = in_time(transaction.commit()).await;
        laps.end(&METRICS.writer.commit);
        match committed {
            Ok(()) => Ok(effects),
            Err(error) => Err(Failure::Unanswered(Box::new(effects), error)),
        }
    }

    /// Does everything between the lock and the commit.
    async fn read_and_decide(
        &mut self,
        connection: &mut PgConnection,
        laps: &mut Laps,
    ) -> Result<Effects, LogError> {
        let head = store::lock_head(connection, self.projector.clock.offset()).await?;
        self.projector.read_up_to(connection, head.seq).await?;
        let names = self.projector.read_control(connection, head.control).await?;
        self.projector.take_names(&names);
        laps.end(&METRICS.writer.gate);
        self.footing.found(&head, &self.projector.clock);
        let missing = self.footing.missing(&self.needs.accounts);
        self.footing.learn(store::accounts(connection, &missing).await?);
        let shadows = store::shadows_with(connection, &self.needs.shadows).await?;
        let known = Known {
            messages: store::existing_messages(connection, &self.needs.messages).await?,
            reactions: store::reactions(connection, &self.needs.reactions).await?,
            answers: store::answers(connection, &self.needs.answers, head.now).await?,
            shadows: shadows.iter().map(|shadow| shadow.message.id.clone()).collect(),
        };
        let (numbers, now) = (head.numbers(), head.now);
        let effects = self.decide(known, numbers, now).ok_or(LogError::OutOfStep)?;
        laps.end(&METRICS.writer.decide);
        if !effects.is_empty() {
            if !store::record(connection, &effects, &self.footing.accounts, numbers, now).await? {
                return Err(LogError::HeadMoved);
            }
            laps.end(&METRICS.writer.write);
            self.footing.moved(effects.head(numbers.seq), now);
            self.tell_authors(connection, &effects).await?;
        }
        Ok(effects)
    }

    /// Lets every instance tell those who spoke beside the log what they said.
    async fn tell_authors(
        &mut self,
        connection: &mut PgConnection,
        effects: &Effects,
    ) -> Result<(), sqlx::Error> {
        for shadow in &effects.shadows {
            let entry = Control::Shadow(shadow.author);
            store::append_control(connection, entry, self.projector.clock.offset()).await?;
            self.footing.lose();
        }
        Ok(())
    }

    /// Decides every entry in turn. Returns `None` if the world is not at the head.
    fn decide(&mut self, known: Known, head: Numbers, now: DateTime<Utc>) -> Option<Effects> {
        let world = self.projector.world.read();
        if world.head != head.seq {
            return None;
        }
        let game = self.projector.settings.game();
        let mut ground = Ground::new(now, &game, &world, &mut self.footing.accounts, known);
        self.batch.iter_mut().for_each(|entry| entry.decide(&mut ground));
        Some(ground.effects)
    }
}

/// Whether the database said itself that it has not done it, and goes on.
fn is_undone(error: &LogError) -> bool {
    let LogError::Database(error) = error else { return false };
    let said = error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
    said.is_some_and(|error| error.severity() == PgSeverity::Error)
}
