//! Follows the database's clock: reports when it was set, and decides which time an event gets.

use chrono::{DateTime, TimeDelta, Utc};
use platform::clock::Clock;
use platform::clock::boot_time::BootTime;
use platform::clock::course::{ClockChange, ClockReading, HOLD_TIME};
use platform::telemetry::METRICS;
use sqlx::{PgConnection, PgPool};

use super::store::{self, LockedHead};

/// The time by which the newest event may be ahead of the clock. Within it, events get the time of the newest
/// one; beyond it, the newest one is wrong, and times step back.
const MAX_EVENT_LEAD: TimeDelta = TimeDelta::seconds(5);

/// Returns the time of the next event: now, but not before the newest event, unless that lies in the future.
pub(super) fn next_event_time(now: DateTime<Utc>, newest_at: DateTime<Utc>) -> DateTime<Utc> {
    if newest_at - now > MAX_EVENT_LEAD { now } else { now.max(newest_at) }
}

/// Runs a query that reads the database's clock, and follows it.
pub(super) async fn follow_clock<T>(
    clock: &Clock,
    query: impl Future<Output = Result<T, sqlx::Error>>,
    time: impl Fn(&T) -> DateTime<Utc>,
) -> Result<(T, DateTime<Utc>), sqlx::Error> {
    let sent_at = BootTime::now();
    let row = query.await?;
    let (now, change) =
        clock.follow(ClockReading { time: time(&row), sent_at, received_at: BootTime::now() });
    if let Some(change) = change {
        report(change);
    }
    Ok((row, now))
}

/// Locks the head until the transaction ends, and reads the time of what is written under the lock.
pub(super) async fn lock_head(
    connection: &mut PgConnection,
    clock: &Clock,
) -> Result<LockedHead, sqlx::Error> {
    let query = store::lock_head(connection);
    let (head, now) = follow_clock(clock, query, |head: &LockedHead| head.clock).await?;
    let event_time = next_event_time(now, head.at);
    if event_time < head.at {
        store::record_clock_step(connection, head.seq.next(), head.at, event_time).await?;
    }
    Ok(LockedHead { clock: now, now: event_time, ..head })
}

/// Continues the course of time of an earlier process.
pub(super) async fn resume(connection: &mut PgConnection, clock: &Clock) -> Result<(), sqlx::Error> {
    let stored = store::clock_lead(connection).await?;
    let sent_at = BootTime::now();
    let head = store::head(connection).await?;
    let reading = ClockReading { time: head.clock, sent_at, received_at: BootTime::now() };
    clock.resume(reading, stored).into_iter().for_each(report);
    if next_event_time(clock.now(), head.at) < head.at {
        METRICS.database.clock_set_back.inc();
        let seconds = (head.at - clock.now()).num_seconds();
        tracing::warn!(seconds, "the newest event lies in the future; the times of the log step back");
    }
    if let Some(lead) = clock.lead() {
        METRICS.database.clock_lead.set(lead.lead.as_seconds_f64());
        tracing::warn!(
            seconds = lead.lead.num_seconds(),
            since = %lead.since,
            "the database's clock is ahead since before the start; it is not followed"
        );
    }
    Ok(())
}

/// Returns true if the lead of the database's clock is not the stored one, which is `None` if it is not
/// known.
pub(super) fn has_new_lead(clock: &Clock, stored: Option<TimeDelta>) -> bool {
    let lead = lead_time(clock);
    METRICS.database.clock_lead.set(lead.as_seconds_f64());
    stored != Some(lead)
}

/// Stores the lead of the database's clock.
pub(super) async fn store_lead(
    pool: &PgPool,
    clock: &Clock,
    stored: &mut Option<TimeDelta>,
) -> Result<(), sqlx::Error> {
    let mut connection = pool.acquire().await?;
    store::store_clock_lead(&mut connection, clock.lead()).await?;
    *stored = Some(lead_time(clock));
    Ok(())
}

fn lead_time(clock: &Clock) -> TimeDelta {
    clock.lead().map_or(TimeDelta::zero(), |lead| lead.lead)
}

fn report(change: ClockChange) {
    match change {
        ClockChange::SetForward(by) => {
            METRICS.database.clock_set_forward.inc();
            tracing::warn!(
                seconds = by.num_seconds(),
                "the database's clock was set forward; it is not followed for {} minutes",
                HOLD_TIME.num_minutes()
            );
        }
        ClockChange::SetBack(by) => {
            METRICS.database.clock_set_back.inc();
            tracing::warn!(seconds = by.num_seconds(), "the database's clock was set back; it is followed");
        }
        ClockChange::Corrected => tracing::info!("the database's clock was corrected"),
        ClockChange::Accepted(by) => {
            tracing::warn!(
                seconds = by.num_seconds(),
                "the database's clock has stayed ahead; it is followed now"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_stand_still_for_seconds_and_step_back_from_the_future() {
        let now = DateTime::UNIX_EPOCH;
        assert_eq!(next_event_time(now, now - TimeDelta::hours(1)), now);
        assert_eq!(next_event_time(now, now + MAX_EVENT_LEAD), now + MAX_EVENT_LEAD);
        assert_eq!(next_event_time(now, now + TimeDelta::hours(1)), now);
    }
}
