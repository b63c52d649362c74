//! Limits what all agents behind one IP address show to others per minute: messages, plans, crews, their
//! changes and invitations. Each instance counts for itself.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use platform::refusal::Refusal;
use rules::rights::AccountKind;
use rules::wait::MAX_CLOCK_LAG;

/// The time span in which messages are counted.
const COUNT_WINDOW: TimeDelta = TimeDelta::minutes(1);

/// The times at which something was shown to others in the last minute, by address. Older ones remain until
/// the next sweep.
#[derive(Debug, Default)]
pub struct AddressLimiter(Mutex<HashMap<IpAddr, VecDeque<DateTime<Utc>>>>);

/// A reservation in the count of an address. It is made by the last check of a command, and released if the
/// batch of that command is not committed.
#[derive(Debug)]
pub struct MessageReservation {
    limiter: Arc<AddressLimiter>,
    address: IpAddr,
    reserved_at: Mutex<Option<DateTime<Utc>>>,
}

/// The address of a request that shows something to others, and what counts it.
#[derive(Clone, Copy, Debug)]
pub struct SenderAddress<'a> {
    pub limiter: &'a Arc<AddressLimiter>,
    pub address: IpAddr,
}

impl SenderAddress<'_> {
    /// Returns a reservation for the address that is not made yet.
    pub fn slot(&self) -> MessageReservation {
        self.limiter.slot(self.address)
    }
}

/// A reservation that was made, and that is released when it is dropped unless it is kept.
#[derive(Debug)]
pub struct CountedMessage(Option<MessageReservation>);

impl CountedMessage {
    /// Keeps the reservation, because what it counts is being committed.
    pub fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for CountedMessage {
    fn drop(&mut self) {
        if let Some(reservation) = &self.0 {
            reservation.release();
        }
    }
}

impl AddressLimiter {
    /// Returns a reservation for an address that is not made yet.
    pub fn slot(self: &Arc<Self>, address: IpAddr) -> MessageReservation {
        MessageReservation { limiter: self.clone(), address, reserved_at: Mutex::new(None) }
    }

    /// Removes addresses without a message in the last minute.
    pub fn sweep(&self, now: DateTime<Utc>) {
        self.0.lock().retain(|_, times| {
            remove_uncounted(times, now);
            !times.is_empty()
        });
    }

    fn reserve(&self, address: IpAddr, limit: u32, now: DateTime<Utc>) -> Result<(), TimeDelta> {
        let mut times_by_address = self.0.lock();
        let times = times_by_address.entry(address).or_default();
        remove_uncounted(times, now);
        // If the limit was lowered, several messages must expire before the next is allowed.
        let excess = (times.len() + 1).saturating_sub(limit as usize);
        match excess.checked_sub(1).and_then(|index| times.get(index)) {
            Some(oldest_to_expire) => Err(*oldest_to_expire + COUNT_WINDOW - now),
            None => {
                times.push_back(now);
                Ok(())
            }
        }
    }
}

/// Removes the times that do not count: those before the last minute, and those in the future, which were
/// added before the clock was set back.
fn remove_uncounted(times: &mut VecDeque<DateTime<Utc>>, now: DateTime<Utc>) {
    times.retain(|at| *at > now - COUNT_WINDOW && *at <= now + MAX_CLOCK_LAG);
}

impl MessageReservation {
    /// Reserves one message at a time that decreases only if the clock was set back. A limit of 0 means no
    /// limit. Reserving again has no effect.
    ///
    /// # Errors
    /// Returns the time until the next message is allowed.
    fn reserve(&self, limit: u32, now: DateTime<Utc>) -> Result<(), TimeDelta> {
        let mut reserved_at = self.reserved_at.lock();
        if limit > 0 && reserved_at.is_none() {
            self.limiter.reserve(self.address, limit, now)?;
            *reserved_at = Some(now);
        }
        Ok(())
    }

    /// Reserves as an account of this kind shows something to others. Viewers are not counted, because they
    /// need a pass, nor are operators. This must be the last check of a command, so that it does not hide
    /// another refusal.
    ///
    /// # Errors
    /// `TooManyFromAddress`.
    pub fn reserve_as(&self, kind: AccountKind, limit: u32, now: DateTime<Utc>) -> Result<(), Refusal> {
        if kind != AccountKind::Agent {
            return Ok(());
        }
        self.reserve(limit, now).map_err(|wait| Refusal::TooManyFromAddress { limit, wait })
    }

