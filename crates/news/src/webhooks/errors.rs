//! Errors of the tasks that work in the background: all are counted, and at most one a minute of each task is
//! a warning.

use std::fmt::Display;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use platform::clock::monotonic_now;
use platform::telemetry::METRICS;

/// The time after a warning in which further errors of the same task are logged at debug only.
const WARNING_INTERVAL: Duration = Duration::from_mins(1);

/// A task of webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WebhookTask {
    /// Finds events.
    Scan,
    /// Claims due deliveries.
    Claim,
    /// Sends a delivery.
    Send,
    /// Counts pending deliveries.
    Measure,
    /// Ends and deletes deliveries.
    CleanUp,
}

impl WebhookTask {
    fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Claim => "claim",
            Self::Send => "send",
            Self::Measure => "measure",
            Self::CleanUp => "clean_up",
        }
    }

    fn count(self) {
        let metrics = &METRICS.webhooks;
        match self {
            Self::Scan => metrics.scan_errors.inc(),
            Self::Claim => metrics.claim_errors.inc(),
            Self::Send => metrics.send_errors.inc(),
            Self::Measure => metrics.measure_errors.inc(),
            Self::CleanUp => metrics.clean_up_errors.inc(),
        }
    }
}

/// The times of the last warnings, by task.
#[derive(Default)]
pub(super) struct TaskErrors(Mutex<[Option<Instant>; 5]>);

impl TaskErrors {
    /// Counts an error, after which the task tries again, and logs it.
    pub(super) fn record(&self, task: WebhookTask, error: &dyn Display) {
        task.count();
        let task_name = task.name();
        if self.may_warn(task, monotonic_now()) {
            tracing::warn!(%error, task = task_name, "a task of webhooks failed, trying again");
        } else {
            tracing::debug!(%error, task = task_name, "a task of webhooks failed, trying again");
        }
    }

    /// Counts and logs the error of a result.
    pub(super) fn record_result<E: Display>(&self, task: WebhookTask, result: Result<(), E>) {
        if let Err(error) = result {
            self.record(task, &error);
        }
    }

    fn may_warn(&self, task: WebhookTask, now: Instant) -> bool {
        let mut last_warnings = self.0.lock();
        let last = &mut last_warnings[task as usize];
        let may_warn = last.is_none_or(|last| now.duration_since(last) >= WARNING_INTERVAL);
        if may_warn {
            *last = Some(now);
        }
        may_warn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_warns_once_a_minute() {
        let errors = TaskErrors::default();
        let start = monotonic_now();
        for (task, seconds, expected) in [
            (WebhookTask::Scan, 0, true),
            (WebhookTask::Scan, 59, false),
            (WebhookTask::CleanUp, 59, true),
            (WebhookTask::Scan, 60, true),
            (WebhookTask::CleanUp, 61, false),
        ] {
            let now = start + Duration::from_secs(seconds);
            assert_eq!(errors.may_warn(task, now), expected, "{task:?} {seconds}");
        }
    }
}
