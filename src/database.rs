//! The way to PostgreSQL: connections, and the schema brought up to date under a lock.

mod name_keys;
mod store;

use std::time::Duration;

use private_postgres::session_name;
use sqlx::migrate::Migrate as _;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, PgPool, Postgres, Transaction};

use crate::refusal::{Refusal, internal};
use crate::telemetry::METRICS;

type Result<T> = std::result::Result<T, sqlx::Error>;

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!();

/// Readers at once; writes have a connection of their own.
const MAX_CONNECTIONS: u32 = 12;
/// How long a request waits for a connection before it is told that there is none.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);

/// The constraints that keep two names apart, by their names.
const NAME_CONSTRAINTS: [&str; 5] = [
    "agent_name_folded_key",
    "agent_name_skeleton_key",
    "name_key_folded_key",
    "name_key_skeleton_key",
    "operator_key_name_key",
];

/// What the gate relies on, and what frees it when an instance's machine vanishes in the middle of a transaction.
const SESSION_OPTIONS: [(&str, &str); 6] = [
    ("default_transaction_isolation", "read committed"),
    ("idle_in_transaction_session_timeout", "10s"),
    ("lock_timeout", "4s"),
    ("statement_timeout", "30s"),
    ("tcp_keepalives_idle", "5"),
    ("tcp_keepalives_count", "3"),
];

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
    #[error("The keys of the agents' names could not be filled in ({0}).")]
    Names(#[source] sqlx::Error),
    #[error("There is no canvas in this database. Check DATABASE_URL and CARAPLACE_DATA_DIR.")]
    NoCanvas(#[source] sqlx::migrate::MigrateError),
    #[error(
        "The database's tables have version {found}, and this program knows version {known}. \
         Use the caraplace that serves this database."
    )]
    OtherVersion { found: i64, known: i64 },
}

/// Logs why something failed. A database that is away is told once by whoever follows it, not by every request.
pub fn report(error: &sqlx::Error, failure: &str) {
    use sqlx::Error::{Io, PoolClosed, PoolTimedOut};
    METRICS.database.record_error(error);
    if matches!(error, Io(_) | PoolClosed | PoolTimedOut) {
        tracing::debug!(%error, "{failure}");
    } else {
        tracing::warn!(%error, "{failure}");
    }
}

/// Connects and migrates. Instances that start at once wait for each other.
///
/// # Errors
/// A sentence for the operator.
pub async fn open(url: &str) -> std::result::Result<PgPool, DatabaseError> {
    let options: PgConnectOptions = url.parse().map_err(DatabaseError::Address)?;
    let options = options.application_name(session_name());
    migrate(&options).await?;
    let pool = PgPoolOptions::new().max_connections(MAX_CONNECTIONS).acquire_timeout(ACQUIRE_TIMEOUT);
    pool.connect_with(options.options(SESSION_OPTIONS)).await.map_err(DatabaseError::Connect)
}

/// Connects to look only, without bringing anything up to date: the tables must be those that this program knows.
///
/// # Errors
/// A sentence for the operator.
pub async fn open_without_migrating(url: &str) -> std::result::Result<PgConnection, DatabaseError> {
    let options: PgConnectOptions = url.parse().map_err(DatabaseError::Address)?;
    let options = options.application_name(session_name()).options([("statement_timeout", "0")]);
    let mut connection = options.connect().await.map_err(DatabaseError::Connect)?;
    let table = "_sqlx_migrations";
    let applied = connection.list_applied_migrations(table).await.map_err(DatabaseError::NoCanvas)?;
    let found = applied.iter().map(|migration| migration.version).max().unwrap_or_default();
    let known = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default();
    if found == known { Ok(connection) } else { Err(DatabaseError::OtherVersion { found, known }) }
}

/// On a connection without limits: a migration may take long, and others wait for it. The keys of names are filled in
/// under the same lock, before any server of this version serves.
async fn migrate(options: &PgConnectOptions) -> std::result::Result<(), DatabaseError> {
    let mut connection = options.connect().await.map_err(DatabaseError::Connect)?;
    connection.lock().await?;
    MIGRATIONS.run(&mut connection).await?;
    name_keys::fill_missing(&mut connection).await.map_err(DatabaseError::Names)?;
    connection.unlock().await?;
    connection.close().await.map_err(DatabaseError::Connect)
}

/// Returns whether an error means that the database is away, or did not do what was asked: not that its answer could
/// not be read. PostgreSQL's own refusals count as an outage, because a schema that is being changed, a full disk and a
/// lost right look alike to a caller, and nothing was done in either case.
pub fn is_outage(error: &sqlx::Error) -> bool {
    use sqlx::Error::{Database, Io, PoolClosed, PoolTimedOut, Protocol, Tls, WorkerCrashed};
    matches!(error, Database(_) | Io(_) | Tls(_) | PoolTimedOut | PoolClosed | WorkerCrashed | Protocol(_))
}

/// An outage is logged here, and the caller is told only of the outage.
impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        if contains_nul(&error) {
            return Self::ContainsNul;
        }
        if is_name_taken(&error) {
            return Self::NameTaken;
        }
        if !is_outage(&error) {
            return internal("a query")(error);
        }
        report(&error, "the database did not do what was asked");
        Self::Unavailable
    }
}

/// Commits a transaction.
///
/// # Errors
/// `Uncertain` if the database did not answer; the log tells why.
pub async fn commit(transaction: Transaction<'_, Postgres>) -> std::result::Result<(), Refusal> {
    transaction.commit().await.map_err(|error| uncertain_commit(&error))
}

/// Logs an error that leaves open whether something was committed, and returns the refusal for it.
pub fn uncertain_commit(error: &sqlx::Error) -> Refusal {
    METRICS.database.record_error(error);
    tracing::warn!(%error, "a commit was not answered");
    Refusal::Uncertain
}

/// Whether a text could not be taken because of a character in it: PostgreSQL stores no NUL.
pub fn contains_nul(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "22021")
}

/// Whether a name could not be given because another one has a key of it.
fn is_name_taken(error: &sqlx::Error) -> bool {
    let constraint = error.as_database_error().and_then(|error| error.constraint());
    constraint.is_some_and(|name| NAME_CONSTRAINTS.contains(&name))
}
