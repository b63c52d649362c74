//! Watches whether the log can be written. A fault is told when it lasts, and its end is told only then, too. What
//! was told is kept in memory, because a database that fails remembers nothing: each instance tells its own.

use caraplace_log::Unwritable;

/// The number of checks in a row that must fail before a fault is told.
const FAILED_CHECKS: u32 = 3;

/// A change that is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Began(Unwritable),
    Ended,
}

/// The checks since the last one that succeeded.
#[derive(Debug, Default)]
pub(super) struct FaultWatch {
    failed_checks: u32,
    is_told: bool,
}

impl FaultWatch {
    /// Counts a check. Returns the change that is to be told; it is returned again until [`Self::mark_told`] is
    /// called.
    pub fn check(&mut self, result: Result<(), Unwritable>) -> Option<Fault> {
        match result {
            Ok(()) => {
                self.failed_checks = 0;
                self.is_told.then_some(Fault::Ended)
            }
            Err(reason) => {
                self.failed_checks = self.failed_checks.saturating_add(1);
                (!self.is_told && self.failed_checks >= FAILED_CHECKS).then_some(Fault::Began(reason))
            }
        }
    }

    /// Remembers that a change was told.
    pub fn mark_told(&mut self, fault: Fault) {
        self.is_told = matches!(fault, Fault::Began(_));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOST: Result<(), Unwritable> = Err(Unwritable::NoAnswer);

    #[test]
    fn a_short_fault_is_not_told() {
        let mut watch = FaultWatch::default();
        for result in [LOST, LOST, Ok(()), LOST, LOST, Ok(())] {
            assert_eq!(watch.check(result), None);
        }
    }

    #[test]
    fn a_lasting_fault_and_its_end_are_told_once() {
        let mut watch = FaultWatch::default();
        watch.check(LOST);
        watch.check(LOST);
        let began = Fault::Began(Unwritable::NoAnswer);
        assert_eq!([watch.check(LOST), watch.check(LOST)], [Some(began); 2], "it was not accepted yet");
        watch.mark_told(began);
        assert_eq!(watch.check(LOST), None);
        assert_eq!(watch.check(Ok(())), Some(Fault::Ended));
        watch.mark_told(Fault::Ended);
        assert_eq!(watch.check(Ok(())), None);
    }
}
