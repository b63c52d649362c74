//! The SQL of what the guide takes per day, and of what is reserved for running turns.

use chrono::NaiveDate;
use sqlx::PgConnection;

use super::Result;

/// The name under which everything is counted.
pub(in crate::guide) const SERVER: &str = "server";
/// The name under which the cost of all visitors without an account is counted.
pub(in crate::guide) const BROWSERS: &str = "browsers";

/// An increase of what the server has taken.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::guide) struct Increase {
    pub turns: i32,
    pub tokens: u64,
    /// Negative if more than a turn has cost was counted before.
    pub cost_micros: i64,
}

/// A row with what was taken.
#[derive(Default)]
pub(in crate::guide) struct UseRow {
    /// Turns that were begun, or questions that were counted.
    pub turns: i32,
    pub tokens: i64,
    pub cost_micros: i64,
}

/// The most that running turns can cost, in millionths.
#[derive(Default)]
pub(in crate::guide) struct ReservedRow {
    /// All of them.
    pub server: i64,
    /// Those of visitors without an account.
    pub browsers: i64,
    /// Those of one payer.
    pub address: i64,
}

/// Counts a question, unless `limit` were counted already. Returns true if it was counted.
pub(in crate::guide) async fn count_turn(
    connection: &mut PgConnection,
    day: NaiveDate,
    subject: &str,
    limit: i64,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"insert into guide_use (day, subject, turns) select $1, $2, 1 where $3::bigint > 0
           on conflict (day, subject) do update set turns = guide_use.turns + 1
           where guide_use.turns < $3::bigint"#,
        day,
        subject,
        limit
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// Returns what was taken on a day.
pub(in crate::guide) async fn read(
    connection: &mut PgConnection,
    day: NaiveDate,
    subject: &str,
) -> Result<UseRow> {
    let statement = sqlx::query_as!(
        UseRow,
        "select turns, tokens, cost_micros from guide_use where day = $1 and subject = $2",
        day,
        subject
    );
    statement.fetch_optional(connection).await.map(Option::unwrap_or_default)
}

/// Returns the sum of the amounts reserved for running turns, without that of the question `except`. Turns of
/// dead instances count until [`super::turn_end::fail_dead`] has ended them.
pub(in crate::guide) async fn sum_reserved(
    connection: &mut PgConnection,
    except: i64,
    payer: Option<&str>,
) -> Result<ReservedRow> {
    let statement = sqlx::query_as!(
        ReservedRow,
        r#"select coalesce(sum(reserved_micros), 0)::bigint as "server!",
                  coalesce(sum(reserved_micros) filter (where payer is not null), 0)::bigint as "browsers!",
                  coalesce(sum(reserved_micros) filter (where payer = $2), 0)::bigint as "address!"
           from guide_message where state = 'running' and no <> $1"#,
        except,
        payer
    );
    statement.fetch_one(connection).await
}

/// Adds to what the server has taken on a day, and the cost also to what the payer and all like it have.
/// `None` for an account, whose cost counts for the server only.
pub(in crate::guide) async fn add(
    connection: &mut PgConnection,
    day: NaiveDate,
    payer: Option<&str>,
    increase: Increase,
) -> Result<()> {
    add_to(connection, day, SERVER, increase).await?;
    let cost = Increase { cost_micros: increase.cost_micros, ..Increase::default() };
    if let Some(payer) = payer.filter(|_| cost.cost_micros != 0) {
        add_to(connection, day, BROWSERS, cost).await?;
        add_to(connection, day, payer, cost).await?;
    }
    Ok(())
}

/// Adds what a turn can have cost whose instance has died. It does not count for the address, which may have
/// little to do with it and would be without the guide for the day.
pub(in crate::guide) async fn add_lost(
    connection: &mut PgConnection,
    day: NaiveDate,
    payer: Option<&str>,
    reserved_micros: i64,
) -> Result<()> {
    let cost = Increase { cost_micros: reserved_micros, ..Increase::default() };
    add_to(connection, day, SERVER, cost).await?;
    match payer {
        Some(_) => add_to(connection, day, BROWSERS, cost).await,
        None => Ok(()),
    }
}

/// Adds what a turn has taken that has ended although [`add_lost`] has counted what was reserved for it. The
/// address has paid nothing of that.
pub(in crate::guide) async fn add_late(
    connection: &mut PgConnection,
    day: NaiveDate,
    payer: Option<&str>,
    taken: Increase,
    reserved_micros: i64,
) -> Result<()> {
    let missing_micros = taken.cost_micros - reserved_micros;
    add_to(connection, day, SERVER, Increase { cost_micros: missing_micros, ..taken }).await?;
    if let Some(payer) = payer {
        let cost_of = |cost_micros| Increase { cost_micros, ..Increase::default() };
        add_to(connection, day, BROWSERS, cost_of(missing_micros)).await?;
        add_to(connection, day, payer, cost_of(taken.cost_micros)).await?;
    }
    Ok(())
}

async fn add_to(
    connection: &mut PgConnection,
    day: NaiveDate,
    subject: &str,
    increase: Increase,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into guide_use (day, subject, turns, tokens, cost_micros)
           values ($1, $2, $3, $4, greatest($5::bigint, 0))
           on conflict (day, subject) do update
           set turns = guide_use.turns + $3, tokens = guide_use.tokens + $4,
               cost_micros = greatest(guide_use.cost_micros + $5, 0)"#,
        day,
        subject,
        increase.turns,
        increase.tokens as i64,
        increase.cost_micros
    );
    statement.execute(connection).await.map(|_| ())
}
