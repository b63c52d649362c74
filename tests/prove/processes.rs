//! The processes of a PostgreSQL, found by its data folder.

use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// The number of the first process of the PostgreSQL in that data folder.
pub fn postmaster_in(data: &Path) -> Option<u32> {
    let file = std::fs::read_to_string(data.join("postgres/postmaster.pid")).ok()?;
    file.lines().next()?.parse().ok()
}

/// The address of the PostgreSQL in that data folder.
pub fn database_url(data: &Path) -> String {
    std::fs::read_to_string(data.join("database_url")).unwrap().trim_end().to_owned()
}

/// Sends a signal to a process and then to its children: one that is killed first starts none anew.
pub fn signal_family(parent: u32, what: Signal) {
    let children = children_of(parent);
    signal(parent, what);
    children.into_iter().for_each(|child| signal(child, what));
}

fn children_of(parent: u32) -> Vec<u32> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|number| parent_of(*number) == Some(parent)).collect()
}

/// The fourth field; the second is a name in parentheses, which may hold anything.
fn parent_of(process: u32) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Sends a signal to one process.
pub fn signal(process: u32, what: Signal) {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw).unwrap();
    // It may have ended by itself.
    let _ = kill_process(process, what);
}
