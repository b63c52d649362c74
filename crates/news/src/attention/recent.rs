//! The values of the agents that acted last, found by their number in one step.

use std::sync::Arc;

use parking_lot::Mutex;
use rules::numbers::AccountNo;

/// The number of places. Agents whose database numbers have the same remainder share one.
const PLACES: usize = 8_192;

/// The newest value per place. Clones share them.
pub(super) struct RecentByAgent<T>(Arc<[Mutex<Option<Entry<T>>>]>);

struct Entry<T> {
    agent: AccountNo,
    value: Arc<T>,
}

impl<T> Clone for RecentByAgent<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for RecentByAgent<T> {
    fn default() -> Self {
        Self((0..PLACES).map(|_| Mutex::new(None)).collect())
    }
}

impl<T> RecentByAgent<T> {
    /// Returns the value of an agent, unless another one has taken its place.
    pub fn find(&self, agent: AccountNo) -> Option<Arc<T>> {
        let place = self.place(agent).lock();
        place.as_ref().filter(|entry| entry.agent == agent).map(|entry| entry.value.clone())
    }

    /// Puts a value in the place of that which was there before.
    pub fn insert(&self, agent: AccountNo, value: Arc<T>) {
        let previous = self.place(agent).lock().replace(Entry { agent, value });
        // Dropped outside the lock.
        drop(previous);
    }

    fn place(&self, agent: AccountNo) -> &Mutex<Option<Entry<T>>> {
        &self.0[agent.0.unsigned_abs() as usize % PLACES]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_that_share_a_place_never_get_the_value_of_another() {
        let recent = RecentByAgent::default();
        let ada = AccountNo(7);
        let bob = AccountNo(7 + PLACES as i64);
        recent.insert(ada, Arc::new("Ada"));
        assert_eq!((recent.find(ada), recent.find(bob)), (Some(Arc::new("Ada")), None));
        recent.insert(bob, Arc::new("Bob"));
        assert_eq!((recent.find(ada), recent.find(bob)), (None, Some(Arc::new("Bob"))));
    }
}
