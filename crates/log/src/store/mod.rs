//! The SQL of the event log.

mod accounts;
mod answers;
pub(super) mod check;
mod clock;
mod control;
mod events;
mod head;
mod load;
mod private_news;
mod replay_snapshot;
mod season;
mod write;
mod write_probe;

pub(super) use accounts::{accounts, agent_names};
pub(super) use answers::{answers, delete_expired_responses, delete_responses_of};
pub(super) use clock::{clock_lead, clock_steps, record_clock_step, store_clock_lead};
pub use control::append_control_entry;
pub(super) use control::{
    account_numbers, append_control_entries, control_entries_after, delete_control_entries,
    has_control_entry_before,
};
pub(super) use events::{events, events_except_placements};
pub use head::now;
pub(super) use head::{Head, HeadPosition, LockedHead, advance_epoch, backend_process_id, head, lock_head};
pub(super) use load::{PointPlacement, digest_secret, newest_placements, newest_season, seasons, settings};
pub(super) use private_news::notify_private_news;
pub(super) use replay_snapshot::{ReplaySnapshot, replay_snapshot, store_replay_snapshot};
pub(super) use season::{append_events, insert_season, season_state};
pub(super) use write::{insert_audit_entries, write_batch};
pub(super) use write_probe::{try_lock_head, write_probe};

use platform::database::column;

type Result<T> = std::result::Result<T, sqlx::Error>;
