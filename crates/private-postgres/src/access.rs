//! Makes PostgreSQL ask for a password, also where an earlier version let everyone in.
//!
//! Every step may be done again, so that a start that was killed between two of them is completed by the next one: the
//! password is in the address file before PostgreSQL knows it, and the rules ask for it only after PostgreSQL does.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::time::{sleep, timeout};
use tracing::{error, info, warn};

use super::account::Account;
use super::error::StartError;
use super::files::{at, replace_private};
use super::password::Password;
use super::postmaster::Postmaster;
use super::server::Server;
use super::sessions::session_name;
use super::store;

/// The rules for a new cluster. A file that does not begin with their first line is replaced, one that does is left as
/// it is, whatever an operator has added.
const RULES: &str = include_str!("../assets/pg_hba.conf");
/// Precedes the rules while a password that is not known is replaced. The socket's folder is closed to all users but
/// PostgreSQL's, which can write this file anyway.
const OPEN_RULES: &str = "local all caraplace trust\n";

/// Keeps the password out of PostgreSQL's log, and stores it as a SCRAM verifier under PostgreSQL 13 too.
const SESSION: [(&str, &str); 4] = [
    ("log_statement", "none"),
    ("log_min_duration_statement", "-1"),
    ("log_min_error_statement", "panic"),
    ("password_encryption", "scram-sha-256"),
];

/// How long PostgreSQL may take to answer, or to follow a changed file.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(20);

/// Makes sure that the running server takes the password in this address and asks everyone for one.
pub(super) async fn secure(
    server: &Server,
    folder: &Path,
    url: &str,
    password: &Password,
) -> Result<(), StartError> {
    let secured = timeout(ANSWER_TIMEOUT, set_password(server, url, password)).await;
    let problem = match secured {
        Ok(Ok(())) => return apply_rules(server).map_err(at(&server.cluster)),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it does not answer".to_owned(),
    };
    Err(StartError::Password { folder: folder.to_owned(), problem })
}

/// Writes the rules that ask everyone for a password, which a postmaster reads when it starts.
pub(super) fn require_passwords(cluster: &Path, account: &Account) -> io::Result<()> {
    write_rules(cluster, account, RULES)
}

async fn set_password(server: &Server, url: &str, password: &Password) -> Result<(), sqlx::Error> {
    let (mut connection, _opened) = match connect(url).await {
        Err(error) if is_not_let_in(&error) => {
            warn!("the database does not take the password in the file database_url; setting it anew");
            let opened = OpenedRules::write(server)?;
            (connect_once_let_in(url).await?, Some(opened))
        }
        connected => (connected?, None),
    };
    store::set_password(&mut connection, password.secret()).await?;
    connection.close().await
}

/// Rules that let the database's user in without a password. Dropping this restores the rules before them, however the
/// attempt to set the password ends: by success, failure, timeout or cancellation.
struct OpenedRules<'a> {
    server: &'a Server,
    restored: String,
}

impl<'a> OpenedRules<'a> {
    fn write(server: &'a Server) -> io::Result<Self> {
        let restored = marked_rules(&server.cluster);
        // Restored on an error too: the file may have been replaced already.
        let opened = Self { server, restored };
        write_rules(&server.cluster, &server.account, &format!("{OPEN_RULES}{}", opened.restored))?;
        server.postmaster.reload();
        Ok(opened)
    }
}

impl Drop for OpenedRules<'_> {
    fn drop(&mut self) {
        if let Err(error) = write_rules(&self.server.cluster, &self.server.account, &self.restored) {
            error!(%error, "pg_hba.conf still lets the database's user in without a password");
        }
        self.server.postmaster.reload();
    }
}

/// Brings the rules up to date. One that was taken over may not have read them yet.
fn apply_rules(server: &Server) -> io::Result<()> {
    let outdated = !has_mark(&server.cluster);
    if outdated {
        write_rules(&server.cluster, &server.account, &marked_rules(&server.cluster))?;
        info!("PostgreSQL asks for a password from now on; the file database_url has the address with it");
    }
    if outdated || matches!(server.postmaster, Postmaster::TakenOver { .. }) {
        server.postmaster.reload();
    }
    Ok(())
}

/// A connection whose statements are written to no log.
async fn connect(url: &str) -> Result<PgConnection, sqlx::Error> {
    let options: PgConnectOptions = url.parse()?;
    let options = options.application_name(session_name()).options(SESSION);
    options.disable_statement_logging().connect().await
}

async fn connect_once_let_in(url: &str) -> Result<PgConnection, sqlx::Error> {
    loop {
        match connect(url).await {
            Err(error) if is_not_let_in(&error) => sleep(POLL).await,
            connected => return connected,
        }
    }
}

/// Whether PostgreSQL answered that the password is wrong, or that no rule lets the user in.
fn is_not_let_in(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| matches!(&*code, "28P01" | "28000"))
}

fn has_mark(cluster: &Path) -> bool {
    fs::read_to_string(cluster.join("pg_hba.conf")).is_ok_and(|text| bears_mark(&text))
}

fn bears_mark(rules: &str) -> bool {
    RULES.lines().next().is_some_and(|mark| rules.starts_with(mark))
}

/// The rules in the file if they bear the mark, with all that an operator has added; otherwise new ones. Those that a
/// killed process has opened are returned as they were before.
fn marked_rules(cluster: &Path) -> String {
    let text = fs::read_to_string(cluster.join("pg_hba.conf")).unwrap_or_default();
    let before = text.strip_prefix(OPEN_RULES).unwrap_or(&text);
    if bears_mark(before) { before.to_owned() } else { RULES.to_owned() }
}

fn write_rules(cluster: &Path, account: &Account, rules: &str) -> io::Result<()> {
    replace_private(&cluster.join("pg_hba.conf"), rules, |draft| account.adopt(draft))
}
