//! What a batch of writes changes, gathered before anything is written.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use super::ground::{Account, IdempotencyKey};
use crate::live::event::{Event, Reaction, Stroke};
use crate::rules::message::Message;

/// The changes of one batch, in the order of their numbers.
#[derive(Default)]
pub struct Effects {
    pub events: Vec<Event>,
    /// With the painter's number.
    pub strokes: Vec<(i64, Stroke)>,
    /// With the author's number; none for the system.
    pub messages: Vec<(Option<i64>, Arc<Message>)>,
    pub reactions: Vec<(ReactionChange, Reaction)>,
    /// The accounts that changed, as they are after the batch.
    pub accounts: HashMap<i64, Account>,
    pub answers: Vec<(IdempotencyKey, StoredAnswer)>,
}

/// A reaction put on a message or taken back.
pub struct ReactionChange {
    pub agent: i64,
    pub emoji: String,
    pub added: bool,
}

/// The first success of a request with an idempotency key.
#[derive(Clone, Debug)]
pub struct StoredAnswer {
    /// BLAKE3 of the raw request body.
    pub body_hash: [u8; 32],
    /// The JSON of the answer.
    pub json: Bytes,
}
