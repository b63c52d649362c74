//! Compares messages and reactions with the events that they belong to.

use caraplace_accounts::agents::check::count_texts;
use caraplace_log::check::{CheckReport, CheckedLog};
use caraplace_log::sql_future::SqlFuture;
use sqlx::PgConnection;

use super::store;

/// Checks all messages and reactions.
pub fn check_messages<'a>(
    connection: &'a mut PgConnection,
    log: &'a mut CheckedLog,
    report: &'a mut CheckReport,
) -> SqlFuture<'a, ()> {
    Box::pin(async move {
        report.add_row_faults(store::check::chat_faults(connection).await?);
        report.add_row_faults(store::check::edit_faults(connection).await?);
        let (texts, _) = count_texts(connection).await?;
        if texts < log.message_count {
            report.add_note(format!(
                "{} messages have no text any more, which is allowed",
                log.message_count - texts
            ));
        }
        Ok(())
    })
}
