//! The future of SQL that a noun runs for the log, which does not know the noun's types.

use std::future::Future;
use std::pin::Pin;

/// A future that runs SQL.
pub type SqlFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, sqlx::Error>> + Send + 'a>>;
