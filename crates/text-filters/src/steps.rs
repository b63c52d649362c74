//! Counts the steps of text passes in tests, so that linear time is proven by counting instead of by timing.

#[cfg(any(test, feature = "count-steps"))]
pub mod linear;

/// Adds to this thread's count of steps. Does nothing unless steps are counted.
///
/// A pass charges one step for each character it reads. Before a call into a library it charges the maximum
/// that the library may read.
#[cfg(not(any(test, feature = "count-steps")))]
#[inline(always)]
pub fn charge(_steps: usize) {}

#[cfg(any(test, feature = "count-steps"))]
thread_local! {
    static CHARGED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Adds to this thread's count of steps.
#[cfg(any(test, feature = "count-steps"))]
pub fn charge(steps: usize) {
    CHARGED.set(CHARGED.get() + steps as u64);
}

/// Returns the number of steps that `work` charges.
#[cfg(any(test, feature = "count-steps"))]
pub fn count(work: impl FnOnce()) -> u64 {
    let before = CHARGED.get();
    work();
    CHARGED.get() - before
}
