//! Checks the control log.

use sqlx::PgConnection;

use super::report::CheckReport;
use crate::store::check as store;

/// Checks the control log against the head.
pub(super) async fn check(
    connection: &mut PgConnection,
    head: i64,
    report: &mut CheckReport,
) -> Result<(), sqlx::Error> {
    let newest = store::newest_control_entry(connection).await?;
    report.compare("control", || "the head of the control log".to_owned(), head, newest);
    for no in store::invalid_control_entries(connection).await? {
        report.add_difference("control", || {
            format!("entry {no} does not follow the one before it, or is about an agent that does not exist")
        });
    }
    Ok(())
}
