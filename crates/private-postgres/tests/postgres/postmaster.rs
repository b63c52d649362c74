//! The processes of a private PostgreSQL, found by its data folder, and their end.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Between two looks whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// In looks: PostgreSQL itself kills children that do not heed an immediate stop, after five seconds.
const MAX_POLLS: u32 = 1_600;

/// The number of the first process of the PostgreSQL in that data folder, while it runs.
pub fn postmaster_in(data: &Path) -> Option<u32> {
    let file = fs::read_to_string(data.join("postgres/postmaster.pid")).ok()?;
    file.lines().next()?.parse().ok().filter(|number| runs_in(*number, data))
}

/// The address of the PostgreSQL in that data folder.
pub fn database_url(data: &Path) -> String {
    fs::read_to_string(data.join("database_url")).unwrap().trim_end().to_owned()
}

/// Ends the PostgreSQL in that data folder, which nobody may be there to start again. One that is killed keeps its
/// shared memory for ever; one that is stopped gives it back.
pub fn end_postgres(data: &Path) {
    let Some(postmaster) = postmaster_in(data) else { return };
    signal(postmaster, Signal::QUIT);
    // A test may have made it hang.
    signal_family(postmaster, Signal::CONT);
    for _ in 0..MAX_POLLS {
        if !runs_in(postmaster, data) {
            return;
        }
        sleep(POLL_INTERVAL);
    }
    signal_family(postmaster, Signal::KILL);
}

/// Whether that number is a PostgreSQL's on that folder: a file may name a process that ended long ago.
fn runs_in(number: u32, data: &Path) -> bool {
    // A zombie's line is empty.
    let Ok(line) = fs::read(format!("/proc/{number}/cmdline")) else { return false };
    let cluster = data.join("postgres");
    let real = cluster.canonicalize().unwrap_or_default();
    let mut words = line.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    words.any(|word| Path::new(&*word) == cluster || Path::new(&*word) == real)
}

/// Sends a signal to a process and then to its children: one that is killed first starts none anew.
pub fn signal_family(parent: u32, what: Signal) {
    let children = children_of(parent);
    signal(parent, what);
    children.into_iter().for_each(|child| signal(child, what));
}

fn children_of(parent: u32) -> Vec<u32> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|number| parent_of(*number) == Some(parent)).collect()
}

/// The fourth field; the second is a name in parentheses, which may hold anything.
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
