//! Checks that nobody else has seen crews, private messages and texts of these that are for their authors
//! alone.

use caraplace_log::check::{CheckReport, CheckedLog};
use caraplace_log::sql_future::SqlFuture;
use sqlx::PgConnection;

use super::store;

/// Checks all crews, private messages and texts of these that only their authors see.
pub fn check_channels<'a>(
    connection: &'a mut PgConnection,
    _: &'a mut CheckedLog,
    report: &'a mut CheckReport,
) -> SqlFuture<'a, ()> {
    Box::pin(async move {
        report.add_row_faults(store::channel_faults(connection).await?);
        Ok(())
    })
}
