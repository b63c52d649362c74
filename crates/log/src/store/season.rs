//! The SQL of seasons, and of events that are written outside a batch. The head must be locked for writing.

use caraplace_live::event::Event;
use chrono::{DateTime, Utc};
use rules::numbers::Seq;
use rules::season::SeasonState;
use sqlx::PgConnection;

use super::{Result, column};
use crate::season::Season;

/// Returns the opening of the newest season, and its state.
pub async fn season_state(connection: &mut PgConnection) -> Result<(Seq, SeasonState)> {
    let row = sqlx::query!(
        r#"select seq as "seq: Seq", frozen_at, ends_at, (select count(*) from season) as "number!"
           from season order by seq desc limit 1"#
    )
    .fetch_one(connection)
    .await?;
    Ok((row.seq, SeasonState { number: row.number, frozen_at: row.frozen_at, ends_at: row.ends_at }))
}

/// Writes the next events, which are no placements, advances the head and notifies every instance.
pub async fn append_events(connection: &mut PgConnection, events: &[Event], at: DateTime<Utc>) -> Result<()> {
    let Some(newest_seq) = events.last().map(Event::seq) else { return Ok(()) };
    sqlx::query!(
        r#"insert into event (seq, kind, id, at)
           select e.seq, e.kind, e.id, $4
           from unnest($1::bigint[], $2::text[], $3::text[]) as e (seq, kind, id)"#,
        &column(events, Event::seq) as _,
        &column(events, |event| event.kind().to_owned()),
        &column(events, |event| event.subject_id().to_owned()),
        at
    )
    .execute(&mut *connection)
    .await?;
    let season_seq = events.iter().rev().find(|event| matches!(event, Event::Season(_))).map(Event::seq);
    let statement = sqlx::query!(
        r#"with head as (
               update log_head set seq = $1, version = coalesce($3, version), at = $2
               returning seq, control
           )
           select pg_notify('caraplace', concat(seq, ' ', control))::text from head"#,
        newest_seq as _,
        at,
        season_seq as _
    );
    statement.fetch_one(connection).await.map(|_| ())
}

/// Writes a season's details. Its event is written separately.
pub async fn insert_season(connection: &mut PgConnection, season: &Season) -> Result<()> {
    let statement = sqlx::query!(
        "insert into season (id, title, width, height, seq, opened_at) values ($1, $2, $3, $4, $5, $6)",
        season.id,
        season.title,
        i32::from(season.size.width),
        i32::from(season.size.height),
        season.seq as _,
        season.opened_at
    );
    statement.execute(connection).await.map(|_| ())
}
