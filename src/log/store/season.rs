//! The SQL of seasons, and of events that are written outside a batch. The head must be locked for writing.

use chrono::{DateTime, Utc};
use rules::message::Message;
use rules::season::SeasonState;
use sqlx::PgConnection;

use super::Result;
use super::messages::sides_of;
use crate::log::world::Season;

/// Returns the opening of the newest season, and its state.
pub async fn season_state(connection: &mut PgConnection) -> Result<(i64, SeasonState)> {
    let row = sqlx::query!(
        r#"select seq, frozen_at, ends_at, (select count(*) from season) as "number!"
           from season order by seq desc limit 1"#
    )
    .fetch_one(connection)
    .await?;
    Ok((row.seq, SeasonState { number: row.number, frozen_at: row.frozen_at, ends_at: row.ends_at }))
}

/// Writes the next event, advances the head and notifies every instance.
pub async fn append_event(
    connection: &mut PgConnection,
    (seq, kind, id): (i64, &str, &str),
    at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!("insert into event (seq, kind, id, at) values ($1, $2, $3, $4)", seq, kind, id, at)
        .execute(&mut *connection)
        .await?;
    sqlx::query!(
        r#"with head as (
               update log_head set seq = $1, version = case when $3 then $1 else version end, at = $2
               returning seq, control
           )
           select pg_notify('caraplace', concat(seq, ' ', control))::text from head"#,
        seq,
        at,
        kind == "season"
    )
    .fetch_one(connection)
    .await
    .map(|_| ())
}

/// Writes a season's details. Its event is written separately.
pub async fn insert_season(connection: &mut PgConnection, season: &Season) -> Result<()> {
    sqlx::query!(
        "insert into season (id, title, width, height, seq, opened_at) values ($1, $2, $3, $4, $5, $6)",
        season.id,
        season.title,
        i32::from(season.size.width),
        i32::from(season.size.height),
        season.seq,
        season.opened_at
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Writes the text of a system message.
pub async fn insert_announcement(connection: &mut PgConnection, message: &Message) -> Result<()> {
    sqlx::query!(
        r#"insert into chat_message (id, seq, sender_type, type, content, sent_at, regions)
           values ($1, $2, 'system', 'system', $3, $4, $5)"#,
        message.id,
        message.seq,
        message.content.as_deref().unwrap_or_default(),
        message.timestamp,
        message.region.as_ref().map(|region| sides_of(region).map(|side| side as i32).to_vec())
            as Option<Vec<i32>>
    )
    .execute(connection)
    .await
    .map(|_| ())
}
