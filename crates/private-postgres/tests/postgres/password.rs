//! The database's password: required from every user, stored in one file, and added to clusters of earlier
//! versions.

use std::fs;
use std::path::Path;
use std::process::Command;

use private_postgres::{PrivatePostgres, StartError};
use sqlx::{Connection as _, PgConnection};

use crate::support::{TestFolder, eventually, show_setting, try_connect};

/// The authentication rules of an earlier version.
const TRUST_RULES: &str =
    "local all all trust\nhost all all 127.0.0.1/32 trust\nhost all all ::1/128 trust\n";

/// Returns the password in an address.
fn password_of(url: &str) -> &str {
    url.split([':', '@']).nth(2).unwrap()
}

/// Returns the address without its password, as an earlier version wrote it.
fn without_password(url: &str) -> String {
    url.replace(&format!(":{}@", password_of(url)), "@")
}

/// Returns PostgreSQL's error code for this address; `None` if it connects.
async fn connection_error_code(url: &str) -> Option<String> {
    let error = PgConnection::connect(url).await.err()?;
    Some(error.as_database_error().unwrap().code().unwrap().into_owned())
}

/// Asserts that the password is required, that the written address has it, and that no rule trusts anyone.
async fn assert_secured(folder: &TestFolder, postgres: &PrivatePostgres) {
    let url = folder.written_url();
    assert_eq!(url, postgres.url());
    assert_eq!(password_of(&url).len(), 64, "256 bits");
    let url_without_password = without_password(&url);
    // A changed file is applied a moment later.
    let code = eventually(|| connection_error_code(&url_without_password)).await;
    assert_eq!(code, "28P01");
    assert_eq!(connection_error_code(&url.replace(password_of(&url), "guess")).await.unwrap(), "28P01");
    assert_eq!(connection_error_code(&url).await, None);
    assert!(!read_rules(folder).contains("trust"));
    assert!(!folder.data().join("postgres.new.password").exists());
}

fn read_rules(folder: &TestFolder) -> String {
    fs::read_to_string(folder.data().join("postgres/pg_hba.conf")).unwrap()
}

/// Returns the files below a folder that contain these bytes.
fn files_with(folder: &Path, bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(files_with(&path, bytes));
        } else if kind.is_file() && fs::read(&path).unwrap().windows(bytes.len()).any(|part| part == bytes) {
            found.push(entry.file_name().into_string().unwrap());
        }
    }
    found
}

#[tokio::test]
async fn a_new_database_requires_a_password_stored_only_in_the_address_file() {
    let folder = TestFolder::new();
    let postgres = folder.start().await;
    assert_secured(&folder, &postgres).await;
    assert_eq!(show_setting(postgres.url(), "password_encryption").await, "scram-sha-256");
    let password = password_of(postgres.url()).to_owned();
    assert_eq!(files_with(&folder.data(), password.as_bytes()), ["database_url"]);
    let psql =
        Command::new("psql").arg(folder.written_url()).args(["-Atc", "select 6 * 7"]).output().unwrap();
    assert_eq!(String::from_utf8(psql.stdout).unwrap().trim(), "42");
    let url = postgres.url().to_owned();
    postgres.stop().await.unwrap();

    let postgres = folder.start().await;
    assert_eq!(postgres.url(), url, "it stays the same");
    postgres.stop().await.unwrap();
}

/// The progress of an upgrade from an earlier version before the process was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum UpgradeStep {
    Nothing,
    AddressWritten,
    PasswordSet,
    RulesDrafted,
    RulesWritten,
}

const UPGRADE_STEPS: [UpgradeStep; 5] = [
    UpgradeStep::Nothing,
    UpgradeStep::AddressWritten,
    UpgradeStep::PasswordSet,
    UpgradeStep::RulesDrafted,
    UpgradeStep::RulesWritten,
];

