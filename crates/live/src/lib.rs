//! The live stream: the public events, and the hub that sends them to all streams.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "event numbers are not negative, and counts of events in memory fit every type"
)]

pub mod event;
pub mod frame;
pub mod hub;
pub mod own_event;
pub mod unread_changes;
pub mod waits;
