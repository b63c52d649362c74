//! Metrics of the process and of the machine's resources that it uses. What the system does not report stays
//! zero.

use std::fs;

use parking_lot::Mutex;
use prometheus::{Counter, Gauge, IntGauge};
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

use super::register::metrics;
use crate::clock::Clock;

metrics! {
    /// The metrics of the process.
    ProcessMetrics {
        cpu: Counter = "process_cpu_seconds_total"
            "Seconds of CPU time, user and system together.";
        resident: IntGauge = "process_resident_memory_bytes"
            "Resident memory in bytes (Linux only).";
        open_files: IntGauge = "process_open_fds"
            "Open files and connections (Linux only).";
        max_files: IntGauge = "process_max_fds"
            "Maximum number of open files and connections.";
        threads: IntGauge = "process_threads"
            "Threads of the process (Linux only).";
        started: Gauge = "process_start_time_seconds"
            "Start time of the process, in seconds since 1970; time() minus this is its uptime.";
        [build = env!("CARGO_PKG_VERSION")]: IntGauge = "caraplace_build_info" ["version"]
            "The build of this process; always 1.";
    }
    with {
        last_cpu_seconds: Mutex<f64> = Mutex::new(0.0);
    }
}

impl ProcessMetrics {
    /// Sets the metrics that never change while the process runs.
    pub(super) fn set_constants(&self) {
        self.build.set(1);
        self.started.set(Clock::default().now().timestamp_millis() as f64 / 1_000.0);
    }

    /// Reads the current values from the system.
    pub(super) fn refresh(&self) {
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        let seconds = cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9;
        let mut last = self.last_cpu_seconds.lock();
        self.cpu.inc_by((seconds - *last).max(0.0));
        *last = seconds;
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        self.resident.set(status_value(&status, "VmRSS:").unwrap_or_default() * 1_024);
        self.threads.set(status_value(&status, "Threads:").unwrap_or_default());
        let files = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        self.open_files.set(files as i64);
        let limit = getrlimit(Resource::Nofile).current;
        self.max_files.set(limit.and_then(|most| i64::try_from(most).ok()).unwrap_or_default());
    }
}

/// Returns the number behind a name in `/proc/self/status`.
fn status_value(status: &str, name: &str) -> Option<i64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_values_of_proc_status() {
        let status = "Name:\tcaraplace\nVmRSS:\t   12345 kB\nThreads:\t7\n";
        assert_eq!(status_value(status, "VmRSS:"), Some(12_345));
        assert_eq!(status_value(status, "Threads:"), Some(7));
        assert_eq!(status_value(status, "VmSwap:"), None);
    }
}
