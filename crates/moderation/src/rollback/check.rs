//! Compares the corrections of rollbacks with the placements that they show again.

use caraplace_log::check::{CheckReport, CheckedLog};
use caraplace_log::sql_future::SqlFuture;
use sqlx::PgConnection;

use super::store;

/// Checks all corrections that show an earlier placement again.
pub fn check_corrections<'a>(
    connection: &'a mut PgConnection,
    _: &'a mut CheckedLog,
    report: &'a mut CheckReport,
) -> SqlFuture<'a, ()> {
    Box::pin(async move {
        for seq in store::check::wrong_corrections(connection).await? {
            report.add_difference("correction", || {
                format!("event {seq} does not match the earlier placement that it shows again")
            });
        }
        Ok(())
    })
}
