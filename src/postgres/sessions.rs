//! Tells this process's sessions from those of others.

use std::sync::LazyLock;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::time::{sleep, timeout};

use super::store;
use crate::clock;

/// How long sessions that are about to end are waited for.
const CLOSE_WAIT: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(50);
/// How long PostgreSQL may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

static NAME: LazyLock<String> = LazyLock::new(|| {
    // Not the process number alone: processes in other containers may have the same.
    let random = clock::random_bytes::<4>().map_or(std::process::id(), u32::from_le_bytes);
    format!("caraplace {random:08x}")
});

/// The `application_name` of all sessions of this process, and of no other's.
pub fn session_name() -> &'static str {
    &NAME
}

/// The sessions of other processes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// There are none, or PostgreSQL serves nobody.
    Absent,
    /// So many.
    Present(i64),
    /// PostgreSQL serves, but did not say, for this reason.
    Unknown(String),
}

/// Looks for sessions of other processes, and gives those that are about to end a moment.
pub(super) async fn others(url: &str) -> Others {
    match timeout(ANSWER_TIMEOUT, count_others(url)).await {
        Ok(Ok(0)) => Others::Absent,
        Ok(Ok(count)) => Others::Present(count),
        Ok(Err(error)) => of_failure(&error),
        Err(_) => Others::Absent,
    }
}

async fn count_others(url: &str) -> Result<i64, sqlx::Error> {
    let options: PgConnectOptions = url.parse()?;
    let mut connection: PgConnection = options.application_name(session_name()).connect().await?;
    let since = clock::moment();
    loop {
        let count = store::sessions_but(&mut connection, session_name()).await?;
        if count == 0 || since.elapsed() > CLOSE_WAIT {
            connection.close().await?;
            return Ok(count);
        }
        sleep(POLL).await;
    }
}

/// One that does not answer, or is starting or stopping, serves no sessions that a stop could disturb.
fn of_failure(error: &sqlx::Error) -> Others {
    const CANNOT_CONNECT_NOW: &str = "57P03";
    match error.as_database_error().and_then(|error| error.code()) {
        Some(code) if code != CANNOT_CONNECT_NOW => Others::Unknown(error.to_string()),
        _ => Others::Absent,
    }
}
