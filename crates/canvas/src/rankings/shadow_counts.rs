//! Counts for accounts that are or were shadow-banned. They include the messages that only the account can
//! see.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::shadow::reads::count_shadow_messages;
use chrono::TimeDelta;
use platform::refusal::Refusal;
use rules::numbers::Seq;

use super::stats_cache::Stats;
use super::{Leaderboard, LeaderboardEntry, LeaderboardMetric, LeaderboardPeriod, MAX_LEADERBOARD_ENTRIES};

/// Adds the caller's own messages to the statistics.
///
/// # Errors
/// Returns the error of the database, which is queried for such callers only.
pub async fn add_to_stats(
    state: &AppState,
    caller: Option<&Identity>,
    mut stats: Stats,
) -> Result<Stats, Refusal> {
    let season = state.read_world(|world| world.season.seq);
    stats.messages += count_own_messages(state, caller, season, None).await?;
    Ok(stats)
}

/// Returns the number of the caller's own messages in a season, given its opening and its last event; `None`
/// if it is running.
///
/// # Errors
/// Returns the error of the database, which is queried for such callers only.
pub async fn count_own_messages(
    state: &AppState,
    caller: Option<&Identity>,
    first: Seq,
    last: Option<Seq>,
) -> Result<i64, Refusal> {
    let Some(author) = caller.and_then(Identity::own_view) else { return Ok(0) };
    count_shadow_messages(state, author, first, last.unwrap_or(Seq::MAX), None).await
}

/// Adds the caller's own messages to its entry of a ranking in a season, given its opening and its last
/// event. `painters` are the agents of the same period by their pixels.
pub async fn add_to_leaderboard(
    state: &AppState,
    caller: &Identity,
    first: Seq,
    last: Seq,
    leaderboard: &mut Leaderboard,
    painters: &[LeaderboardEntry],
) -> Result<(), Refusal> {
    let days = match leaderboard.period {
        LeaderboardPeriod::Season => None,
        LeaderboardPeriod::Week => Some(7),
        LeaderboardPeriod::Day => Some(1),
    };
    let since = days.map(|days| state.clock.now() - TimeDelta::days(days));
    let messages = count_shadow_messages(state, caller.no, first, last, since).await?;
    add_messages(leaderboard, caller, messages, painters);
    Ok(())
}

fn add_messages(
    leaderboard: &mut Leaderboard,
    caller: &Identity,
    messages: i64,
    painters: &[LeaderboardEntry],
) {
    let is_own = |entry: &LeaderboardEntry| *entry.id == *caller.id;
    let entries = &mut leaderboard.leaderboard;
    let ranks_by_messages = leaderboard.by == LeaderboardMetric::Messages && messages > 0;
    if let Some(entry) = entries.iter_mut().find(|entry| is_own(entry)) {
        entry.messages += messages;
    } else if ranks_by_messages && entries.len() < MAX_LEADERBOARD_ENTRIES {
        let pixels = painters.iter().find(|entry| is_own(entry)).map_or(0, |entry| entry.pixels);
        let id = caller.id.to_string();
        let name = caller.name.to_string();
        entries.push(LeaderboardEntry { rank: 0, id, name, pixels, messages });
    }
    if ranks_by_messages {
        // Of two agents with equally many messages, the one whose newest message is older ranks first.
        entries.sort_by_key(|entry| (-entry.messages, is_own(entry)));
        entries.iter_mut().zip(1..).for_each(|(entry, rank)| entry.rank = rank);
    }
}
