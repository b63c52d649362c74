//! Compares the corrections of rollbacks with the placements that they show again.

use sqlx::PgConnection;

use super::report::CheckReport;
use crate::log::store::correction_check;

/// Checks all corrections that show an earlier placement again.
pub(super) async fn check(
    connection: &mut PgConnection,
    report: &mut CheckReport,
) -> Result<(), sqlx::Error> {
    for seq in correction_check::wrong_corrections(connection).await? {
        report.add_difference("correction", || {
            format!("event {seq} does not match the earlier placement that it shows again")
        });
    }
    Ok(())
}
