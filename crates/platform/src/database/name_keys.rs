//! The keys of names that were registered before keys were stored.

use rules::names::NameKeys;
use sqlx::PgConnection;

use super::{Result, store};

/// The number of names that are read at a time.
const NAMES_PER_PAGE: i64 = 5_000;

/// Stores the keys of every name that has none. Of several names with the same key, the one that was
/// registered first gets it, and the others stay as they are. Another server may register names at the same
/// time, but must not run this.
pub(super) async fn fill_missing(connection: &mut PgConnection) -> Result<()> {
    // A key that was taken between reading and writing leaves its name for the next pass.
    while fill_once(connection).await? > 0 {}
    Ok(())
}

/// Goes through all agents once, and returns the number of names that are left without keys.
async fn fill_once(connection: &mut PgConnection) -> Result<u64> {
    let mut after = -1;
    let mut remaining = 0;
    loop {
        let page = store::names_without_keys(connection, after, NAMES_PER_PAGE).await?;
        let Some((last, _)) = page.last() else { return Ok(remaining) };
        after = *last;
        let read_count = page.len() as u64;
        let keys: Vec<_> = page.iter().map(|(no, name)| (*no, NameKeys::from_name(name))).collect();
        remaining += read_count - store::add_name_keys(connection, &keys).await?;
    }
}
