//! Reads `postmaster.pid`, and distinguishes a running postmaster from an unrelated process with the same
//! number.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

/// The content of the cluster's `postmaster.pid`. PostgreSQL writes it line by line while it starts.
#[derive(Debug)]
pub(super) struct PidFile {
    /// The postmaster's process number.
    pub(super) pid: Pid,
    /// The folder of its socket; `None` until it listens.
    pub(super) socket: Option<PathBuf>,
    cluster: PathBuf,
}

impl PidFile {
    /// Reads the file; `None` if there is none or it does not start with a process number.
    pub(super) fn read(cluster: &Path) -> Option<Self> {
        let text = fs::read_to_string(cluster.join("postmaster.pid")).ok()?;
        let pid = first_pid(&text)?;
        let socket = text.lines().nth(4).filter(|line| line.starts_with('/')).map(PathBuf::from);
        Some(Self { pid, socket, cluster: cluster.to_owned() })
    }

    /// Returns true if the number still belongs to a postmaster of this cluster.
    pub(super) fn is_alive(&self) -> bool {
        is_running_on(self.pid, &self.cluster)
    }
}

/// Returns true if this process runs on this cluster. A zombie does not.
pub(super) fn is_running_on(pid: Pid, cluster: &Path) -> bool {
    let process = PathBuf::from(format!("/proc/{}", pid.as_raw_pid()));
    match fs::read(process.join("cmdline")) {
        Ok(line) if line.is_empty() => false,
        Ok(line) => {
            let cluster_path = cluster.as_os_str().as_bytes();
            line.split(|byte| *byte == 0).any(|word| word == cluster_path)
                || fs::read_link(process.join("cwd")).is_ok_and(|folder| folder == cluster)
        }
        // Systems without /proc (macOS) only show whether the process exists.
        Err(_) => !has_proc() && rustix::process::test_kill_process(pid).is_ok(),
    }
}

/// Removes a lock file of PostgreSQL whose number now belongs to an unrelated process.
///
/// After a reboot or in a container, numbers are soon reused. PostgreSQL would take the unrelated process for
/// a postmaster and refuse to start. If nothing is known about the process, the file stays and PostgreSQL
/// decides. In any case, it also protects the data by its shared memory.
pub(super) fn remove_if_stale(file: &Path, cluster: &Path) -> io::Result<()> {
    let text = fs::read_to_string(file).unwrap_or_default();
    match first_pid(&text) {
        Some(pid) if has_proc() && process_exists(pid) && !is_running_on(pid, cluster) => {
            fs::remove_file(file)
        }
        _ => Ok(()),
    }
}

fn first_pid(text: &str) -> Option<Pid> {
    // PostgreSQL writes a negative number while it runs in single-user mode.
    let number: i32 = text.lines().next()?.trim().parse().ok()?;
    Pid::from_raw(number.checked_abs()?)
}

fn process_exists(pid: Pid) -> bool {
    Path::new("/proc").join(pid.as_raw_pid().to_string()).exists()
}

fn has_proc() -> bool {
    Path::new("/proc/self/cmdline").exists()
}
