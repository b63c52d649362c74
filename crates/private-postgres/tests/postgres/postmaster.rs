//! Finds and stops the processes of a private PostgreSQL by its data folder.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Interval at which its end is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Maximum number of polls. PostgreSQL itself kills children that ignore an immediate stop after five
/// seconds.
const MAX_POLLS: u32 = 1_600;

/// Returns the number of the postmaster in this data folder; `None` if it does not run.
pub fn postmaster_in(data: &Path) -> Option<u32> {
    let file = fs::read_to_string(data.join("postgres/postmaster.pid")).ok()?;
    file.lines().next()?.parse().ok().filter(|number| runs_in(*number, data))
}

/// Returns the address of the PostgreSQL in this data folder.
pub fn database_url(data: &Path) -> String {
    fs::read_to_string(data.join("database_url")).unwrap().trim_end().to_owned()
}

/// Stops the PostgreSQL in this data folder, which no process may supervise. A killed postmaster would leave
/// its shared memory allocated.
pub fn end_postgres(data: &Path) {
    let Some(postmaster) = postmaster_in(data) else { return };
    signal(postmaster, Signal::QUIT);
    // A test may have stopped it with SIGSTOP.
    send_signal_to_family(postmaster, Signal::CONT);
    for _ in 0..MAX_POLLS {
        if !runs_in(postmaster, data) {
            return;
        }
        sleep(POLL_INTERVAL);
    }
    send_signal_to_family(postmaster, Signal::KILL);
}

/// Returns true if this number is a PostgreSQL on this folder. A file may contain the number of a process
/// that has ended.
fn runs_in(number: u32, data: &Path) -> bool {
    // The command line of a zombie is empty.
    let Ok(line) = fs::read(format!("/proc/{number}/cmdline")) else { return false };
    let cluster = data.join("postgres");
    let real = cluster.canonicalize().unwrap_or_default();
    let mut words = line.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    words.any(|word| Path::new(&*word) == cluster || Path::new(&*word) == real)
}

/// Sends a signal to a process and then to its children. In this order, a killed parent starts no new ones.
pub fn send_signal_to_family(parent: u32, what: Signal) {
    let children = children_of(parent);
    signal(parent, what);
    children.into_iter().for_each(|child| signal(child, what));
}

fn children_of(parent: u32) -> Vec<u32> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|number| parent_of(*number) == Some(parent)).collect()
}

/// Returns the fourth field. The second is a name in parentheses, which may contain anything.
fn parent_of(process: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Sends a signal to one process.
pub fn signal(process: u32, what: Signal) {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw).unwrap();
    // It may have ended by itself.
    let _ = kill_process(process, what);
}
