//! The check of the stored log, with the checks of all nouns.

use caraplace_log::check::{self, CheckReport, KnownPrice};
use rules::numbers::Seq;
use sqlx::PgConnection;

use super::nouns::{NOUN_CHECKS, NOUNS};

/// Checks one snapshot of the database, so servers may go on writing. Calls `progress` with the number that
/// was reached and the last number.
pub async fn check(
    connection: &mut PgConnection,
    price: KnownPrice,
    progress: impl FnMut(Seq, Seq),
) -> Result<CheckReport, sqlx::Error> {
    check::check(connection, &NOUNS, price, &NOUN_CHECKS, progress).await
}
