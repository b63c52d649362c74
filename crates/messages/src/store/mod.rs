//! The SQL of public messages.

mod acquaintances;
mod agreements;
mod check;
mod digests;
mod edits;
mod erased;
mod events;
mod existing_messages;
mod intents;
mod messages;
mod notices;
mod own_events;
mod own_messages;
mod own_texts;
mod shadow_messages;
mod shadow_views;
mod writes;

pub(super) use check::{own_event_faults, own_text_faults, shadow_message_faults};
pub(super) use digests::chat_changes;
pub use edits::EarlierText;
pub(super) use edits::{deleted_messages, earlier_texts};
pub(super) use erased::{
    clear_earlier_system_texts, clear_earlier_texts, clear_shadow_messages, system_messages_with,
    undeleted_messages,
};
pub use events::MESSAGE_EVENTS;
pub(super) use existing_messages::existing_messages;
pub(super) use intents::{NewestMessages, intents_by_ids, newest_messages};
pub use messages::{MAX_CACHED_MESSAGES, MessageRange};
pub(super) use messages::{foldings, messages, messages_by_ids, messages_by_seqs, reactions};
pub(super) use notices::clear_mention_origins;
pub(super) use own_events::{OwnEventKey, has_own_event, newest_own_event, own_events_of, publish_own};
pub use own_messages::OwnPublicMessage;
pub(super) use own_messages::own_message_page;
pub(super) use own_texts::own_texts;
pub use shadow_messages::shadow_messages_among;
pub(super) use shadow_messages::{
    chat_position, count_shadow_messages, shadow_intent_ids, shadow_messages, shadow_messages_by_ids,
};
pub(super) use shadow_views::{shadow_intents_of, shadow_reactions, shadow_view};
pub(super) use writes::{insert_system_message, write_changes};

type Result<T> = std::result::Result<T, sqlx::Error>;
