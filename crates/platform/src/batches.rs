//! Repeats statements that change a few rows at a time, so that nothing else waits for them.

use std::time::Duration;

use tokio::time::sleep;

/// The maximum number of rows in a batch.
pub const BATCH_ROWS: i64 = 500;
/// The pause after each batch.
const PAUSE: Duration = Duration::from_millis(50);

/// Runs batches of [`BATCH_ROWS`] rows until one is not full. Returns the number of rows that were changed.
///
/// # Errors
/// The error of a batch. Those before it are committed.
pub async fn repeat<F: Future<Output = Result<u64, sqlx::Error>>>(
    mut run_batch: impl FnMut() -> F,
) -> Result<u64, sqlx::Error> {
    let mut total = 0;
    loop {
        let changed = run_batch().await?;
        total += changed;
        if changed < BATCH_ROWS as u64 {
            return Ok(total);
        }
        sleep(PAUSE).await;
    }
}
