//! Guessed keys: who shows too many wrong ones is not looked up for a while.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::clock::moment;
use crate::refusal::Refusal;

/// So many wrong keys within the window, and an address has to pause.
const MOST: u32 = 400;
const WINDOW: Duration = Duration::from_secs(10);

/// Wrong keys by the address that showed them.
#[derive(Default)]
pub struct Guesses(Mutex<HashMap<IpAddr, Tally>>);

struct Tally {
    since: Instant,
    wrong: u32,
}

impl Guesses {
    /// Lets an unknown key be looked up.
    ///
    /// # Errors
    /// `Overloaded` for who has guessed too often. Not a matter of rate: the key would have to be known for that.
    pub fn admit(&self, address: IpAddr) -> Result<(), Refusal> {
        let guesses = self.0.lock();
        let paused =
            guesses.get(&address).is_some_and(|tally| tally.wrong >= MOST && tally.since.elapsed() < WINDOW);
        if paused { Err(Refusal::Overloaded) } else { Ok(()) }
    }

    /// Counts a wrong key.
    pub fn count(&self, address: IpAddr) {
        let mut guesses = self.0.lock();
        let tally = guesses.entry(address).or_insert_with(|| Tally { since: moment(), wrong: 0 });
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
    fn who_guesses_on_and_on_has_to_pause_and_nobody_else() {
        let guesses = Guesses::default();
        let (guesser, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        for _ in 0..MOST {
            assert!(guesses.admit(guesser).is_ok());
            guesses.count(guesser);
        }
        assert!(guesses.admit(guesser).is_err() && guesses.admit(other).is_ok());
    }
}
