//! CPU time of Chromium's processes.

use std::fs;

use crate::process_usage::{child_pids, own_cpu_seconds};

/// The processes that draw a page. The others belong to the browser and to the network.
const DRAWING: [&str; 2] = ["--type=renderer", "--type=gpu-process"];

/// Returns the CPU time so far of all processes below this one that draw pages, in seconds.
pub fn drawing_cpu_seconds(pid: u32) -> f64 {
    descendants(pid).into_iter().filter(|pid| is_drawing(*pid)).map(own_cpu_seconds).sum()
}

fn descendants(pid: u32) -> Vec<u32> {
    let children = child_pids(pid);
    let grandchildren: Vec<u32> = children.iter().flat_map(|child| descendants(*child)).collect();
    [children, grandchildren].concat()
}

fn is_drawing(pid: u32) -> bool {
    let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let command = String::from_utf8_lossy(&command).into_owned();
    DRAWING.iter().any(|kind| command.contains(kind))
}
