//! Compares plans with the events that they belong to.

use sqlx::PgConnection;

use super::report::CheckReport;
use crate::log::store::check::RowFault;
use crate::log::store::{self, plan_check};

/// Checks all plans.
pub(super) async fn check(
    connection: &mut PgConnection,
    report: &mut CheckReport,
) -> Result<(), sqlx::Error> {
    let faults =
        [store::check::plan_faults(connection).await?, plan_check::plan_state_faults(connection).await?]
            .concat();
    for RowFault { kind, seq, id, fault } in faults {
        report.add_difference(&kind, || format!("{id}, number {seq}: {fault}"));
    }
    Ok(())
}
