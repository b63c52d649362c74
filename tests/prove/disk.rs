//! A disk that is full: writes are refused, nothing acknowledged is lost, and space makes everything good.

use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use caraplace::clock;
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use crate::audit;
use crate::probe::{Painter, Probe};
use crate::stage::{MOMENT, Stage};

/// Enough for a cluster and a few seconds of load.
const SIZE: &str = "size=224m";
/// How long the load needs to use up what is left in the files that exist.
const PATIENCE: Duration = Duration::from_secs(90);
/// How soon writes are taken again once there is space.
const LIMIT: Duration = Duration::from_secs(15);

/// It is full for PostgreSQL's files, then for its journal too.
const KINDS: u32 = 2;

/// A small file system of its own, gone with this.
struct SmallDisk {
    folder: TempDir,
}

impl SmallDisk {
    fn mount() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", SIZE, "caraplace-prove"]).arg(folder.path());
        let output = mount.output().map_err(|error| error.to_string())?;
        // Dropped without being mounted, the folder goes and nothing else happens.
        let disk = Self { folder };
        if output.status.success() {
            Ok(disk)
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn filler(&self) -> PathBuf {
        self.folder.path().join("filler")
    }

    /// Takes all the space there is.
    fn fill(&self) {
        let mut filler = std::fs::File::options().append(true).create(true).open(self.filler()).unwrap();
        for size in [1 << 20, 4096] {
            let block = vec![0; size];
            let full = loop {
                if let Err(error) = filler.write_all(&block) {
                    break error;
                }
            };
            assert_eq!(full.kind(), ErrorKind::StorageFull);
        }
    }

    fn free(&self) {
        std::fs::remove_file(self.filler()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily, as those who were killed may not have let go yet.
        let _ = Command::new("umount").arg("-l").arg(self.folder.path()).output();
    }
}

/// Why this machine cannot have a small disk.
pub fn missing() -> Option<String> {
    let why = SmallDisk::mount().err()?;
    Some(format!("a tmpfs cannot be mounted here ({})", why.lines().next().unwrap_or_default()))
}

pub async fn full(rounds: u32) -> String {
    let disk = SmallDisk::mount().unwrap();
    // It must be gone before the disk is.
    let stage = Stage::alone_in(Some(&disk.data())).await;
    let seen = fill_and_free(&stage, &disk, rounds.div_ceil(4).max(KINDS)).await;
    drop(stage);
    seen
}

async fn fill_and_free(stage: &Stage, disk: &SmallDisk, rounds: u32) -> String {
    let crowd = stage.crowd(&[]);
    stage.first().grown_by(100).await;
    let probe = Probe::start(Painter::join(stage.first(), "Probe").await);
    let mut longest = Duration::ZERO;
    for round in 0..rounds {
        stage.first().grown_by(100).await;
        disk.fill();
        // Every other time PostgreSQL must give up altogether: it cannot begin a new file of its journal.
        if round % 2 == 1 {
            begin_new_journal(&stage.database_url()).await;
        }
        refused(&probe).await;
        let read = stage.first().get("/api/canvas").await;
        assert_eq!(read.status, 200, "{}", read.body);
        disk.free();
        let freed = clock::moment();
        stage.first().grown_by(1).await;
        longest = longest.max(freed.elapsed());
    }
    assert!(longest <= LIMIT, "writes are taken again after {longest:?}");
    stage.first().grown_by(100).await;
    let (answers, acks) = probe.finish().await;
    let refused = answers.iter().filter(|answer| answer.status == 503).count();
    let seen = stage.verdict(crowd, acks).await;
    let longest = longest.as_secs_f64();
    format!(
        "{rounds} times: {refused} writes refused, painting again {longest:.1} s after there was space; {seen}"
    )
}

async fn begin_new_journal(url: &str) {
    let mut connection = audit::connect(url).await;
    // It fails where the journal cannot be continued, and with it everything else.
    let _ = sqlx::query("select pg_switch_wal()").execute(&mut connection).await;
}

/// Waits until several writes in a row were refused.
async fn refused(probe: &Probe) {
    let before = probe.refused();
    let refused = async {
        while probe.refused() < before + 3 {
            sleep(MOMENT).await;
        }
    };
    timeout(PATIENCE, refused).await.expect("a full disk is not noticed");
}
