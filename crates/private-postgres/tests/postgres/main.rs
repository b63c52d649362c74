//! The private PostgreSQL, with real processes, real signals and real folders.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failed assumption must fail the test")]

mod member;
mod password;
mod postmaster;
mod start_stop_orders;
mod support;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use member::{MemberProcess, Role};
use postmaster::signal;
use private_postgres::{PrivatePostgres, StartError};
use rustix::process::Signal;
use support::{TestFolder, eventually, is_gone, show_setting, try_connect};

#[tokio::test]
async fn first_start_makes_a_durable_private_database() {
    let folder = TestFolder::new();
    let postgres = folder.start().await;
    assert_eq!(show_setting(postgres.url(), "fsync").await, "on");
    assert_eq!(show_setting(postgres.url(), "full_page_writes").await, "on");
    assert_eq!(show_setting(postgres.url(), "synchronous_commit").await, "on");
    assert_eq!(show_setting(postgres.url(), "listen_addresses").await, "");
    assert_eq!(show_setting(postgres.url(), "server_encoding").await, "UTF8");
    let owner = fs::metadata(folder.data().join("postgres")).unwrap();
    assert_ne!(owner.uid(), 0);
    assert_eq!(owner.mode() & 0o777, 0o700);
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn address_is_written_for_its_owner_alone() {
    let folder = TestFolder::new();
    let postgres = folder.start().await;
    let file = folder.data().join("database_url");
    assert_eq!(fs::read_to_string(&file).unwrap().trim_end(), postgres.url());
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn data_survives_a_stop_and_the_next_start() {
    let folder = TestFolder::new();
    let postgres = folder.start().await;
    let mut connection = try_connect(postgres.url()).await.unwrap();
    sqlx::query("create table kept as select 7 as n").execute(&mut connection).await.unwrap();
    let pid = folder.postmaster_pid();
    postgres.stop().await.unwrap();
    assert!(is_gone(pid));
    assert!(!folder.data().join("postgres/postmaster.pid").exists());

    let postgres = folder.start_within_three_seconds().await;
    let mut connection = try_connect(postgres.url()).await.unwrap();
    let stored: i32 = sqlx::query_scalar("select n from kept").fetch_one(&mut connection).await.unwrap();
    assert_eq!(stored, 7);
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn a_second_server_on_the_same_folder_is_refused() {
    let folder = TestFolder::new();
    let postgres = folder.start().await;
    let refusal = PrivatePostgres::start(&folder.data()).await.unwrap_err();
    assert!(matches!(refusal, StartError::InUse { .. }));
    let sentence = refusal.to_string();
    assert!(sentence.contains(&format!("(pid {})", std::process::id())), "{sentence}");
    assert!(sentence.contains("database_url"), "{sentence}");
    try_connect(postgres.url()).await.unwrap();
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn killed_server_leaves_a_postmaster_that_the_next_start_takes_over() {
    let folder = TestFolder::new();
    let server = MemberProcess::start(Role::Folder, &folder.data()).await;
    let pid = folder.postmaster_pid();
    let mut second_instance = try_connect(&folder.written_url()).await.unwrap();
    server.kill().await;

    let postgres = folder.start_within_three_seconds().await;
    assert_eq!(folder.postmaster_pid(), pid);
    // A session that was open all the time is not interrupted.
    sqlx::query("select 1").execute(&mut second_instance).await.unwrap();
    postgres.stop().await.unwrap();
    assert!(is_gone(pid));
}

#[tokio::test]
async fn a_killed_postmaster_restarts_with_all_committed_data() {
    let folder = TestFolder::new();
    let postgres = folder.start().await;
    let mut connection = try_connect(postgres.url()).await.unwrap();
    sqlx::query("create table entry (n int)").execute(&mut connection).await.unwrap();
    let pid = folder.postmaster_pid();
    let mut committed = 0;
    while sqlx::query("insert into entry values (1)").execute(&mut connection).await.is_ok() {
        committed += 1;
        if committed == 100 {
            signal(pid, Signal::KILL);
        }
    }

    let mut connection = eventually(|| try_connect(postgres.url())).await;
    let count = sqlx::query_scalar("select count(*) from entry");
    let found: i64 = count.fetch_one(&mut connection).await.unwrap();
    assert!(found >= committed, "{found} of {committed}");
    assert_ne!(folder.postmaster_pid(), pid);
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn a_taken_over_postmaster_is_supervised_too() {
    let folder = TestFolder::new();
    drop(folder.start().await);
    let postgres = folder.start_when_unlocked().await;
    let pid = folder.postmaster_pid();
    signal(pid, Signal::KILL);
    eventually(|| async { is_gone(pid).then_some(()) }).await;
    eventually(|| try_connect(postgres.url())).await;
    let restarted = folder.postmaster_pid();
    assert_ne!(restarted, pid);
    postgres.stop().await.unwrap();
    assert!(is_gone(restarted));
}

#[tokio::test]
async fn stale_lock_files_do_not_prevent_a_start() {
    let folder = TestFolder::new();
    let server = MemberProcess::start(Role::Folder, &folder.data()).await;
    let pid = folder.postmaster_pid();
    server.kill().await;
    signal(pid, Signal::KILL);
    eventually(|| async { is_gone(pid).then_some(()) }).await;
    // As after a reboot, when an unrelated process has the number: here this test itself.
    for lock in ["postgres/postmaster.pid", "socket/.s.PGSQL.5432.lock"] {
        let file = folder.data().join(lock);
        let text = fs::read_to_string(&file).unwrap();
        let rest = text.split_once('\n').unwrap().1;
        fs::write(&file, format!("{}\n{rest}", std::process::id())).unwrap();
    }
    let postgres = folder.start_within_three_seconds().await;
    try_connect(postgres.url()).await.unwrap();
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn stop_right_after_a_death_leaves_nothing_running() {
    let folder = TestFolder::new();
    let postgres = folder.start().await;
    let pid = folder.postmaster_pid();
    signal(pid, Signal::KILL);
    let url = postgres.url().to_owned();
    postgres.stop().await.unwrap();
    assert!(try_connect(&url).await.is_none());
    eventually(|| async { is_gone(pid).then_some(()) }).await;
    // Only a successor frees the shared memory of a killed postmaster.
    folder.start().await.stop().await.unwrap();
}

#[tokio::test]
async fn interrupted_set_up_is_done_again() {
    let folder = TestFolder::new();
    let unfinished = folder.data().join("postgres.new.1");
    fs::create_dir_all(unfinished.join("base")).unwrap();
    fs::write(unfinished.join("PG_VERSION"), "15\n").unwrap();
    let postgres = folder.start().await;
    assert_eq!(
        show_setting(postgres.url(), "data_directory").await,
        folder.data().join("postgres").to_str().unwrap()
    );
    assert!(!unfinished.exists());
    postgres.stop().await.unwrap();
}

#[tokio::test]
async fn a_folder_may_be_private_and_have_special_characters() {
    for name in ["closed/data", "a b/100%41, 'q\"+&?", &"long".repeat(40)] {
        let folder = TestFolder::named(name);
        fs::create_dir_all(folder.data()).unwrap();
        fs::set_permissions(folder.data(), fs::Permissions::from_mode(0o700)).unwrap();
        let postgres = folder.start().await;
        assert_eq!(show_setting(postgres.url(), "fsync").await, "on", "{name}");
        postgres.stop().await.unwrap();
    }
}

#[tokio::test]
async fn cluster_of_a_version_that_is_not_installed_is_refused() {
    let folder = TestFolder::new();
    fs::create_dir_all(folder.data().join("postgres")).unwrap();
    fs::write(folder.data().join("postgres/PG_VERSION"), "8\n").unwrap();
    let refusal = PrivatePostgres::start(&folder.data()).await.unwrap_err();
    assert!(matches!(refusal, StartError::WrongVersion { wanted: 8, .. }), "{refusal}");
}

#[tokio::test]
async fn a_folder_with_other_files_is_left_alone() {
    let folder = TestFolder::new();
    let file = folder.data().join("postgres/diary.txt");
    fs::create_dir_all(folder.data().join("postgres")).unwrap();
    fs::write(&file, "dear diary").unwrap();
    let refusal = PrivatePostgres::start(&folder.data()).await.unwrap_err();
    assert!(matches!(refusal, StartError::Folder { .. }), "{refusal}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "dear diary");
}
