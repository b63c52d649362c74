//! Compares messages and reactions with the events that they belong to.

use sqlx::PgConnection;

use super::noun_check::CheckedLog;
use super::report::CheckReport;
use crate::log::store::check as store;

/// Checks all messages and reactions.
pub(super) async fn check(
    connection: &mut PgConnection,
    log: &CheckedLog,
    report: &mut CheckReport,
) -> Result<(), sqlx::Error> {
    report.add_row_faults(store::chat_faults(connection).await?);
    report.add_row_faults(store::edit_faults(connection).await?);
    let (texts, _) = store::count_texts(connection).await?;
    if texts < log.message_count {
        report.add_note(format!(
            "{} messages have no text any more, which is allowed",
            log.message_count - texts
        ));
    }
    Ok(())
}
