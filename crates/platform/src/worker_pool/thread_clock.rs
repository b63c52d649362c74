//! Tells whether a thread works or hangs, or only waits for a processor.

use std::cell::OnceCell;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::time::Duration;

/// The unit of processor times in `/proc`, the same on all Linux systems (`USER_HZ`).
const TICK: Duration = Duration::from_millis(10);

thread_local! {
    static STATUS_FILE: OnceCell<Option<Arc<File>>> = const { OnceCell::new() };
}

/// A view of a thread from other threads.
#[derive(Clone, Debug)]
pub(super) struct ThreadClock(Option<Arc<File>>);

/// The progress of a thread at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ThreadProgress {
    processor_time: Duration,
    /// True if the thread waits for a lock, for data or for time. A thread that waits for a processor or for
    /// memory does not.
    is_blocked: bool,
}

impl ThreadClock {
    /// Returns a view of the calling thread.
    pub(super) fn of_this_thread() -> Self {
        let open = || File::open("/proc/thread-self/stat").ok().map(Arc::new);
        Self(STATUS_FILE.with(|file| file.get_or_init(open).clone()))
    }

    /// Returns the progress of the thread; `None` if the system does not tell.
    pub(super) fn read(&self) -> Option<ThreadProgress> {
        let mut line = [0; 1024];
        let length = self.0.as_ref()?.read_at(&mut line, 0).ok()?;
        ThreadProgress::parse(std::str::from_utf8(&line[..length]).ok()?)
    }
}

impl ThreadProgress {
    /// Parses a line of `/proc/PID/task/TID/stat` (`proc(5)`). The name of the thread in it may contain
    /// anything.
    fn parse(line: &str) -> Option<Self> {
        let (_, rest) = line.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        let state = fields.next()?;
        let user = fields.nth(10)?.parse::<u32>().ok()?;
        let system = fields.next()?.parse::<u32>().ok()?;
        Some(Self {
            processor_time: TICK * user.saturating_add(system),
            is_blocked: !matches!(state, "R" | "D"),
        })
    }
}

/// Returns how much of the `elapsed` time between two looks counts against a time limit: all of it if the
/// thread was blocked, otherwise the processor time that it has used.
pub(super) fn counted_time(
    before: Option<ThreadProgress>,
    now: Option<ThreadProgress>,
    elapsed: Duration,
) -> Duration {
    match (before, now) {
        (_, None) => elapsed,
        (_, Some(now)) if now.is_blocked => elapsed,
        (None, Some(_)) => Duration::ZERO,
        (Some(before), Some(now)) => now.processor_time.saturating_sub(before.processor_time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "it stands for a reading, which may fail")]
    fn progress(milliseconds: u64, is_blocked: bool) -> Option<ThreadProgress> {
        Some(ThreadProgress { processor_time: Duration::from_millis(milliseconds), is_blocked })
    }

    #[test]
    fn a_line_of_the_system_is_parsed() {
        let line = "77 (scan) 0 (x) R 1 2 3 4 5 6 7 8 9 10 12 3 0 0 20 0 1 0 99 0 0";
        assert_eq!(ThreadProgress::parse(line), progress(150, false));
        assert_eq!(ThreadProgress::parse(&line.replace(" R ", " S ")), progress(150, true));
        assert_eq!(ThreadProgress::parse(&line.replace(" R ", " D ")), progress(150, false));
        for broken in ["", "77 (scan)", "77 (scan) R 1 2", "77 (scan) R 1 2 3 4 5 6 7 8 9 10 x 3 0"] {
            assert_eq!(ThreadProgress::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn time_without_a_processor_does_not_count() {
        let step = Duration::from_millis(25);
        assert_eq!(counted_time(progress(10, false), progress(10, false), step), Duration::ZERO);
        assert_eq!(counted_time(None, progress(10, false), step), Duration::ZERO);
        assert_eq!(counted_time(progress(10, false), progress(30, false), step), Duration::from_millis(20));
        assert_eq!(counted_time(progress(10, false), progress(10, true), step), step);
        assert_eq!(counted_time(None, None, step), step);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_progress_of_another_thread_is_readable() {
        let (send, receive) = std::sync::mpsc::channel();
        let (release, released) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            send.send(ThreadClock::of_this_thread()).unwrap();
            let _ = released.recv();
        });
        let clock = receive.recv().unwrap();
        while !clock.read().unwrap().is_blocked {}
        drop(release);
        thread.join().unwrap();
    }
}
