//! Compares messages and reactions with the events that they belong to.

use sqlx::PgConnection;

use super::replay::LogReplay;
use super::report::CheckReport;
use crate::log::store::check::{self as store, RowFault};

/// Checks all messages and reactions.
pub(super) async fn check(
    connection: &mut PgConnection,
    replay: &LogReplay,
    report: &mut CheckReport,
) -> Result<(), sqlx::Error> {
    let faults = [store::chat_faults(connection).await?, store::edit_faults(connection).await?].concat();
    for RowFault { kind, seq, id, fault } in faults {
        report.add_difference(&kind, || format!("{id}, number {seq}: {fault}"));
    }
    let (texts, _) = store::count_texts(connection).await?;
    if texts < replay.message_count {
        report.add_note(format!(
            "{} messages have no text any more, which is allowed",
            replay.message_count - texts
        ));
    }
    Ok(())
}
