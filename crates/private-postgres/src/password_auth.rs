//! Enforces password authentication, also for clusters of earlier versions that trusted every local user.
//!
//! Every step can be repeated, so a start that was killed between two of them is completed by the next one:
//! the password is written to the address file before PostgreSQL knows it, and the rules require it only
//! after that.

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

/// The authentication rules of a new cluster. A file that does not start with their first line is replaced.
/// One that does is kept, with everything that an operator has added.
const AUTH_RULES: &str = include_str!("../assets/pg_hba.conf");
/// Temporary rule while an unknown password is replaced. The socket's folder is accessible only to
/// PostgreSQL's user, who can write this file anyway.
const TRUST_RULES: &str = "local all caraplace trust\n";

/// Session settings that keep the password out of PostgreSQL's log, and store it as a SCRAM verifier also on
/// PostgreSQL 13.
const SESSION_SETTINGS: [(&str, &str); 4] = [
    ("log_statement", "none"),
    ("log_min_duration_statement", "-1"),
    ("log_min_error_statement", "panic"),
    ("password_encryption", "scram-sha-256"),
];

/// Maximum time for PostgreSQL to respond or to apply a changed file.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Makes sure that the running server accepts the password in this address and requires one from every user.
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
        Err(_) => "no response".to_owned(),
    };
    Err(StartError::Password { folder: folder.to_owned(), problem })
}

/// Writes the rules that require passwords, which a postmaster reads when it starts.
pub(super) fn require_passwords(cluster: &Path, account: &OsUser) -> io::Result<()> {
    write_rules(cluster, account, AUTH_RULES)
}

async fn set_password(server: &PostgresServer, url: &str, password: &Password) -> Result<(), sqlx::Error> {
    let (mut connection, _trust_rules) = match connect(url).await {
        Err(error) if is_access_denied(&error) => {
            warn!("the database refuses the password in the file database_url, setting it again");
            let trust_rules = TemporaryTrust::write(server)?;
            (connect_when_allowed(url).await?, Some(trust_rules))
        }
        connected => (connected?, None),
    };
    store::set_password(&mut connection, password.secret()).await?;
    connection.close().await
}

/// Rules that let the database's user connect without a password. Dropping this restores the previous rules,
/// after a success, failure, timeout or cancellation.
struct TemporaryTrust<'a> {
    server: &'a PostgresServer,
    original_rules: String,
}

impl<'a> TemporaryTrust<'a> {
    fn write(server: &'a PostgresServer) -> io::Result<Self> {
        let original_rules = current_or_default_rules(&server.cluster);
        // Created before the write is checked, so that an error restores the rules, too: the file may have
        // been replaced.
        let trust = Self { server, original_rules };
        write_rules(&server.cluster, &server.account, &format!("{TRUST_RULES}{}", trust.original_rules))?;
        server.postmaster.reload();
        Ok(trust)
    }
}

impl Drop for TemporaryTrust<'_> {
    fn drop(&mut self) {
        if let Err(error) = write_rules(&self.server.cluster, &self.server.account, &self.original_rules) {
            error!(%error, "pg_hba.conf still lets the database's user connect without a password");
        }
        self.server.postmaster.reload();
    }
}

/// Writes the current rules. A server that was taken over may not have read them yet.
fn apply_rules(server: &PostgresServer) -> io::Result<()> {
    let is_outdated = !has_current_rules(&server.cluster);
    if is_outdated {
        write_rules(&server.cluster, &server.account, &current_or_default_rules(&server.cluster))?;
        info!("PostgreSQL now requires a password, which is in the address in the file database_url");
    }
    if is_outdated || matches!(server.postmaster, Postmaster::TakenOver { .. }) {
        server.postmaster.reload();
    }
    Ok(())
}

/// Opens a connection whose statements are not logged.
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

/// Returns true if PostgreSQL refused the password, or if no rule permits the user.
fn is_access_denied(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| matches!(&*code, "28P01" | "28000"))
}

fn has_current_rules(cluster: &Path) -> bool {
    fs::read_to_string(cluster.join("pg_hba.conf")).is_ok_and(|text| starts_with_marker_line(&text))
}

fn starts_with_marker_line(rules: &str) -> bool {
    AUTH_RULES.lines().next().is_some_and(|first_line| rules.starts_with(first_line))
}

/// Returns the rules in the file if they start with the marker, with everything that an operator has added;
/// otherwise the default rules. A temporary rule that a killed process has left is removed.
fn current_or_default_rules(cluster: &Path) -> String {
    let text = fs::read_to_string(cluster.join("pg_hba.conf")).unwrap_or_default();
    let original = text.strip_prefix(TRUST_RULES).unwrap_or(&text);
    if starts_with_marker_line(original) { original.to_owned() } else { AUTH_RULES.to_owned() }
}

fn write_rules(cluster: &Path, account: &OsUser, rules: &str) -> io::Result<()> {
    replace_private(&cluster.join("pg_hba.conf"), rules, |draft| account.give_ownership(draft))
}
