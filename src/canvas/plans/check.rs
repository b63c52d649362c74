//! Compares plans with the events that they belong to.

use sqlx::PgConnection;

use super::store;
use crate::log::check::{CheckReport, CheckedLog};
use crate::log::sql_future::SqlFuture;

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
