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

use super::error::StartError;
use super::files::{path_error, replace_private};
use super::os_user::OsUser;
use super::password::Password;
use super::postmaster::Postmaster;
use super::server::PostgresServer;
use super::sessions::session_name;
use super::store;

/// The rules for a new cluster. A file that does not begin with their first line is replaced, one that does is left as
/// it is, whatever an operator has added.
const AUTH_RULES: &str = include_str!("../assets/pg_hba.conf");
/// Precedes the rules while a password that is not known is replaced. The socket's folder is closed to all users but
/// PostgreSQL's, which can write this file anyway.
const TRUST_RULES: &str = "local all caraplace trust\n";

/// Keeps the password out of PostgreSQL's log, and stores it as a SCRAM verifier under PostgreSQL 13 too.
const SESSION_SETTINGS: [(&str, &str); 4] = [
    ("log_statement", "none"),
    ("log_min_duration_statement", "-1"),
    ("log_min_error_statement", "panic"),
    ("password_encryption", "scram-sha-256"),
];

/// How long PostgreSQL may take to answer, or to follow a changed file.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Makes sure that the running server takes the password in this address and asks everyone for one.
pub(super) async fn enforce_password(
    server: &PostgresServer,
    folder: &Path,
    url: &str,
    password: &Password,
) -> Result<(), StartError> {
    let result = timeout(ANSWER_TIMEOUT, set_password(server, url, password)).await;
    let problem = match result {
        Ok(Ok(())) => return apply_rules(server).map_err(path_error(&server.cluster)),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it does not answer".to_owned(),
    };
    Err(StartError::Password { folder: folder.to_owned(), problem })
}

/// Writes the rules that ask everyone for a password, which a postmaster reads when it starts.
pub(super) fn require_passwords(cluster: &Path, account: &OsUser) -> io::Result<()> {
    write_rules(cluster, account, AUTH_RULES)
}

async fn set_password(server: &PostgresServer, url: &str, password: &Password) -> Result<(), sqlx::Error> {
    let (mut connection, _trust_rules) = match connect(url).await {
        Err(error) if is_access_denied(&error) => {
            warn!("the database does not take the password in the file database_url; setting it anew");
            let trust_rules = TemporaryTrust::write(server)?;
            (connect_when_allowed(url).await?, Some(trust_rules))
        }
        connected => (connected?, None),
    };
    store::set_password(&mut connection, password.secret()).await?;
    connection.close().await
}

/// Rules that let the database's user in without a password. Dropping this restores the rules before them, however the
/// attempt to set the password ends: by success, failure, timeout or cancellation.
struct TemporaryTrust<'a> {
    server: &'a PostgresServer,
    original_rules: String,
}

impl<'a> TemporaryTrust<'a> {
    fn write(server: &'a PostgresServer) -> io::Result<Self> {
        let original_rules = current_or_default_rules(&server.cluster);
        // Restored on an error too: the file may have been replaced already.
        let trust = Self { server, original_rules };
        write_rules(&server.cluster, &server.account, &format!("{TRUST_RULES}{}", trust.original_rules))?;
        server.postmaster.reload();
        Ok(trust)
    }
}

impl Drop for TemporaryTrust<'_> {
    fn drop(&mut self) {
        if let Err(error) = write_rules(&self.server.cluster, &self.server.account, &self.original_rules) {
            error!(%error, "pg_hba.conf still lets the database's user in without a password");
        }
        self.server.postmaster.reload();
    }
}

/// Brings the rules up to date. One that was taken over may not have read them yet.
fn apply_rules(server: &PostgresServer) -> io::Result<()> {
    let is_outdated = !has_current_rules(&server.cluster);
    if is_outdated {
        write_rules(&server.cluster, &server.account, &current_or_default_rules(&server.cluster))?;
        info!("PostgreSQL asks for a password from now on; the file database_url has the address with it");
    }
    if is_outdated || matches!(server.postmaster, Postmaster::TakenOver { .. }) {
        server.postmaster.reload();
    }
    Ok(())
}

/// A connection whose statements are written to no log.
async fn connect(url: &str) -> Result<PgConnection, sqlx::Error> {
    let options: PgConnectOptions = url.parse()?;
    let options = options.application_name(session_name()).options(SESSION_SETTINGS);
    options.disable_statement_logging().connect().await
}

async fn connect_when_allowed(url: &str) -> Result<PgConnection, sqlx::Error> {
    loop {
        match connect(url).await {
            Err(error) if is_access_denied(&error) => sleep(POLL_INTERVAL).await,
            connected => return connected,
        }
    }
}

/// Whether PostgreSQL answered that the password is wrong, or that no rule lets the user in.
fn is_access_denied(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| matches!(&*code, "28P01" | "28000"))
}

fn has_current_rules(cluster: &Path) -> bool {
    fs::read_to_string(cluster.join("pg_hba.conf")).is_ok_and(|text| starts_with_mark(&text))
}

fn starts_with_mark(rules: &str) -> bool {
    AUTH_RULES.lines().next().is_some_and(|first_line| rules.starts_with(first_line))
}

/// The rules in the file if they bear the mark, with all that an operator has added; otherwise new ones. Those that a
/// killed process has opened are returned as they were before.
fn current_or_default_rules(cluster: &Path) -> String {
    let text = fs::read_to_string(cluster.join("pg_hba.conf")).unwrap_or_default();
    let original = text.strip_prefix(TRUST_RULES).unwrap_or(&text);
    if starts_with_mark(original) { original.to_owned() } else { AUTH_RULES.to_owned() }
}

fn write_rules(cluster: &Path, account: &OsUser, rules: &str) -> io::Result<()> {
    replace_private(&cluster.join("pg_hba.conf"), rules, |draft| account.give_ownership(draft))
}
