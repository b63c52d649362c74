//! Compares shadow messages and own events with each other and with the log, and own texts with their
//! messages.

use caraplace_log::check::{CheckReport, CheckedLog};
use caraplace_log::sql_future::SqlFuture;
use sqlx::PgConnection;

use super::store;

/// Checks all shadow messages, own events and own texts of public messages.
pub fn check_own_events<'a>(
    connection: &'a mut PgConnection,
    _: &'a mut CheckedLog,
    report: &'a mut CheckReport,
) -> SqlFuture<'a, ()> {
    Box::pin(async move {
        report.add_row_faults(store::shadow_message_faults(connection).await?);
        report.add_row_faults(store::own_event_faults(connection).await?);
        report.add_row_faults(store::own_text_faults(connection).await?);
        Ok(())
    })
}
