//! The price of costly work in requests, and what callers still owe for it.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use parking_lot::Mutex;

/// The work that one request pays for. Each started further unit counts as one more request.
const WORK_UNIT: Duration = Duration::from_millis(50);
/// The part (1 in this number) of a minute's allowance that the work of one request takes at most.
const MAX_COST_SHARE: u32 = 4;

/// The requests that callers still owe for work, by caller, because their allowance had too little left.
pub(super) struct WorkDebts<K>(Mutex<HashMap<K, u32>>);

impl<K> Default for WorkDebts<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Copy + Eq + Hash> WorkDebts<K> {
    /// Adds to what a caller owes, and pays as much as `pay` can. `pay` takes a number and returns what is
    /// missing. Returns what the caller still owes.
    pub(super) fn pay(&self, key: &K, cost: u32, pay: impl FnOnce(u32) -> u32) -> u32 {
        let mut debts = self.0.lock();
        let owed = debts.get(key).copied().unwrap_or_default().saturating_add(cost);
        let missing = if owed == 0 { 0 } else { pay(owed) };
        if missing == 0 {
            debts.remove(key);
        } else {
            debts.insert(*key, missing);
        }
        missing
    }

    /// Returns the callers that owe something.
    pub(super) fn debtors(&self) -> Vec<K> {
        self.0.lock().keys().copied().collect()
    }
}

/// Returns the number of requests that work counts as, besides the one that was counted before it.
pub(super) fn cost_of(work: Duration, requests_per_minute: u32) -> u32 {
    let units = work.as_nanos().div_ceil(WORK_UNIT.as_nanos()).saturating_sub(1);
    u32::try_from(units).unwrap_or(u32::MAX).min(requests_per_minute / MAX_COST_SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_started_unit_beyond_the_first_counts_as_a_request() {
        let cost = |milliseconds| cost_of(Duration::from_millis(milliseconds), 1_200);
        assert_eq!([0, 1, 50, 51, 100, 101, 3_000].map(cost), [0, 0, 0, 1, 1, 2, 59]);
        assert_eq!(cost(600_000), 300, "a quarter of a minute's allowance at most");
        assert_eq!(cost_of(Duration::from_mins(1), 3), 0);
    }
}
