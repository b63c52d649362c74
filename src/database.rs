//! The way to PostgreSQL: connections, and the schema brought up to date under a lock.

use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!();

/// Readers at once; writes have a connection of their own.
const CONNECTIONS: u32 = 12;
/// How long a request waits for a connection before it is told that there is none.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why the database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    #[error(
        "DATABASE_URL cannot be read ({0}). It must look like postgres://user:password@host:5432/database."
    )]
    Address(#[source] sqlx::Error),
    #[error("The database does not let us in ({0}). Check DATABASE_URL, and that PostgreSQL is running.")]
    Connect(#[source] sqlx::Error),
    #[error("The database's tables could not be brought up to date ({0}).")]
    Migrate(#[from] sqlx::migrate::MigrateError),
}

/// Connects and migrates. Instances that start at once wait for each other.
///
/// # Errors
/// A sentence for the operator.
pub async fn open(url: &str) -> Result<PgPool, DatabaseError> {
    let options: PgConnectOptions = url.parse().map_err(DatabaseError::Address)?;
    let options = options.application_name("caraplace");
    let pool = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(PATIENCE);
    let pool = pool.connect_with(options).await.map_err(DatabaseError::Connect)?;
    MIGRATIONS.run(&pool).await?;
    Ok(pool)
}
