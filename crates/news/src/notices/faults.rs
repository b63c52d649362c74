//! Watches whether the log can be written. A notice of a fault is sent when it lasts, and one of its end only
//! then, too. Which was sent is kept in memory, because a database that fails remembers nothing: each instance
//! sends its own.

use caraplace_log::Unwritable;

/// The number of checks in a row that must fail before a notice of the fault is sent.
const FAILED_CHECKS: u32 = 3;

/// A change of which a notice is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Began(Unwritable),
    Ended,
}

/// The checks since the last one that succeeded.
#[derive(Debug, Default)]
pub(super) struct FaultWatch {
    failed_checks: u32,
    is_sent: bool,
}

impl FaultWatch {
    /// Counts a check. Returns the change of which a notice is to be sent; it is returned again until
    /// [`Self::mark_sent`] is called.
    pub fn check(&mut self, result: Result<(), Unwritable>) -> Option<Fault> {
        match result {
            Ok(()) => {
                self.failed_checks = 0;
                self.is_sent.then_some(Fault::Ended)
            }
            Err(reason) => {
                self.failed_checks = self.failed_checks.saturating_add(1);
                (!self.is_sent && self.failed_checks >= FAILED_CHECKS).then_some(Fault::Began(reason))
            }
        }
    }

    /// Remembers that the notice of a change was sent.
    pub fn mark_sent(&mut self, fault: Fault) {
        self.is_sent = matches!(fault, Fault::Began(_));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOST: Result<(), Unwritable> = Err(Unwritable::NoAnswer);

    #[test]
    fn a_short_fault_sends_no_notice() {
        let mut watch = FaultWatch::default();
        for result in [LOST, LOST, Ok(()), LOST, LOST, Ok(())] {
            assert_eq!(watch.check(result), None);
        }
    }

    #[test]
    fn a_lasting_fault_and_its_end_send_one_notice_each() {
        let mut watch = FaultWatch::default();
        watch.check(LOST);
        watch.check(LOST);
        let began = Fault::Began(Unwritable::NoAnswer);
        assert_eq!([watch.check(LOST), watch.check(LOST)], [Some(began); 2], "it was not accepted yet");
        watch.mark_sent(began);
        assert_eq!(watch.check(LOST), None);
        assert_eq!(watch.check(Ok(())), Some(Fault::Ended));
        watch.mark_sent(Fault::Ended);
        assert_eq!(watch.check(Ok(())), None);
    }
}
