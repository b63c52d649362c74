//! The log's SQL.

mod answers;
pub(super) mod check;
mod events;
mod fold;
mod gate;
mod load;
mod messages;
mod notices;
mod season;
mod shadow;
mod speech;
mod write;

pub(super) use answers::{answers, sweep_answers};
pub(super) use events::{events, others};
pub(super) use fold::{Fold, fold, keep_fold};
pub(super) use gate::{
    Head, LockedHead, accounts, control_after, existing_messages, head, lock_head, names, next_turn, process,
    try_head,
};
pub use gate::{append_control, time};
pub(super) use load::{Newest, newest_placements, newest_season, seasons, secret, settings, turns};
pub use messages::Span;
pub(super) use messages::{messages, messages_at, reactions};
pub(super) use notices::forget_origins;
pub(super) use season::{append_event, course, insert_announcement, insert_season};
pub(super) use shadow::{has_shadows, newest_shadow, place_of, shadows, shadows_after, shadows_with};
pub(super) use write::{insert_acts, record};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// One column of several rows.
fn column<R, T>(rows: &[R], value: impl Fn(&R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}
