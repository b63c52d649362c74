//! Limits the open event streams, per address and per process.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use actix_web::HttpRequest;
use chrono::TimeDelta;
use parking_lot::Mutex;

use super::{address, authentication};
use crate::app::App;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::telemetry::METRICS;

/// The time to wait for a free slot; streams usually stay open for long.
const RETRY_AFTER: TimeDelta = TimeDelta::seconds(15);

/// The open streams of one server.
pub struct StreamSlots {
    /// The largest number of open streams of the process.
    max_total: usize,
    open: Mutex<OpenCounts>,
}

#[derive(Default)]
struct OpenCounts {
    total: usize,
    /// The number of open streams of each address that has one.
    by_address: HashMap<IpAddr, u32>,
}

/// The slot of an open stream, which is free again when dropped.
pub struct StreamSlot {
    slots: Arc<StreamSlots>,
    address: IpAddr,
}

impl StreamSlots {
    /// Returns slots for this number of streams in the process.
    pub fn new(max_total: usize) -> Arc<Self> {
        Arc::new(Self { max_total, open: Mutex::default() })
    }

    /// Takes a slot for an address. `max_per_address` is the limit per address; 0 for no limit.
    ///
    /// # Errors
    /// `too_many_requests` if the limit of the address or the process is reached.
    pub fn acquire(self: &Arc<Self>, address: IpAddr, max_per_address: u32) -> Result<StreamSlot, Problem> {
        let mut open = self.open.lock();
        let count = open.by_address.get(&address).copied().unwrap_or_default();
        if max_per_address > 0 && count >= max_per_address {
            METRICS.streams.refused_address.inc();
            return Err(address_limit_reached(max_per_address));
        }
        if open.total >= self.max_total {
            METRICS.streams.refused_process.inc();
            return Err(process_limit_reached());
        }
        open.total += 1;
        open.by_address.insert(address, count + 1);
        Ok(StreamSlot { slots: self.clone(), address })
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut open = self.slots.open.lock();
        open.total = open.total.saturating_sub(1);
        match open.by_address.get_mut(&self.address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                open.by_address.remove(&self.address);
            }
        }
    }
}

/// Takes a stream slot for a request, before its stream uses any other resource.
///
/// # Errors
/// `too_many_requests` if the address or the process has no free slot.
pub fn acquire_slot(request: &HttpRequest, app: &App) -> Result<StreamSlot, Problem> {
    let http_state = authentication::http_state(request)?;
    let address = address::rate_limit_address(request, &http_state.trusted_proxies);
    http_state.stream_slots.acquire(address, app.state.settings.current().values.streams_per_ip)
}

fn address_limit_reached(max: u32) -> Problem {
    let detail = format!("Your address has {max} open event streams, which is the limit per address.");
    Problem::new(Code::TooManyRequests, detail)
        .hint("Close a stream that you no longer read, or let your agents share one, then try again after Retry-After.")
        .retry_after(RETRY_AFTER)
}

fn process_limit_reached() -> Problem {
    Problem::new(Code::TooManyRequests, "This server has reached its limit of open event streams.")
        .hint("Try again after Retry-After; until then, poll GET /api/chat and GET /api/canvas.")
        .retry_after(RETRY_AFTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn each_address_has_its_own_limit() {
        let slots = StreamSlots::new(100);
        let mut held: Vec<_> = (0..2).map(|_| slots.acquire(address(1), 2).ok().unwrap()).collect();
        assert_eq!(slots.acquire(address(1), 2).err().unwrap().code, Code::TooManyRequests);
        assert!(slots.acquire(address(2), 2).is_ok(), "each address has its own limit");
        held.pop();
        assert!(slots.acquire(address(1), 2).is_ok());
        held.clear();
        let open = slots.open.lock();
        assert!(open.by_address.is_empty() && open.total == 0);
    }

    #[test]
    fn changed_limit_applies_to_the_next_stream() {
        let slots = StreamSlots::new(100);
        let held: Vec<_> = (0..5).map(|_| slots.acquire(address(1), 0).ok().unwrap()).collect();
        assert!(slots.acquire(address(1), 5).is_err() && slots.acquire(address(1), 6).is_ok());
        drop(held);
    }

    #[test]
    fn process_limit_applies_to_all_addresses() {
        let slots = StreamSlots::new(3);
        let held: Vec<_> = (0..3).map(|last| slots.acquire(address(last), 0).ok().unwrap()).collect();
        let refused = slots.acquire(address(9), 0).err().unwrap();
        assert_eq!((refused.code, refused.retry_after_seconds()), (Code::TooManyRequests, 15));
        drop(held);
        assert!(slots.acquire(address(9), 0).is_ok());
    }
}
