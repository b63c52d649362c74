//! The scripts `ops/backup` and `ops/restore`, with a private PostgreSQL.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use rustix::process::Signal;
use sqlx::PgConnection;
use tokio::process::{Child, Command};

use crate::postmaster::signal;
use crate::support::{TestFolder, eventually, try_connect};

/// Returns a command that runs a script with this folder of backups.
fn script(name: &str, backups: &Path) -> Command {
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("ops").join(name));
    command.env_remove("DATABASE_URL").env("BACKUP_FOLDER", backups);
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

async fn run(mut command: Command) {
    let output = command.output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Returns the names in a folder of backups, in order.
fn names(backups: &Path, folder: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(backups.join(folder)) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// Starts to copy the write-ahead log, and returns when the first file of the copy exists.
async fn start_copy_of_wal(backups: &Path, data: &Path) -> Child {
    let child = script("backup", backups).arg("wal").env("CARAPLACE_DATA_DIR", data).spawn().unwrap();
    eventually(|| async { (!names(backups, "wal").is_empty()).then_some(()) }).await;
    child
}

/// Ends the current file of the write-ahead log, and returns its name when it is copied.
async fn copy_current_wal(connection: &mut PgConnection, backups: &Path) -> String {
    let query = sqlx::query_scalar("select pg_walfile_name(pg_switch_wal())");
    let file: String = query.fetch_one(connection).await.unwrap();
    eventually(|| async { names(backups, "wal").contains(&file).then_some(()) }).await;
    file
}

/// Restores into the folder of a new private PostgreSQL, and returns the number of its entries.
async fn count_restored(backups: &Path, to: &[&str]) -> i64 {
    let folder = TestFolder::new();
    let mut restore = script("restore", backups);
    restore.arg("--into").arg(folder.data().join("postgres")).args(to);
    run(restore).await;
    let postgres = folder.start().await;
    let mut connection = try_connect(postgres.url()).await.unwrap();
    let query = sqlx::query_scalar("select count(*) from entry");
    let count = query.fetch_one(&mut connection).await.unwrap();
    postgres.stop().await.unwrap();
    count
}

/// Tries to restore what cannot be restored, and returns the script's error.
async fn restore_in_vain(backups: &Path, to: &str) -> String {
    let folder = TestFolder::new();
    let into = folder.data().join("postgres");
    let mut restore = script("restore", backups);
    restore.arg("--into").arg(&into).args(["--to", to]);
    let output = restore.output().await.unwrap();
    assert!(!output.status.success(), "{to}");
    assert!(fs::read_dir(&into).map_or(true, |mut entries| entries.next().is_none()), "the folder is empty");
    String::from_utf8(output.stderr).unwrap()
}

#[tokio::test]
async fn a_moment_after_a_base_backup_is_restored() {
    let folder = TestFolder::new();
    let postgres = folder.start().await;
    let backups = tempfile::tempdir().unwrap();
    let backups = backups.path();
    let mut connection = try_connect(postgres.url()).await.unwrap();
    sqlx::query("create table entry as select generate_series(1, 10)")
        .execute(&mut connection)
        .await
        .unwrap();

    let mut wal = start_copy_of_wal(backups, &folder.data()).await;
    let password = postgres.url().split([':', '@']).nth(2).unwrap();
    let command_line = fs::read_to_string(format!("/proc/{}/cmdline", wal.id().unwrap())).unwrap();
    assert!(command_line.contains("pg_receivewal") && !command_line.contains(password), "{command_line}");
    let mut base = script("backup", backups);
    base.arg("base").env("CARAPLACE_DATA_DIR", folder.data());
    run(base).await;

    sqlx::query("insert into entry select generate_series(1, 5)").execute(&mut connection).await.unwrap();
    let now = "select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US\"Z\"')";
    let moment: String = sqlx::query_scalar(now).fetch_one(&mut connection).await.unwrap();
    sqlx::query("insert into entry select generate_series(1, 7)").execute(&mut connection).await.unwrap();
    let copied = copy_current_wal(&mut connection, backups).await;
    assert_eq!(count_restored(backups, &["--to", &moment]).await, 15);
    assert_eq!(count_restored(backups, &[]).await, 22);
    let error = restore_in_vain(backups, "2999-01-01 00:00:00Z").await;
    assert!(error.contains("leave out --to"), "{error}");

    let first = names(backups, "base");
    let mut base = script("backup", backups);
    base.arg("base").env("DATABASE_URL", postgres.url()).env("BACKUPS_KEPT", "1");
    run(base).await;
    let kept = names(backups, "base");
    assert!(kept.len() == 1 && kept > first, "{first:?} {kept:?}");
    assert!(!names(backups, "wal").contains(&copied), "only the deleted backup needed it");
    let error = restore_in_vain(backups, &moment).await;
    assert!(error.contains("no base backup"), "{error}");

    signal(wal.id().unwrap(), Signal::INT);
    wal.wait().await.unwrap();
    postgres.stop().await.unwrap();
}
