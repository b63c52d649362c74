//! The connection to PostgreSQL, and the migrations, which run under a lock.

mod name_keys;
mod store;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use private_postgres::session_name;
use sqlx::migrate::Migrate as _;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, PgPool, Postgres, Transaction};

use crate::refusal::{AccountRefusal, Refusal, internal};
use crate::telemetry::METRICS;

type Result<T> = std::result::Result<T, sqlx::Error>;

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations");

/// The connections for reading. The writer has a connection of its own.
const MAX_CONNECTIONS: u32 = 12;
/// The time that a request waits for a connection before it is refused.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);

/// The names of the constraints that keep names distinct.
const NAME_CONSTRAINTS: [&str; 6] = [
    "agent_name_folded_key",
    "agent_name_skeleton_key",
    "name_key_folded_key",
    "name_key_skeleton_key",
    "operator_key_name_key",
    "operator_name_key",
];

/// The session settings that the writer relies on. Some of them release the head lock when the machine of an
/// instance disappears during a transaction.
const SESSION_OPTIONS: [(&str, &str); 6] = [
    ("default_transaction_isolation", "read committed"),
    ("idle_in_transaction_session_timeout", "10s"),
    ("lock_timeout", "4s"),
    ("statement_timeout", "30s"),
    ("tcp_keepalives_idle", "5"),
    ("tcp_keepalives_count", "3"),
];

/// True if the database answered the follower of this process lately, false before its first answer.
static ANSWERS: AtomicBool = AtomicBool::new(false);

/// The codes with which PostgreSQL refuses a query because it is busy: a statement took too long, or all its
/// connections, locks or memory are in use.
const BUSY_CODES: [&str; 4] = ["57014", "53300", "53200", "53400"];

/// The reason why the database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// `DATABASE_URL` is not a valid address.
    #[error(
        "DATABASE_URL cannot be read ({0}). It must look like postgres://user:password@host:5432/database."
    )]
    Address(#[source] sqlx::Error),
    /// PostgreSQL cannot be reached, or refuses the connection.
    #[error("The database refuses the connection ({0}). Check DATABASE_URL, and that PostgreSQL is running.")]
    Connect(#[source] sqlx::Error),
    /// A migration failed.
    #[error(
        "The database's tables could not be migrated ({0}). If a newer version of caraplace has used this \
         database, start that version."
    )]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// The comparison keys of names could not be stored.
    #[error("The comparison keys of agent names could not be stored ({0}).")]
    Names(#[source] sqlx::Error),
    /// The database has no tables of Caraplace.
    #[error("There is no canvas in this database. Check DATABASE_URL and CARAPLACE_DATA_DIR.")]
    NoCanvas(#[source] sqlx::migrate::MigrateError),
    /// The tables were migrated by another version.
    #[error(
        "The database's tables have version {found}, and this program knows version {known}. \
         Use the version of caraplace that serves this database."
    )]
    OtherVersion { found: i64, known: i64 },
}

/// Logs a failure. An unreachable database is logged once by the follower, not by every request.
pub fn report(error: &sqlx::Error, failure: &str) {
    use sqlx::Error::{Io, PoolClosed, PoolTimedOut};
    METRICS.database.record_error(error);
    if matches!(error, Io(_) | PoolClosed | PoolTimedOut) {
        tracing::debug!(%error, "{failure}");
    } else {
        tracing::warn!(%error, "{failure}");
    }
}

/// Connects and migrates. Instances that start at the same time wait for each other.
///
/// # Errors
/// A `DatabaseError` with a sentence for the operator.
pub async fn open(url: &str) -> std::result::Result<PgPool, DatabaseError> {
    let options: PgConnectOptions = url.parse().map_err(DatabaseError::Address)?;
    let options = options.application_name(session_name());
    migrate(&options).await?;
    let pool = PgPoolOptions::new().max_connections(MAX_CONNECTIONS).acquire_timeout(ACQUIRE_TIMEOUT);
    pool.connect_with(options.options(SESSION_OPTIONS)).await.map_err(DatabaseError::Connect)
}

/// Connects for reading only, without migrating. The schema must have the version of this program.
///
/// # Errors
/// A `DatabaseError` with a sentence for the operator.
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

