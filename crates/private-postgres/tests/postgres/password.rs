//! The database's password: asked of everyone, kept in one file, and set where an earlier version had none.

use std::fs;
use std::path::Path;
use std::process::Command;

use private_postgres::{PrivatePostgres, StartError};
use sqlx::{Connection as _, PgConnection};

use crate::support::{Folder, eventually, show, try_connect};

/// The rules of a folder that an earlier version has made.
const TRUSTING: &str = "local all all trust\nhost all all 127.0.0.1/32 trust\nhost all all ::1/128 trust\n";

/// The password in an address.
fn password_of(url: &str) -> &str {
    url.split([':', '@']).nth(2).unwrap()
}

/// The address without its password, as an earlier version wrote it.
fn without_password(url: &str) -> String {
    url.replace(&format!(":{}@", password_of(url)), "@")
}

/// PostgreSQL's code for why it does not let this address in; `None` if it does.
async fn refusal(url: &str) -> Option<String> {
    let error = PgConnection::connect(url).await.err()?;
    Some(error.as_database_error().unwrap().code().unwrap().into_owned())
}

/// Insists that the password is asked for, that the written address has it, and that no rule trusts anyone.
async fn assert_secured(folder: &Folder, postgres: &PrivatePostgres) {
    let url = folder.written_url();
    assert_eq!(url, postgres.url());
    assert_eq!(password_of(&url).len(), 64, "256 bits");
    let bare = without_password(&url);
    // A changed file is followed a moment later.
    let code = eventually(|| refusal(&bare)).await;
    assert_eq!(code, "28P01");
    assert_eq!(refusal(&url.replace(password_of(&url), "guess")).await.unwrap(), "28P01");
    assert_eq!(refusal(&url).await, None);
    assert!(!rules(folder).contains("trust"));
    assert!(!folder.data().join("postgres.new.password").exists());
}

fn rules(folder: &Folder) -> String {
    fs::read_to_string(folder.data().join("postgres/pg_hba.conf")).unwrap()
}

/// The files below a folder that hold these bytes.
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
    let folder = Folder::new();
    let postgres = folder.start().await;
    assert_secured(&folder, &postgres).await;
    assert_eq!(show(postgres.url(), "password_encryption").await, "scram-sha-256");
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

/// How far an upgrade from an earlier version came before the process was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    Nothing,
    AddressWritten,
    PasswordSet,
    RulesDrafted,
    RulesWritten,
}

const STEPS: [Reached; 5] = [
    Reached::Nothing,
    Reached::AddressWritten,
    Reached::PasswordSet,
    Reached::RulesDrafted,
    Reached::RulesWritten,
];

/// Makes the folder of a running database into one of an earlier version, upgraded so far.
async fn make_earlier(folder: &Folder, reached: Reached) {
    let (url, file) = (folder.written_url(), folder.data().join("database_url"));
    let cluster = folder.data().join("postgres");
    let mut connection = try_connect(&url).await.unwrap();
    let written = rules(folder);
    fs::write(cluster.join("pg_hba.conf"), TRUSTING).unwrap();
    if reached < Reached::PasswordSet {
        sqlx::query("alter role caraplace password null").execute(&mut connection).await.unwrap();
    }
    sqlx::query("select pg_reload_conf()").execute(&mut connection).await.unwrap();
    let bare = without_password(&url);
    eventually(|| try_connect(&bare)).await;
    match reached {
        Reached::Nothing => fs::write(file, format!("{bare}\n")).unwrap(),
        Reached::RulesDrafted => fs::write(cluster.join("pg_hba.conf.new"), &written[..20]).unwrap(),
        // The running postmaster has not read them.
        Reached::RulesWritten => fs::write(cluster.join("pg_hba.conf"), written).unwrap(),
        _ => {}
    }
    connection.close().await.unwrap();
}

#[tokio::test]
async fn an_interrupted_upgrade_of_an_old_folder_is_completed() {
    let folder = Folder::new();
    let mut postgres = folder.start().await;
    for reached in STEPS {
        make_earlier(&folder, reached).await;
        postgres.stop().await.unwrap();
        postgres = folder.start().await;
        assert_secured(&folder, &postgres).await;
    }
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn the_running_database_of_an_earlier_version_is_upgraded_too() {
    let folder = Folder::new();
    let mut postgres = folder.start().await;
    for reached in STEPS {
        make_earlier(&folder, reached).await;
        let pid = folder.postmaster();
        drop(postgres);
        postgres = folder.start_once_free().await;
        assert_secured(&folder, &postgres).await;
        assert_eq!(folder.postmaster(), pid, "nobody was cut off");
    }
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn an_address_file_that_is_lost_gets_a_new_password() {
    let folder = Folder::new();
    let postgres = folder.start().await;
    let old = postgres.url().to_owned();
    drop(postgres);
    fs::remove_file(folder.data().join("database_url")).unwrap();
    let own = format!("{}local caraplace watcher scram-sha-256\n", rules(&folder));
    fs::write(folder.data().join("postgres/pg_hba.conf"), &own).unwrap();
    let postgres = folder.start_once_free().await;
    assert_secured(&folder, &postgres).await;
    assert_eq!(rules(&folder), own);
    assert_eq!(refusal(&old).await.unwrap(), "28P01");
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn a_failed_password_change_leaves_no_trust_rule() {
    let folder = Folder::new();
    let postgres = folder.start().await;
    let bare = without_password(postgres.url());
    let mut connection = try_connect(postgres.url()).await.unwrap();
    // Every `alter role` fails from the next start on.
    let read_only = "alter system set default_transaction_read_only = on";
    sqlx::query(read_only).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    postgres.stop().await.unwrap();
    fs::remove_file(folder.data().join("database_url")).unwrap();
    let written = rules(&folder);

    let refused = PrivatePostgres::start(&folder.data()).await.unwrap_err();
    assert!(matches!(refused, StartError::Password { .. }), "{refused}");
    assert_eq!(rules(&folder), written);
    assert_eq!(eventually(|| refusal(&bare)).await, "28P01");
}

#[tokio::test]
async fn rules_that_an_operator_has_added_stay() {
    let folder = Folder::new();
    folder.start().await.stop().await.unwrap();
    let own = format!("{}local caraplace watcher scram-sha-256\n", rules(&folder));
    fs::write(folder.data().join("postgres/pg_hba.conf"), &own).unwrap();
    let postgres = folder.start().await;
    assert_secured(&folder, &postgres).await;
    assert_eq!(rules(&folder), own);
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn a_password_file_that_a_killed_set_up_left_is_removed() {
    let folder = Folder::new();
    fs::create_dir_all(folder.data()).unwrap();
    fs::write(folder.data().join("postgres.new.password"), "secret\n").unwrap();
    let postgres = folder.start().await;
    assert_secured(&folder, &postgres).await;
    postgres.stop().await.unwrap();
}