    /// Reserves as [`Self::reserve_as`] does, until the result is dropped or kept.
    ///
    /// # Errors
    /// `TooManyFromAddress`.
    pub fn count_as(
        self,
        kind: AccountKind,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<CountedMessage, Refusal> {
        self.reserve_as(kind, limit, now)?;
        Ok(CountedMessage(Some(self)))
    }

    /// Releases the reservation, if it was made.
    pub fn release(&self) {
        let Some(reserved_at) = self.reserved_at.lock().take() else { return };
        if let Some(times) = self.limiter.0.lock().get_mut(&self.address)
            && let Some(index) = times.iter().rposition(|at| *at == reserved_at)
        {
            times.remove(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST_ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn second(count: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(count)
    }

    fn reserve(limiter: &Arc<AddressLimiter>, limit: u32, at: i64) -> Result<(), i64> {
        limiter.slot(TEST_ADDRESS).reserve(limit, second(at)).map_err(|wait| wait.num_seconds())
    }

    #[test]
    fn no_minute_exceeds_the_limit() {
        let limiter = Arc::new(AddressLimiter::default());
        assert_eq!([0, 10, 20].map(|at| reserve(&limiter, 2, at)), [Ok(()), Ok(()), Err(40)]);
        assert_eq!([60, 61].map(|at| reserve(&limiter, 2, at)), [Ok(()), Err(9)]);
        let other_slot = limiter.slot(IpAddr::from([192, 0, 2, 1]));
        assert_eq!(other_slot.reserve(2, second(61)), Ok(()), "each address for itself");
        assert_eq!(reserve(&limiter, 1, 61), Err(59), "a lower limit applies to earlier messages");
        assert_eq!(reserve(&limiter, 0, 61), Ok(()), "off");
    }

    #[test]
    fn times_in_the_future_do_not_count() {
        let limiter = Arc::new(AddressLimiter::default());
        assert_eq!([3_600, 3_595].map(|at| reserve(&limiter, 1, at)), [Ok(()), Err(65)], "clocks differ");
        assert_eq!([0, 20].map(|at| reserve(&limiter, 1, at)), [Ok(()), Err(40)], "the clock was set back");
        reserve(&limiter, 5, 30).unwrap();
        limiter.sweep(second(10));
        assert_eq!(limiter.0.lock()[&TEST_ADDRESS], [second(0)]);
    }

    #[test]
    fn slot_is_reserved_once_and_released_once() {
        let limiter = Arc::new(AddressLimiter::default());
        let slot = limiter.slot(TEST_ADDRESS);
        assert_eq!((slot.reserve(1, second(0)), slot.reserve(1, second(1))), (Ok(()), Ok(())));
        assert_eq!(reserve(&limiter, 1, 2), Err(58));
        slot.release();
        slot.release();
        assert_eq!((reserve(&limiter, 1, 3), reserve(&limiter, 1, 4)), (Ok(()), Err(59)));
    }

    #[test]
    fn only_agents_are_counted_and_only_what_is_kept() {
        let limiter = Arc::new(AddressLimiter::default());
        let count = |kind| limiter.slot(TEST_ADDRESS).count_as(kind, 1, second(0)).ok();
        assert!(count(AccountKind::Viewer).is_some() && count(AccountKind::Operator).is_some());
        drop(count(AccountKind::Agent).unwrap());
        count(AccountKind::Agent).unwrap().keep();
        assert!(count(AccountKind::Agent).is_none() && count(AccountKind::Viewer).is_some());
    }

    #[test]
    fn sweep_removes_addresses_without_recent_messages() {
        let limiter = Arc::new(AddressLimiter::default());
        reserve(&limiter, 5, 0).unwrap();
        limiter.sweep(second(59));
        assert_eq!(limiter.0.lock().len(), 1);
        limiter.sweep(second(60));
        assert_eq!(limiter.0.lock().len(), 0);
    }
}
