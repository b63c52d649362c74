//! The acceptance of direct messages: contact policies and blocks. The writer of the log reads both when it decides on
//! a message, so every change holds the head lock.

pub mod blocks;
pub mod contact;
mod store;
