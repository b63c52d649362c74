//! Checks a stored log from its first event to its head against all counters and snapshots.

mod canvas;
mod control;
mod noun_check;
mod replay;
mod report;

use rules::numbers::Seq;
use sqlx::{Connection as _, PgConnection};

use super::nouns::Nouns;
use super::store;
pub use super::store::check::{LogRow, StoredResponseRow, log_rows_by_seqs, stored_answers};
use crate::season::Season;
pub use noun_check::{CheckedLog, NounCheck, PainterTotals};
use replay::LogReplay;
pub use report::{CheckReport, RowFault};

/// The number of rows that a check reads at a time.
pub const ROWS_PER_PAGE: i64 = 10_000;

/// Checks one snapshot of the database, so servers may go on writing. The checks of nouns run in their order,
/// after the replay. Calls `progress` with the number that was reached and the last number.
pub async fn check(
    connection: &mut PgConnection,
    nouns: &Nouns,
    noun_checks: &[NounCheck],
    mut progress: impl FnMut(Seq, Seq),
) -> Result<CheckReport, sqlx::Error> {
    let mut transaction = connection.begin_with("begin isolation level repeatable read, read only").await?;
    let mut report = CheckReport::default();
    let head = store::head(&mut transaction).await?;
    let newest = head.seq;
    let control_head = head.control;
    let seasons = seasons(&mut transaction, &mut report).await?;
    let old_credit_rule_until = store::check::old_credit_rule_until(&mut transaction).await?;
    let clock_steps = store::clock_steps(&mut transaction).await?;
    let kinds = nouns.event_readers.iter().flat_map(|reader| reader.kinds).copied();
    let mut replay = LogReplay::new(head, old_credit_rule_until, clock_steps, seasons, kinds);
    loop {
        let rows = store::check::log_rows(&mut transaction, replay.reached_seq, ROWS_PER_PAGE).await?;
        rows.iter().for_each(|row| replay.apply_row(row, &mut report));
        if rows.is_empty() {
            break;
        }
        progress(replay.reached_seq, newest);
    }
    replay.finish(&mut report);
    let mut log = replay.into_checked_log();
    for check_noun in noun_checks {
        check_noun(&mut transaction, &mut log, &mut report).await?;
    }
    control::check(&mut transaction, control_head, &mut report).await?;
    transaction.rollback().await?;
    Ok(report)
}

/// Returns each season with the stored snapshot of its canvas, if there is one.
async fn seasons(
    connection: &mut PgConnection,
    report: &mut CheckReport,
) -> Result<Vec<(Season, Option<store::ReplaySnapshot>)>, sqlx::Error> {
    let mut seasons = Vec::new();
    for season in store::seasons(connection, None).await? {
        let snapshot = store::replay_snapshot(connection, season.seq).await?;
        seasons.push((season, snapshot));
    }
    for season_seq in store::check::snapshot_seasons(connection).await? {
        if !seasons.iter().any(|(season, _)| season.seq == season_seq) {
            report.add_difference("canvas", || {
                format!("there is a snapshot of a season that begins at {season_seq}, which does not exist")
            });
        }
    }
    Ok(seasons)
}
