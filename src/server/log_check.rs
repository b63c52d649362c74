//! The check of the stored log, with the checks of all nouns.

use caraplace_accounts::agents::check::KnownPrice;
use caraplace_log::check::{self, CheckReport};
use rules::numbers::Seq;
use sqlx::PgConnection;

use super::nouns::{NOUNS, new_checks};

/// Checks one snapshot of the database, so servers may go on writing. Calls `progress` with the number that
/// was reached and the last number.
pub async fn check(
    connection: &mut PgConnection,
    price: KnownPrice,
    progress: impl FnMut(Seq, Seq),
) -> Result<CheckReport, sqlx::Error> {
    check::check(connection, &NOUNS, &new_checks(price), progress).await
}
