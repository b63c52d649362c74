//! Compares plans with the events that they belong to.

use caraplace_log::check::{CheckReport, CheckedLog};
use caraplace_log::sql_future::SqlFuture;
use sqlx::PgConnection;

use super::store;

/// Checks all plans.
pub fn check_plans<'a>(
    connection: &'a mut PgConnection,
    _: &'a mut CheckedLog,
    report: &'a mut CheckReport,
) -> SqlFuture<'a, ()> {
    Box::pin(async move {
        report.add_row_faults(store::check::plan_faults(connection).await?);
        report.add_row_faults(store::check::plan_state_faults(connection).await?);
        Ok(())
    })
}
