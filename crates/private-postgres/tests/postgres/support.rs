//! Temporary data folders, and waiting for conditions.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use private_postgres::{PrivatePostgres, StartError};
use sqlx::{Connection, PgConnection};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use crate::postmaster::{database_url, end_postgres, postmaster_in};

const DEADLINE: Duration = Duration::from_mins(1);

/// A data folder. When it is dropped, PostgreSQL is stopped.
pub struct TestFolder {
    data: PathBuf,
    _parent: TempDir,
}

impl TestFolder {
    pub fn new() -> Self {
        Self::named("data")
    }

    pub fn named(name: &str) -> Self {
        let parent = tempfile::tempdir().unwrap();
        let data = parent.path().canonicalize().unwrap().join(name);
        Self { data, _parent: parent }
    }

    pub fn data(&self) -> PathBuf {
        self.data.clone()
    }

    pub async fn start(&self) -> PrivatePostgres {
        PrivatePostgres::start(&self.data).await.unwrap()
    }

    pub async fn start_within_three_seconds(&self) -> PrivatePostgres {
        timeout(Duration::from_secs(3), self.start()).await.unwrap()
    }

    /// Starts as soon as a dropped supervisor has released the folder.
    pub async fn start_when_unlocked(&self) -> PrivatePostgres {
        eventually(|| async {
            match PrivatePostgres::start(&self.data).await {
                Err(StartError::InUse { .. }) => None,
                other => Some(other.unwrap()),
            }
        })
        .await
    }

    pub fn postmaster_pid(&self) -> u32 {
        postmaster_in(&self.data).unwrap()
    }

    /// Returns the number of the postmaster; `None` if none runs.
    pub fn running_pid(&self) -> Option<u32> {
        postmaster_in(&self.data)
    }

    pub fn written_url(&self) -> String {
        database_url(&self.data)
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        end_postgres(&self.data);
    }
}

/// Waits until there is a value, or fails the test.
pub async fn eventually<T, F: Future<Output = Option<T>>>(attempt: impl Fn() -> F) -> T {
    let value = async {
        loop {
            match attempt().await {
                Some(value) => return value,
                None => sleep(Duration::from_millis(20)).await,
            }
        }
    };
    timeout(DEADLINE, value).await.expect("the condition was not met in time")
}

pub async fn try_connect(url: &str) -> Option<PgConnection> {
    PgConnection::connect(url).await.ok()
}

/// Returns the value of a setting of the running server.
pub async fn show_setting(url: &str, setting: &str) -> String {
    let mut connection = try_connect(url).await.unwrap();
    let query = sqlx::query_scalar("select current_setting($1)").bind(setting);
    query.fetch_one(&mut connection).await.unwrap()
}

/// Returns true if no such process runs. A zombie counts as ended.
pub fn is_gone(pid: u32) -> bool {
    fs::read(format!("/proc/{pid}/cmdline")).map_or(true, |line| line.is_empty())
}
