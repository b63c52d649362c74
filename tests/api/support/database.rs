//! A database per test: a copy of a template in which the migrations have run.

use std::thread;

use platform::{clock, database};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

/// The name of the template in the PostgreSQL of `DATABASE_URL`.
const TEMPLATE: &str = "caraplace_template";
/// The template's name until its migrations have run.
const UNFINISHED_TEMPLATE: &str = "caraplace_template_unfinished";

/// An empty database. It is dropped with this value, because the databases of all tests would take gigabytes.
pub struct Database {
    name: String,
    pub url: String,
}

impl Database {
    /// Creates a database in the PostgreSQL of `DATABASE_URL`.
    pub async fn create() -> Self {
        let mut connection = PgConnection::connect(&base_url()).await.unwrap();
        create_template(&mut connection).await;
        let name = clock::new_id("test");
        // Copying files takes half as long as writing all pages to the log.
        let create = format!("create database {name} template {TEMPLATE} strategy file_copy");
        execute(&mut connection, create).await;
        Self { url: database_url(&name), name }
    }
}

impl Drop for Database {
    /// Blocks until the database is dropped. It uses a thread, because a test's runtime cannot be blocked
    /// from within.
    fn drop(&mut self) {
        let statement = format!("drop database {} with (force)", self.name);
        let dropped = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                execute(&mut PgConnection::connect(&base_url()).await.unwrap(), statement).await;
            });
        });
        // If the test has failed, its own failure is reported.
        assert!(dropped.join().is_ok() || thread::panicking(), "the database could not be dropped");
    }
}

/// Creates the template unless it exists. Concurrent tests wait for the one that creates it.
async fn create_template(connection: &mut PgConnection) {
    if has_template(connection).await {
        return;
    }
    execute(connection, "select pg_advisory_lock(1)".to_owned()).await;
    if !has_template(connection).await {
        execute(connection, format!("drop database if exists {UNFINISHED_TEMPLATE}")).await;
        execute(connection, format!("create database {UNFINISHED_TEMPLATE}")).await;
        database::open(&database_url(UNFINISHED_TEMPLATE)).await.unwrap().close().await;
        // PostgreSQL does not copy a database with open sessions.
        execute(connection, format!("alter database {UNFINISHED_TEMPLATE} with allow_connections false"))
            .await;
        execute(connection, format!("alter database {UNFINISHED_TEMPLATE} rename to {TEMPLATE}")).await;
    }
    execute(connection, "select pg_advisory_unlock(1)".to_owned()).await;
}

async fn has_template(connection: &mut PgConnection) -> bool {
    let query = "select exists (select from pg_database where datname = $1)";
    sqlx::query_scalar(query).bind(TEMPLATE).fetch_one(connection).await.unwrap()
}

async fn execute(connection: &mut PgConnection, statement: String) {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection).await.unwrap();
}

fn base_url() -> String {
    std::env::var("DATABASE_URL").expect("DATABASE_URL is not set: run the tests with `make test`")
}

/// Returns the address of another database in the PostgreSQL of `DATABASE_URL`.
fn database_url(name: &str) -> String {
    let base = base_url();
    let (server, options) = base.split_once('?').unwrap_or((&base, ""));
    let (server, _) = server.rsplit_once('/').unwrap();
    format!("{server}/{name}?{options}")
}
