//! Counts the steps of text passes in tests: a pass is proven linear by its steps, never by its time.

/// Adds to the count of steps of this thread. Does nothing outside tests.
///
/// A pass charges one step for each character it looks at. Before a call into a library it charges the most that
/// the library may look at.
#[cfg(not(test))]
#[inline(always)]
pub(crate) fn charge(_steps: usize) {}

#[cfg(test)]
thread_local! {
    static CHARGED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Adds to the count of steps of this thread.
#[cfg(test)]
pub(crate) fn charge(steps: usize) {
    CHARGED.set(CHARGED.get() + steps as u64);
}

/// Returns how many steps `work` charges.
#[cfg(test)]
pub(crate) fn count(work: impl FnOnce()) -> u64 {
    let before = CHARGED.get();
    work();
    CHARGED.get() - before
}