/// The time for which a migration waits for a lock. Whatever servers of the previous version write meanwhile
/// waits behind it, so it is short, and the migration tries again.
const MIGRATION_LOCK_TIMEOUT: &str = "2s";
/// The number of times that a migration tries to get its locks, one of which another instance holds that
/// migrates.
const MAX_MIGRATION_ATTEMPTS: u32 = 300;
/// The pause between two attempts, in which other statements get their locks.
const MIGRATION_PAUSE: Duration = Duration::from_secs(1);

/// Migrates, and tries again if the locks were not free.
async fn migrate(options: &PgConnectOptions) -> std::result::Result<(), DatabaseError> {
    let options = options.clone().options([("lock_timeout", MIGRATION_LOCK_TIMEOUT)]);
    for _ in 1..MAX_MIGRATION_ATTEMPTS {
        match try_migrate(&options).await {
            Err(error) if is_blocked_migration(&error) => {
                tracing::info!("the migration waits for a lock in the database, trying again");
                tokio::time::sleep(MIGRATION_PAUSE).await;
            }
            result => return result,
        }
    }
    try_migrate(&options).await
}

/// Returns true if a migration did not get a lock in time, or was ended because it and a server of an earlier
/// version waited for each other: they lock the same tables, not always in the same order.
fn is_blocked_migration(error: &DatabaseError) -> bool {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    let mut errors = causes.filter_map(|cause| cause.downcast_ref::<sqlx::Error>());
    errors.any(|error| is_lock_timeout(error) || has_code(error, "40P01"))
}

/// Migrates on a connection without other time limits, because a migration may take long and other instances
/// wait for it. The keys of names are filled in under the same lock, before any server of this version
/// starts.
async fn try_migrate(options: &PgConnectOptions) -> std::result::Result<(), DatabaseError> {
    let mut connection = options.connect().await.map_err(DatabaseError::Connect)?;
    connection.lock().await?;
    MIGRATIONS.run(&mut connection).await?;
    name_keys::fill_missing(&mut connection).await.map_err(DatabaseError::Names)?;
    connection.unlock().await?;
    connection.close().await.map_err(DatabaseError::Connect)
}

/// True if an error means that the database is unreachable or did not carry out the query, rather than that
/// its answer could not be decoded. PostgreSQL's own errors count as an outage: a schema migration, a full
/// disk and a lost privilege look alike to a caller, and nothing was changed in any of these cases.
pub fn is_outage(error: &sqlx::Error) -> bool {
    use sqlx::Error::{Database, Io, PoolClosed, PoolTimedOut, Protocol, Tls, WorkerCrashed};
    matches!(error, Database(_) | Io(_) | Tls(_) | PoolTimedOut | PoolClosed | WorkerCrashed | Protocol(_))
}

/// Records whether the database answers the follower.
pub fn set_answering(answers: bool) {
    ANSWERS.store(answers, Ordering::Relaxed);
}

/// Returns true if a database that answers was too busy for the query: all pooled connections stayed in use,
/// or PostgreSQL says so itself.
fn is_busy(error: &sqlx::Error, answers: bool) -> bool {
    match error {
        sqlx::Error::PoolTimedOut => answers,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| BUSY_CODES.contains(&&*code)),
        _ => false,
    }
}

/// Logs an outage here; the caller learns only that there is one, or that the database is busy.
impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        if contains_nul(&error) {
            return Self::ContainsNul;
        }
        if is_name_taken(&error) {
            return AccountRefusal::NameTaken.into();
        }
        if !is_outage(&error) {
            return internal("a query")(error);
        }
        report(&error, "a database query failed");
        if is_busy(&error, ANSWERS.load(Ordering::Relaxed)) { Self::Overloaded } else { Self::Unavailable }
    }
}

/// Commits a transaction.
///
/// # Errors
/// `Uncertain` if the database did not answer; the log has the cause.
pub async fn commit(transaction: Transaction<'_, Postgres>) -> std::result::Result<(), Refusal> {
    transaction.commit().await.map_err(|error| uncertain_commit(&error))
}

/// Logs an error that leaves the outcome of a commit unknown, and returns the refusal for it.
fn uncertain_commit(error: &sqlx::Error) -> Refusal {
    METRICS.database.record_error(error);
    tracing::warn!(%error, "commit without an answer");
    Refusal::Uncertain
}

