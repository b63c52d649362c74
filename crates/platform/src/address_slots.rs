//! Slots for what addresses keep open: limited for each address, and for all of them together.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

/// The slots of one process.
pub struct AddressSlots {
    /// The number of slots.
    total: usize,
    taken: Mutex<TakenSlots>,
}

#[derive(Default)]
struct TakenSlots {
    total: usize,
    /// The number of each address that has one.
    by_address: HashMap<IpAddr, u32>,
}

/// A slot, which is free again when dropped.
pub struct AddressSlot {
    slots: Arc<AddressSlots>,
    /// `None` if the slot counts for no address.
    address: Option<IpAddr>,
}

/// The reason why no slot is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotShortage {
    /// The address has as many as it may.
    OfAddress,
    /// All are taken.
    OfAll,
}

impl AddressSlots {
    /// Returns this number of slots.
    pub fn new(total: usize) -> Arc<Self> {
        Arc::new(Self { total, taken: Mutex::default() })
    }

    /// Takes a slot for an address. `max_per_address` is its limit; 0 for no limit.
    ///
    /// # Errors
    /// If the address may have no other one, or none is free.
    pub fn acquire(
        self: &Arc<Self>,
        address: IpAddr,
        max_per_address: u32,
    ) -> Result<AddressSlot, SlotShortage> {
        let mut taken = self.taken.lock();
        let count = taken.by_address.get(&address).copied().unwrap_or_default();
        if max_per_address > 0 && count >= max_per_address {
            return Err(SlotShortage::OfAddress);
        }
        let slot = self.take(&mut taken, Some(address))?;
        taken.by_address.insert(address, count + 1);
        Ok(slot)
    }

    /// Returns true if no slot is taken.
    #[cfg(test)]
    pub(crate) fn is_unused(&self) -> bool {
        let taken = self.taken.lock();
        taken.by_address.is_empty() && taken.total == 0
    }

    /// Takes a slot that counts for no address.
    ///
    /// # Errors
    /// If none is free.
    pub fn acquire_uncounted(self: &Arc<Self>) -> Result<AddressSlot, SlotShortage> {
        self.take(&mut self.taken.lock(), None)
    }

    fn take(
        self: &Arc<Self>,
        taken: &mut TakenSlots,
        address: Option<IpAddr>,
    ) -> Result<AddressSlot, SlotShortage> {
        if taken.total >= self.total {
            return Err(SlotShortage::OfAll);
        }
        taken.total += 1;
        Ok(AddressSlot { slots: self.clone(), address })
    }
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let mut taken = self.slots.taken.lock();
        taken.total = taken.total.saturating_sub(1);
        let Some(address) = self.address else { return };
        match taken.by_address.get_mut(&address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                taken.by_address.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn each_address_has_its_own_limit() {
        let slots = AddressSlots::new(100);
        let mut held: Vec<_> = (0..2).map(|_| slots.acquire(address(1), 2).ok().unwrap()).collect();
        assert_eq!(slots.acquire(address(1), 2).err(), Some(SlotShortage::OfAddress));
        assert!(slots.acquire(address(2), 2).is_ok(), "each address has its own limit");
        held.pop();
        assert!(slots.acquire(address(1), 2).is_ok());
        held.clear();
        assert!(slots.is_unused());
    }

    #[test]
    fn changed_limit_applies_to_the_next_slot() {
        let slots = AddressSlots::new(100);
        let held: Vec<_> = (0..5).map(|_| slots.acquire(address(1), 0).ok().unwrap()).collect();
        assert!(slots.acquire(address(1), 5).is_err() && slots.acquire(address(1), 6).is_ok());
        drop(held);
    }

    #[test]
    fn all_addresses_together_have_no_more_than_there_are() {
        let slots = AddressSlots::new(3);
        let held: Vec<_> = (0..3).map(|last| slots.acquire(address(last), 0).ok().unwrap()).collect();
        assert_eq!(slots.acquire(address(9), 0).err(), Some(SlotShortage::OfAll));
        assert_eq!(slots.acquire_uncounted().err(), Some(SlotShortage::OfAll));
        drop(held);
        assert!(slots.acquire(address(9), 0).is_ok());
    }

    #[test]
    fn uncounted_slots_leave_the_limit_of_an_address() {
        let slots = AddressSlots::new(3);
        let held = (slots.acquire_uncounted().ok().unwrap(), slots.acquire_uncounted().ok().unwrap());
        let last = slots.acquire(address(1), 1).ok().unwrap();
        assert_eq!(slots.acquire(address(1), 0).err(), Some(SlotShortage::OfAll));
        drop((held, last));
        assert!(slots.is_unused());
    }
}
