//! Tells this process's sessions from those of others.

use std::io::ErrorKind;
use std::sync::LazyLock;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::time::{Instant, sleep, timeout};

use super::store;

/// How long sessions that are about to end are waited for.
const CLOSE_WAIT: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(50);
/// How long PostgreSQL may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

static NAME: LazyLock<String> = LazyLock::new(|| {
    // Not the process number alone: processes in other containers may have the same.
    let random = getrandom::u32().unwrap_or_else(|_| std::process::id());
    format!("caraplace {random:08x}")
});

/// The `application_name` of all sessions of this process, and of no other's.
pub fn session_name() -> &'static str {
    &NAME
}

/// The sessions of other processes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// There are none, or PostgreSQL does not listen or refuses all connections.
    Absent,
    /// So many.
    Present(i64),
    /// There may be some: PostgreSQL did not tell, for this reason.
    Unknown(String),
}

/// Looks for sessions of other processes, and gives those that are about to end a moment.
pub(super) async fn others(url: &str) -> Others {
    others_within(ANSWER_TIMEOUT, url).await
}

async fn others_within(limit: Duration, url: &str) -> Others {
    match timeout(limit, count_others(url)).await {
        Ok(Ok(0)) => Others::Absent,
        Ok(Ok(count)) => Others::Present(count),
        Ok(Err(error)) if serves_no_sessions(&error) => Others::Absent,
        Ok(Err(error)) => Others::Unknown(error.to_string()),
        Err(_) => Others::Unknown(format!("no answer within {limit:?}")),
    }
}

async fn count_others(url: &str) -> Result<i64, sqlx::Error> {
    let options: PgConnectOptions = url.parse()?;
    let mut connection: PgConnection = options.application_name(session_name()).connect().await?;
    let since = Instant::now();
    loop {
        let count = store::sessions_but(&mut connection, session_name()).await?;
        if count == 0 || since.elapsed() > CLOSE_WAIT {
            connection.close().await?;
            return Ok(count);
        }
        sleep(POLL).await;
    }
}

/// Whether the failure shows that there are no sessions which a stop could disturb: nothing listens, or PostgreSQL is
/// starting or stopping. Any other failure, such as a lack of file descriptors in this process, shows nothing.
fn serves_no_sessions(error: &sqlx::Error) -> bool {
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

    /// The address of a PostgreSQL that listens in this folder.
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
        let found = others_within(Duration::from_millis(50), &url(folder.path())).await;
        assert!(matches!(&found, Others::Unknown(_)), "{found:?}");
    }

    #[tokio::test]
    async fn a_postgres_that_answers_nonsense_may_have_sessions() {
        let folder = tempfile::tempdir().unwrap();
        let listener = listen(folder.path());
        // Closes the connection at once.
        let closer = std::thread::spawn(move || listener.accept().map(drop));
        let found = others(&url(folder.path())).await;
        assert!(matches!(&found, Others::Unknown(_)), "{found:?}");
        closer.join().unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_socket_without_a_listener_has_no_sessions() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(others(&url(folder.path())).await, Others::Absent);
        drop(listen(folder.path()));
        assert_eq!(others(&url(folder.path())).await, Others::Absent);
    }

    #[test]
    fn a_local_failure_does_not_mean_no_sessions() {
        const TOO_MANY_OPEN_FILES: i32 = 24;
        let failure = std::io::Error::from_raw_os_error(TOO_MANY_OPEN_FILES);
        assert!(!serves_no_sessions(&sqlx::Error::Io(failure)));
        assert!(!serves_no_sessions(&sqlx::Error::Protocol("unexpected message".into())));
    }
}
