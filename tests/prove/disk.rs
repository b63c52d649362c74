//! A full disk: writes are refused, no acknowledged write is lost, and free space ends the outage.

use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use platform::clock;
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use crate::database_check;
use crate::environment::{POLL_INTERVAL, PROGRESS_TIMEOUT, TestEnvironment};
use crate::probe::{Probe, ProbeAgent};

/// Size for a cluster and a few seconds of load.
const MOUNT_OPTIONS: &str = "size=224m";
/// Maximum time until writes succeed after space was freed, where it is measured, in more rounds than there
/// are kinds of failures.
const RECOVERY_LIMIT: Duration = Duration::from_secs(15);

/// The disk is full for PostgreSQL's data files, or also for its write-ahead log.
const FAILURE_KINDS: u32 = 2;

/// A small file system, unmounted when this is dropped.
struct SmallDisk {
    folder: TempDir,
}

impl SmallDisk {
    fn mount() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", MOUNT_OPTIONS, "caraplace-prove"]).arg(folder.path());
        let output = mount.output().map_err(|error| error.to_string())?;
        // If mounting fails, dropping this removes only the folder.
        let disk = Self { folder };
        if output.status.success() {
            Ok(disk)
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    fn data_folder(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn filler_file(&self) -> PathBuf {
        self.folder.path().join("filler")
    }

    /// Fills all free space.
    fn fill_up(&self) {
        let mut filler = std::fs::File::options().append(true).create(true).open(self.filler_file()).unwrap();
        for size in [1 << 20, 4096] {
            let block = vec![0; size];
            let error = loop {
                if let Err(error) = filler.write_all(&block) {
                    break error;
                }
            };
            assert_eq!(error.kind(), ErrorKind::StorageFull);
        }
    }

    fn free_up(&self) {
        std::fs::remove_file(self.filler_file()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Unmounted lazily, because killed processes may still use it.
        let _ = Command::new("umount").arg("-l").arg(self.folder.path()).output();
    }
}

/// Returns the reason if this machine cannot mount a small disk.
pub fn unavailable_reason() -> Option<String> {
    let error = SmallDisk::mount().err()?;
    Some(format!("a tmpfs cannot be mounted here ({})", error.lines().next().unwrap_or_default()))
}

pub async fn disk_full(rounds: u32) -> String {
    let disk = SmallDisk::mount().unwrap();
    // Declared after the disk, so that it is dropped before it.
    let environment = TestEnvironment::single_in(Some(&disk.data_folder())).await;
    let summary = fill_and_free(&environment, &disk, rounds.div_ceil(4).max(FAILURE_KINDS)).await;
    drop(environment);
    summary
}

async fn fill_and_free(environment: &TestEnvironment, disk: &SmallDisk, rounds: u32) -> String {
    let swarm = environment.start_swarm(&[]);
    environment.first_instance().wait_for_placements(100).await;
    let probe = Probe::start(ProbeAgent::register(environment.first_instance(), "Probe").await);
    let mut longest_recovery = Duration::ZERO;
    for round in 0..rounds {
        environment.first_instance().wait_for_placements(100).await;
        disk.fill_up();
        // In every other round PostgreSQL fails completely, because it cannot create a new file of its
        // write-ahead log.
        if round % 2 == 1 {
            switch_wal_segment(&environment.database_url()).await;
        }
        wait_for_refusals(&probe).await;
        let response = environment.first_instance().get("/api/canvas").await;
        assert_eq!(response.status, 200, "{}", response.body);
        disk.free_up();
        let freed_at = clock::monotonic_now();
        environment.first_instance().wait_for_placements(1).await;
        longest_recovery = longest_recovery.max(freed_at.elapsed());
    }
    let recovery_limit = if rounds > FAILURE_KINDS { RECOVERY_LIMIT } else { PROGRESS_TIMEOUT };
    assert!(longest_recovery <= recovery_limit, "writes succeeded again only after {longest_recovery:?}");
    environment.first_instance().wait_for_placements(100).await;
    let (responses, acks) = probe.finish().await;
    let refused_count = responses.iter().filter(|response| response.status == 503).count();
    let checked = environment.finish_and_check(swarm, acks).await;
    let seconds = longest_recovery.as_secs_f64();
    format!(
        "{rounds} times: {refused_count} writes refused, painting again {seconds:.1} s after space was freed; {checked}"
    )
}

async fn switch_wal_segment(url: &str) {
    let mut connection = database_check::connect(url).await;
    // It fails if the write-ahead log cannot be continued, and PostgreSQL with it.
    let _ = sqlx::query("select pg_switch_wal()").execute(&mut connection).await;
}

/// Waits until several writes in a row were refused.
async fn wait_for_refusals(probe: &Probe) {
    let refused_before = probe.refused_count();
    let wait = async {
        while probe.refused_count() < refused_before + 3 {
            sleep(POLL_INTERVAL).await;
        }
    };
    timeout(PROGRESS_TIMEOUT, wait).await.expect("no write was refused on a full disk");
}
