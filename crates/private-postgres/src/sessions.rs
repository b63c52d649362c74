//! Distinguishes this process's sessions from those of others.

use std::io::ErrorKind;
use std::sync::LazyLock;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::time::{Instant, sleep, timeout};

use super::store;

/// Maximum time to wait for sessions that are about to end.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum time for PostgreSQL to respond.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

static SESSION_NAME: LazyLock<String> = LazyLock::new(|| {
    // The process number alone is not unique: processes in other containers may have the same.
    let random = getrandom::u32().unwrap_or_else(|_| std::process::id());
    format!("caraplace {random:08x}")
});

/// Returns the `application_name` of all sessions of this process, which no other process uses.
pub fn session_name() -> &'static str {
    &SESSION_NAME
}

/// The sessions of other processes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OtherSessions {
    /// There are none, or PostgreSQL does not listen or refuses all connections.
    Absent,
    /// The number of sessions.
    Count(i64),
    /// The number is unknown, for this reason.
    Unknown(String),
}

/// Counts the sessions of other processes, and waits shortly for those that are about to end.
pub(super) async fn find_other_sessions(url: &str) -> OtherSessions {
    find_other_sessions_within(ANSWER_TIMEOUT, url).await
}

async fn find_other_sessions_within(limit: Duration, url: &str) -> OtherSessions {
    match timeout(limit, count_other_sessions(url)).await {
        Ok(Ok(0)) => OtherSessions::Absent,
        Ok(Ok(count)) => OtherSessions::Count(count),
        Ok(Err(error)) if means_no_sessions(&error) => OtherSessions::Absent,
        Ok(Err(error)) => OtherSessions::Unknown(error.to_string()),
        Err(_) => OtherSessions::Unknown(format!("no response within {limit:?}")),
    }
}

async fn count_other_sessions(url: &str) -> Result<i64, sqlx::Error> {
    let options: PgConnectOptions = url.parse()?;
    let mut connection: PgConnection = options.application_name(session_name()).connect().await?;
    let started = Instant::now();
    loop {
        let count = store::count_sessions_except(&mut connection, session_name()).await?;
        if count == 0 || started.elapsed() > CLOSE_TIMEOUT {
            connection.close().await?;
            return Ok(count);
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// Returns true if the failure means that there are no sessions which a stop could interrupt: no server
/// listens, or PostgreSQL is starting or stopping. Other failures, such as a lack of file descriptors in this
/// process, mean nothing.
fn means_no_sessions(error: &sqlx::Error) -> bool {
    const CANNOT_CONNECT_NOW: &str = "57P03";
    match error {
        sqlx::Error::Io(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused),
        sqlx::Error::Database(error) => error.code().as_deref() == Some(CANNOT_CONNECT_NOW),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::path::Path;

    use super::*;
    use crate::socket;

    /// Returns the address of a PostgreSQL that listens in this folder.
    fn url(folder: &Path) -> String {
        format!("postgres://caraplace@localhost:{}/caraplace?host={}", socket::PORT, folder.display())
    }

    fn listen(folder: &Path) -> UnixListener {
        UnixListener::bind(folder.join(format!(".s.PGSQL.{}", socket::PORT))).unwrap()
    }

    #[tokio::test]
    async fn a_postgres_that_does_not_answer_may_have_sessions() {
        let folder = tempfile::tempdir().unwrap();
        let _listener = listen(folder.path());
        let found = find_other_sessions_within(Duration::from_millis(50), &url(folder.path())).await;
        assert!(matches!(&found, OtherSessions::Unknown(_)), "{found:?}");
    }

    #[tokio::test]
    async fn a_postgres_that_answers_nonsense_may_have_sessions() {
        let folder = tempfile::tempdir().unwrap();
        let listener = listen(folder.path());
        // Closes the connection immediately.
        let closer = std::thread::spawn(move || listener.accept().map(drop));
        let found = find_other_sessions(&url(folder.path())).await;
        assert!(matches!(&found, OtherSessions::Unknown(_)), "{found:?}");
        closer.join().unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_socket_without_a_listener_has_no_sessions() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(find_other_sessions(&url(folder.path())).await, OtherSessions::Absent);
        drop(listen(folder.path()));
        assert_eq!(find_other_sessions(&url(folder.path())).await, OtherSessions::Absent);
    }

    #[test]
    fn a_local_failure_does_not_mean_no_sessions() {
        const TOO_MANY_OPEN_FILES: i32 = 24;
        let failure = std::io::Error::from_raw_os_error(TOO_MANY_OPEN_FILES);
        assert!(!means_no_sessions(&sqlx::Error::Io(failure)));
        assert!(!means_no_sessions(&sqlx::Error::Protocol("unexpected message".into())));
    }
}
