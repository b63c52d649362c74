//! The SQL of the event log.

mod accounts;
mod acquaintances;
mod agreements;
mod answers;
mod chat;
pub(super) mod check;
mod clock;
mod control;
mod edits;
mod events;
mod existing_messages;
mod head;
mod intents;
mod load;
mod messages;
mod notices;
mod private_news;
mod replay_snapshot;
mod season;
mod shadow_events;
mod shadow_messages;
mod shadow_views;
mod write;
mod write_probe;

pub(super) use accounts::{accounts, agent_names, revoked_keys};
pub(super) use answers::{answers, delete_expired_responses};
pub(super) use clock::{clock_lead, clock_steps, record_clock_step, store_clock_lead};
pub use control::append_control_entry;
pub(super) use control::{
    account_numbers, append_control_entries, control_entries_after, delete_control_entries,
    has_control_entry_before,
};
pub use edits::EarlierText;
pub(super) use edits::{deleted_messages, earlier_texts};
pub(super) use events::{events, events_except_placements};
pub(super) use existing_messages::existing_messages;
pub use head::now;
pub(super) use head::{Head, HeadPosition, LockedHead, advance_epoch, backend_process_id, head, lock_head};
pub(super) use intents::{intents_by_ids, newest_messages};
pub(super) use load::{
    PointPlacement, chat_changes, digest_secret, newest_placements, newest_season, seasons, settings,
};
pub use messages::MessageRange;
pub(super) use messages::{foldings, messages, messages_by_ids, messages_by_seqs, reactions};
pub(super) use notices::clear_mention_origins;
pub(super) use private_news::notify_private_news;
pub(super) use replay_snapshot::{ReplaySnapshot, replay_snapshot, store_replay_snapshot};
pub(super) use season::{append_events, insert_announcement, insert_season, season_state};
pub(super) use shadow_events::{
    count_shadow_events_after, newest_shadow_event, shadow_events_after, shadow_events_of,
};
pub(super) use shadow_messages::{
    chat_position, count_shadow_messages, has_shadow_messages, shadow_messages, shadow_messages_by_ids,
};
pub(super) use shadow_views::{shadow_bans, shadow_intents_of, shadow_reactions, shadow_view};
pub(super) use write::{insert_audit_entries, write_batch};
pub(super) use write_probe::{try_lock_head, write_probe};

use platform::database::column;

type Result<T> = std::result::Result<T, sqlx::Error>;