/// Changes the folder of a running database to that of an earlier version with a partial upgrade.
async fn downgrade(folder: &TestFolder, step: UpgradeStep) {
    let (url, file) = (folder.written_url(), folder.data().join("database_url"));
    let cluster = folder.data().join("postgres");
    let mut connection = try_connect(&url).await.unwrap();
    let written = read_rules(folder);
    fs::write(cluster.join("pg_hba.conf"), TRUST_RULES).unwrap();
    if step < UpgradeStep::PasswordSet {
        sqlx::query("alter role caraplace password null").execute(&mut connection).await.unwrap();
    }
    sqlx::query("select pg_reload_conf()").execute(&mut connection).await.unwrap();
    let url_without_password = without_password(&url);
    eventually(|| try_connect(&url_without_password)).await;
    match step {
        UpgradeStep::Nothing => fs::write(file, format!("{url_without_password}\n")).unwrap(),
        UpgradeStep::RulesDrafted => fs::write(cluster.join("pg_hba.conf.new"), &written[..20]).unwrap(),
        // The running postmaster has not read them.
        UpgradeStep::RulesWritten => fs::write(cluster.join("pg_hba.conf"), written).unwrap(),
        _ => {}
    }
    connection.close().await.unwrap();
}

#[tokio::test]
async fn an_interrupted_upgrade_of_an_old_folder_is_completed() {
    let folder = TestFolder::new();
    let mut postgres = folder.start().await;
    for step in UPGRADE_STEPS {
        downgrade(&folder, step).await;
        postgres.stop().await.unwrap();
        postgres = folder.start().await;
        assert_secured(&folder, &postgres).await;
    }
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn the_running_database_of_an_earlier_version_is_upgraded_too() {
    let folder = TestFolder::new();
    let mut postgres = folder.start().await;
    for step in UPGRADE_STEPS {
        downgrade(&folder, step).await;
        let pid = folder.postmaster_pid();
        drop(postgres);
        postgres = folder.start_when_unlocked().await;
        assert_secured(&folder, &postgres).await;
        assert_eq!(folder.postmaster_pid(), pid, "no session was interrupted");
    }
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn an_address_file_that_is_lost_gets_a_new_password() {
    let folder = TestFolder::new();
    let postgres = folder.start().await;
    let old = postgres.url().to_owned();
    drop(postgres);
    fs::remove_file(folder.data().join("database_url")).unwrap();
    let own = format!("{}local caraplace watcher scram-sha-256\n", read_rules(&folder));
    fs::write(folder.data().join("postgres/pg_hba.conf"), &own).unwrap();
    let postgres = folder.start_when_unlocked().await;
    assert_secured(&folder, &postgres).await;
    assert_eq!(read_rules(&folder), own);
    assert_eq!(connection_error_code(&old).await.unwrap(), "28P01");
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn a_failed_password_change_leaves_no_trust_rule() {
    let folder = TestFolder::new();
    let postgres = folder.start().await;
    let url_without_password = without_password(postgres.url());
    let mut connection = try_connect(postgres.url()).await.unwrap();
    // Every `alter role` fails after the next start.
    let read_only = "alter system set default_transaction_read_only = on";
    sqlx::query(read_only).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    postgres.stop().await.unwrap();
    fs::remove_file(folder.data().join("database_url")).unwrap();
    let written = read_rules(&folder);

    let refused = PrivatePostgres::start(&folder.data()).await.unwrap_err();
    assert!(matches!(refused, StartError::Password { .. }), "{refused}");
    assert_eq!(read_rules(&folder), written);
    assert_eq!(eventually(|| connection_error_code(&url_without_password)).await, "28P01");
}

#[tokio::test]
async fn rules_that_an_operator_has_added_stay() {
    let folder = TestFolder::new();
    folder.start().await.stop().await.unwrap();
    let own = format!("{}local caraplace watcher scram-sha-256\n", read_rules(&folder));
    fs::write(folder.data().join("postgres/pg_hba.conf"), &own).unwrap();
    let postgres = folder.start().await;
    assert_secured(&folder, &postgres).await;
    assert_eq!(read_rules(&folder), own);
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn a_password_file_that_a_killed_set_up_left_is_removed() {
    let folder = TestFolder::new();
    fs::create_dir_all(folder.data()).unwrap();
    fs::write(folder.data().join("postgres.new.password"), "secret\n").unwrap();
    let postgres = folder.start().await;
    assert_secured(&folder, &postgres).await;
    postgres.stop().await.unwrap();
}
