//! Limits the open event streams, per address and per process.

use actix_web::HttpRequest;
use caraplace_companion::app::App;
use chrono::TimeDelta;
use platform::address_slots::{AddressSlot, SlotShortage};
use platform::refusal::codes::Code;
use platform::telemetry::METRICS;

use super::address;
use super::app_data::http_state;
use crate::response::problem::Problem;

/// The time to wait for a free slot; streams usually stay open for long.
const RETRY_AFTER: TimeDelta = TimeDelta::seconds(15);

/// Takes a stream slot for a request, before its stream uses any other resource.
///
/// # Errors
/// `too_many_requests` if the address or the process has no free slot.
pub fn acquire_slot(request: &HttpRequest, app: &App) -> Result<AddressSlot, Problem> {
    let http_state = http_state(request)?;
    let address = address::rate_limit_address(request, &http_state.trusted_proxies);
    let max_per_address = app.state.settings.current().values.streams_per_ip;
    http_state
        .stream_slots
        .acquire(address, max_per_address)
        .map_err(|shortage| refuse(shortage, max_per_address))
}

fn refuse(shortage: SlotShortage, max_per_address: u32) -> Problem {
    match shortage {
        SlotShortage::OfAddress => {
            METRICS.streams.refused_address.inc();
            address_limit_reached(max_per_address)
        }
        SlotShortage::OfAll => {
            METRICS.streams.refused_process.inc();
            process_limit_reached()
        }
    }
}

fn address_limit_reached(max: u32) -> Problem {
    let detail = format!("Your address has {max} open event streams, which is the limit per address.");
    Problem::new(Code::TooManyRequests, detail)
        .hint(
            "Close a stream that you no longer read, or let your agents share one, then try again after \
             Retry-After.",
        )
        .retry_after(RETRY_AFTER)
}

fn process_limit_reached() -> Problem {
    Problem::new(Code::TooManyRequests, "This server has reached its limit of open event streams.")
        .hint("Try again after Retry-After; until then, poll GET /api/chat and GET /api/canvas.")
        .retry_after(RETRY_AFTER)
}