/// Returns true if a text was refused because it contains NUL, which PostgreSQL does not store.
pub fn contains_nul(error: &sqlx::Error) -> bool {
    has_code(error, "22021")
}

/// Returns true if a lock was not acquired within `lock_timeout`.
pub fn is_lock_timeout(error: &sqlx::Error) -> bool {
    has_code(error, "55P03")
}

/// Returns true if an error of PostgreSQL has this code.
fn has_code(error: &sqlx::Error, code: &str) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|found| found == code)
}

/// Returns true if a name was refused because another account has one of its keys.
fn is_name_taken(error: &sqlx::Error) -> bool {
    let constraint = error.as_database_error().and_then(|error| error.constraint());
    constraint.is_some_and(|name| NAME_CONSTRAINTS.contains(&name))
}

/// Returns one column of several rows, to bind it as an array.
pub fn column<Row, Value>(rows: &[Row], value: impl Fn(&Row) -> Value) -> Vec<Value> {
    rows.iter().map(value).collect()
}

/// Returns an array of numbers as a text that PostgreSQL can parse: nothing is quoted. In an array of arrays,
/// these would need to have equal lengths.
pub fn to_array_literal<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    format!("{{{}}}", items.join(","))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::error::Error as StdError;
    use std::fmt;
    use std::io::{Error as IoError, ErrorKind};

    use sqlx::error::{DatabaseError, ErrorKind as DatabaseErrorKind};
    use sqlx::migrate::MigrateError;

    use super::*;

    /// An error that PostgreSQL returns with this code.
    #[derive(Debug)]
    struct CodedError(&'static str);

    impl fmt::Display for CodedError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl StdError for CodedError {}

    impl DatabaseError for CodedError {
        fn message(&self) -> &str {
            self.0
        }

        fn code(&self) -> Option<Cow<'_, str>> {
            Some(self.0.into())
        }

        fn as_error(&self) -> &(dyn StdError + Send + Sync + 'static) {
            self
        }

        fn as_error_mut(&mut self) -> &mut (dyn StdError + Send + Sync + 'static) {
            self
        }

        fn into_error(self: Box<Self>) -> Box<dyn StdError + Send + Sync + 'static> {
            self
        }

        fn kind(&self) -> DatabaseErrorKind {
            DatabaseErrorKind::Other
        }
    }

    fn coded(code: &'static str) -> sqlx::Error {
        sqlx::Error::Database(Box::new(CodedError(code)))
    }

    #[test]
    fn pool_timeout_means_busy_only_if_the_database_answers() {
        assert!(is_busy(&sqlx::Error::PoolTimedOut, true));
        assert!(!is_busy(&sqlx::Error::PoolTimedOut, false));
    }

    #[test]
    fn migration_that_does_not_get_its_locks_is_tried_again() {
        let is_blocked = |code| is_blocked_migration(&MigrateError::ExecuteMigration(coded(code), 1).into());
        assert!(is_blocked("55P03"), "its time ran out");
        assert!(is_blocked("40P01"), "it was in a deadlock");
        assert!(!is_blocked("42P01"), "a table is missing");
    }

    #[test]
    fn busy_database_is_an_overload_and_any_other_failure_an_outage() {
        for code in BUSY_CODES {
            assert!(matches!(coded(code).into(), Refusal::Overloaded), "{code}");
        }
        // Shutdown, crash, start, read-only, full disk, lost privilege, missing table, lock timeout.
        for code in [
            "57P01", "57P02", "57P03", "25006", "53100", "42501", "42P01", "55P03", "40P01", "40001", "08006",
        ] {
            assert!(matches!(coded(code).into(), Refusal::Unavailable), "{code}");
        }
        let refused = || sqlx::Error::Io(IoError::from(ErrorKind::ConnectionRefused));
        for error in [refused(), sqlx::Error::PoolClosed, sqlx::Error::WorkerCrashed] {
            assert!(!is_busy(&error, true));
            assert!(matches!(error.into(), Refusal::Unavailable));
        }
        assert!(matches!(coded("22021").into(), Refusal::ContainsNul));
        assert!(matches!(sqlx::Error::RowNotFound.into(), Refusal::Internal(_)));
    }
}
