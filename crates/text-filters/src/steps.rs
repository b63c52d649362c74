//! Counts the steps of text passes in tests: a pass is proven linear by its steps, never by its time.

#[cfg(any(test, feature = "count-steps"))]
pub mod linear;

/// Adds to the count of steps of this thread. Does nothing unless steps are counted.
///
/// A pass charges one step for each character it looks at. Before a call into a library it charges the most that
/// the library may look at.
#[cfg(not(any(test, feature = "count-steps")))]
#[inline(always)]
pub fn charge(_steps: usize) {}

#[cfg(any(test, feature = "count-steps"))]
thread_local! {
    static CHARGED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Adds to the count of steps of this thread.
#[cfg(any(test, feature = "count-steps"))]
pub fn charge(steps: usize) {
    CHARGED.set(CHARGED.get() + steps as u64);
}

/// Returns how many steps `work` charges.
#[cfg(any(test, feature = "count-steps"))]
pub fn count(work: impl FnOnce()) -> u64 {
    let before = CHARGED.get();
    work();
    CHARGED.get() - before
}
