//! What happens, as it happens: events and the hub that hands them to everyone who watches.

pub mod event;
pub mod hub;
