//! One pass through the gate: a batch is decided at the head of the log and written as one transaction.

use chrono::{DateTime, Utc};
use sqlx::postgres::{PgDatabaseError, PgSeverity};
use sqlx::{Connection, PgConnection};

use super::control::Control;
use super::desk::Entry;
use super::effects::Effects;
use super::error::LogError;
use super::footing::{Footing, Numbers};
use super::ground::{Accounts, Ground, Known, Needs};
use super::projector::Projector;
use super::shadow::Shadow;
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
    if let Some(effects) = at_once(projector, connection, footing, &needs, batch).await? {
        return Ok(effects);
    }
    behind_the_lock(projector, connection, footing, &needs, batch).await
}

/// Decides on what is known from the last pass, and writes in one statement that does nothing should the head have
/// moved since. None when nothing was written and the batch must be decided anew.
async fn at_once(
    projector: &Projector,
    connection: &mut PgConnection,
    footing: &mut Footing,
    needs: &Needs,
    batch: &mut [Box<dyn Entry>],
) -> Result<Option<Effects>, Failure> {
    let known = needs.only_accounts() && footing.missing(&needs.accounts).is_empty();
    let Some(numbers) = footing.likely_head().filter(|_| known) else { return Ok(None) };
    let now = footing.now(&projector.clock);
    let mut laps = Laps::start();
    let decided = decide(projector, &mut footing.accounts, Known::default(), numbers, now, batch);
    // A batch of refusals is written nowhere: whether they are right only the head itself can say.
    let Some(effects) = decided.filter(|effects| !effects.events.is_empty()) else { return Ok(None) };
    // A milestone is reached and told, or an operator acts: that takes more than one statement.
    if effects.painted.len() < effects.events.len() || !effects.acts.is_empty() {
        footing.lose();
        return Ok(None);
    }
    laps.end(&METRICS.writer.decide);
    let recorded = in_time(store::record(connection, &effects, &footing.accounts, numbers, now)).await;
    laps.end(&METRICS.writer.write);
    match recorded {
        Ok(true) => {
            METRICS.writer.at_once.inc();
            footing.moved(effects.head(numbers.seq), now);
            Ok(Some(effects))
        }
        Ok(false) => {
            METRICS.writer.overtaken.inc();
            footing.shaken();
            Ok(None)
        }
        Err(error) if is_undone(&error) => Err(Failure::Undone(error)),
        Err(error) => Err(Failure::Unanswered(Box::new(effects), error)),
    }
}

async fn behind_the_lock(
    projector: &Projector,
    connection: &mut PgConnection,
    footing: &mut Footing,
    needs: &Needs,
    batch: &mut [Box<dyn Entry>],
) -> Result<Effects, Failure> {
    METRICS.writer.behind_the_lock.inc();
    let mut laps = Laps::start();
    let mut transaction = in_time(connection.begin()).await?;
    let effects =
        in_time(read_and_decide(projector, &mut transaction, footing, needs, batch, &mut laps)).await?;
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

/// Everything between the lock and the commit.
async fn read_and_decide(
    projector: &Projector,
    connection: &mut PgConnection,
    footing: &mut Footing,
    needs: &Needs,
    batch: &mut [Box<dyn Entry>],
    laps: &mut Laps,
) -> Result<Effects, LogError> {
    let head = store::lock_head(connection, projector.clock.offset()).await?;
    projector.read_up_to(connection, head.seq).await?;
    let names = projector.read_control(connection, head.control).await?;
    projector.take_names(&names);
    laps.end(&METRICS.writer.gate);
    footing.found(&head, &projector.clock);
    let missing = footing.missing(&needs.accounts);
    footing.learn(store::accounts(connection, &missing).await?);
    let known = Known {
        messages: store::existing_messages(connection, &needs.messages).await?,
        reactions: store::reactions(connection, &needs.reactions).await?,
        answers: store::answers(connection, &needs.answers, head.now).await?,
        shadows: store::shadows_with(connection, &needs.shadows).await?.iter().map(id).collect(),
    };
    let (numbers, now) = (head.numbers(), head.now);
    let decided = decide(projector, &mut footing.accounts, known, numbers, now, batch);
    let effects = decided.ok_or(LogError::OutOfStep)?;
    laps.end(&METRICS.writer.decide);
    if !effects.is_empty() {
        if !store::record(connection, &effects, &footing.accounts, numbers, now).await? {
            return Err(LogError::HeadMoved);
        }
        laps.end(&METRICS.writer.write);
        footing.moved(effects.head(numbers.seq), now);
        tell_authors(projector, connection, footing, &effects).await?;
    }
    Ok(effects)
}

/// Lets every instance tell those who spoke beside the log what they said.
async fn tell_authors(
    projector: &Projector,
    connection: &mut PgConnection,
    footing: &mut Footing,
    effects: &Effects,
) -> Result<(), sqlx::Error> {
    for shadow in &effects.shadows {
        let entry = Control::Shadow(shadow.author);
        store::append_control(connection, entry, projector.clock.offset()).await?;
        footing.lose();
    }
    Ok(())
}

fn id(shadow: &Shadow) -> String {
    shadow.message.id.clone()
}

/// Decides every entry in turn; none when the world is not at the head.
fn decide(
    projector: &Projector,
    accounts: &mut Accounts,
    known: Known,
    head: Numbers,
    now: DateTime<Utc>,
    batch: &mut [Box<dyn Entry>],
) -> Option<Effects> {
    let world = projector.world.read();
    if world.head != head.seq {
        return None;
    }
    let game = projector.settings.game();
    let mut ground = Ground::new(now, &game, &world, accounts, known);
    batch.iter_mut().for_each(|entry| entry.decide(&mut ground));
    Some(ground.into_effects())
}

/// Whether the database said itself that it has not done it, and goes on.
fn is_undone(error: &LogError) -> bool {
    let LogError::Database(error) = error else { return false };
    let said = error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
    said.is_some_and(|error| error.severity() == PgSeverity::Error)
}
