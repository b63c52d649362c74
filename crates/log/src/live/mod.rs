//! The live stream: the public events, and the hub that sends them to all streams.

pub mod event;
pub mod frame;
pub mod hub;
pub mod private_event;
pub mod stream_position;
pub mod unread_changes;
pub mod waits;
