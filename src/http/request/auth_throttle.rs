//! Guessed keys and sessions: who shows too many wrong ones is not looked up for a while.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::clock::moment;
use crate::refusal::Refusal;
use crate::tokens::Hash;

/// So many wrong keys within the window, and an address has to pause.
const MOST: u32 = 400;
const WINDOW: Duration = Duration::from_secs(10);

/// A group of wrong secrets that are counted together. Keys and session cookies are counted apart: wrong keys that others
/// show from the same address must not make a session fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guesser {
    /// The keys that an address shows.
    Keys(IpAddr),
    /// The session cookies without a valid tag that an address shows. They are made up, or older than the tags.
    Sessions(IpAddr),
    /// One key or session that was issued here, by its hash. It may have ended; what others show does not count for it.
    Issued(Hash),
}

/// Wrong keys and sessions by who showed them. Each process counts for itself, so several instances together look up
/// as many times as many guesses.
#[derive(Default)]
pub struct Guesses(Mutex<HashMap<Guesser, Tally>>);

struct Tally {
    since: Instant,
    wrong: u32,
}

impl Guesses {
    /// Lets an unknown key or session be looked up.
    ///
    /// # Errors
    /// `Overloaded` for who has guessed too often. Not a matter of rate: the key would have to be known for that.
    pub fn admit(&self, guesser: &Guesser) -> Result<(), Refusal> {
        let guesses = self.0.lock();
        let paused =
            guesses.get(guesser).is_some_and(|tally| tally.wrong >= MOST && tally.since.elapsed() < WINDOW);
        if paused { Err(Refusal::Overloaded) } else { Ok(()) }
    }

    /// Counts a wrong key or session.
    pub fn count(&self, guesser: Guesser) {
        let mut guesses = self.0.lock();
        let tally = guesses.entry(guesser).or_insert_with(|| Tally { since: moment(), wrong: 0 });
        if tally.since.elapsed() >= WINDOW {
            *tally = Tally { since: moment(), wrong: 0 };
        }
        tally.wrong += 1;
    }

    /// Forgets who has not guessed lately.
    pub fn sweep(&self) {
        self.0.lock().retain(|_, tally| tally.since.elapsed() < WINDOW);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throttles_only_the_key_with_too_many_failures() {
        let guesses = Guesses::default();
        let address = IpAddr::from([192, 0, 2, 1]);
        let guesser = Guesser::Keys(address);
        for _ in 0..MOST {
            assert!(guesses.admit(&guesser).is_ok());
            guesses.count(guesser);
        }
        assert!(guesses.admit(&guesser).is_err());
        for other in
            [Guesser::Keys([192, 0, 2, 2].into()), Guesser::Sessions(address), Guesser::Issued([1; 32])]
        {
            assert!(guesses.admit(&other).is_ok(), "{other:?}");
        }
    }
}
