//! How many messages the agents behind one address say in a minute, per process.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;

/// Messages are counted for so long.
const WINDOW: TimeDelta = TimeDelta::minutes(1);

/// The times of the messages of the last minute, by address. It holds no more than was said in that minute, and what is
/// older until the next sweep.
#[derive(Debug, Default)]
pub struct AddressLimiter(Mutex<HashMap<IpAddr, VecDeque<DateTime<Utc>>>>);

/// A message's place in the count of its address: taken as the last check of its command, and given back if the batch of
/// that command is not committed.
#[derive(Debug)]
pub struct MessageSlot {
    limiter: Arc<AddressLimiter>,
    address: IpAddr,
    taken_at: Mutex<Option<DateTime<Utc>>>,
}

impl AddressLimiter {
    /// A slot, not taken yet, in the count of an address.
    pub fn slot(self: &Arc<Self>, address: IpAddr) -> MessageSlot {
        MessageSlot { limiter: self.clone(), address, taken_at: Mutex::new(None) }
    }

    /// Forgets addresses without a message within the last minute.
    pub fn sweep(&self, now: DateTime<Utc>) {
        self.0.lock().retain(|_, said| said.back().is_some_and(|newest| *newest > now - WINDOW));
    }

    fn take(&self, address: IpAddr, limit: u32, now: DateTime<Utc>) -> Result<(), TimeDelta> {
        let mut counted = self.0.lock();
        let said = counted.entry(address).or_default();
        while said.front().is_some_and(|oldest| *oldest <= now - WINDOW) {
            said.pop_front();
        }
        // The limit may have been lowered: as many must become old as are too many.
        let too_many = (said.len() + 1).saturating_sub(limit as usize);
        match too_many.checked_sub(1).and_then(|place| said.get(place)) {
            Some(until) => Err(*until + WINDOW - now),
            None => {
                said.push_back(now);
                Ok(())
            }
        }
    }
}

impl MessageSlot {
    /// Takes the slot at a time that never falls; a limit of 0 is off. A slot that is taken already stays taken.
    ///
    /// # Errors
    /// How long until there is room for one more.
    pub fn take(&self, limit: u32, now: DateTime<Utc>) -> Result<(), TimeDelta> {
        let mut taken_at = self.taken_at.lock();
        if limit > 0 && taken_at.is_none() {
            self.limiter.take(self.address, limit, now)?;
            *taken_at = Some(now);
        }
        Ok(())
    }

    /// Gives the slot back, if it was taken.
    pub fn give_back(&self) {
        let Some(taken_at) = self.taken_at.lock().take() else { return };
        if let Some(said) = self.limiter.0.lock().get_mut(&self.address)
            && let Some(place) = said.iter().rposition(|at| *at == taken_at)
        {
            said.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn second(count: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(count)
    }

    fn take(limiter: &Arc<AddressLimiter>, limit: u32, at: i64) -> Result<(), i64> {
        limiter.slot(HERE).take(limit, second(at)).map_err(|wait| wait.num_seconds())
    }

    #[test]
    fn no_minute_exceeds_the_limit() {
        let limiter = Arc::new(AddressLimiter::default());
        assert_eq!([0, 10, 20].map(|at| take(&limiter, 2, at)), [Ok(()), Ok(()), Err(40)]);
        assert_eq!([60, 61].map(|at| take(&limiter, 2, at)), [Ok(()), Err(9)]);
        let elsewhere = limiter.slot(IpAddr::from([192, 0, 2, 1]));
        assert_eq!(elsewhere.take(2, second(61)), Ok(()), "each address for itself");
        assert_eq!(take(&limiter, 1, 61), Err(59), "a lower limit counts what was said");
        assert_eq!(take(&limiter, 0, 61), Ok(()), "off");
    }

    #[test]
    fn slot_is_reserved_once_and_released_once() {
        let limiter = Arc::new(AddressLimiter::default());
        let slot = limiter.slot(HERE);
        assert_eq!((slot.take(1, second(0)), slot.take(1, second(1))), (Ok(()), Ok(())));
        assert_eq!(take(&limiter, 1, 2), Err(58));
        slot.give_back();
        slot.give_back();
        assert_eq!((take(&limiter, 1, 3), take(&limiter, 1, 4)), (Ok(()), Err(59)));
    }

    #[test]
    fn sweep_removes_addresses_without_recent_messages() {
        let limiter = Arc::new(AddressLimiter::default());
        take(&limiter, 5, 0).unwrap();
        limiter.sweep(second(59));
        assert_eq!(limiter.0.lock().len(), 1);
        limiter.sweep(second(60));
        assert_eq!(limiter.0.lock().len(), 0);
    }
}
