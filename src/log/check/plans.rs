//! Compares plans with the events that they belong to.

use sqlx::PgConnection;

use super::report::CheckReport;
use crate::log::store::{self, plan_check};

/// Checks all plans.
pub(super) async fn check(
    connection: &mut PgConnection,
    report: &mut CheckReport,
) -> Result<(), sqlx::Error> {
    report.add_row_faults(store::check::plan_faults(connection).await?);
    report.add_row_faults(plan_check::plan_state_faults(connection).await?);
    Ok(())
}
