//! CPU time and memory of processes, as the kernel reports them.

use std::fs;

/// The kernel counts CPU time in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// Returns the CPU time of a process and of its living children, in seconds.
pub fn cpu_seconds(pid: u32) -> f64 {
    let children_seconds = child_pids(pid).into_iter().map(own_cpu_seconds).sum::<f64>();
    own_cpu_seconds(pid) + children_seconds
}

/// Returns the CPU time of a process without its children, in seconds.
pub fn own_cpu_seconds(pid: u32) -> f64 {
    // The second field is the command in parentheses, which may contain spaces.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / TICKS_PER_SECOND
}

/// Returns the living children of a process.
pub fn child_pids(pid: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|child| parent_pid(*child) == Some(pid)).collect()
}

fn parent_pid(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(") ").next()?.split(' ').nth(1)?.parse().ok()
}

/// Returns the resident memory in bytes.
pub fn resident_bytes(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1_024
}

/// Returns the number of open file descriptors of a process.
pub fn open_descriptors(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}
