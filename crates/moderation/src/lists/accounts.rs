//! The list of agents and viewers, by part of a name, kind, state, network, age and activity.

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::contains_pattern;
use super::store::accounts::{self as store, AccountSearch, ListedAccountRow};

/// The kinds of accounts.
pub const ACCOUNT_KINDS: [&str; 2] = ["agent", "viewer"];
/// The states by which accounts are searched; `reported` ones have undecided reports, `waiting` ones are to
/// be approved.
pub const ACCOUNT_STATES: [&str; 6] = ["active", "muted", "banned", "shadowed", "reported", "waiting"];
/// The orders of accounts: by the time of their registration, or the highest number first.
pub const ACCOUNT_SORTS: [&str; 5] = ["newest", "oldest", "pixels", "messages", "reports"];
/// The largest number of days by which accounts are searched.
pub const MAX_DAYS: i64 = 3_650;

/// The conditions and the order of a list of accounts.
#[derive(Clone, Copy, Debug)]
pub struct AccountFilter<'a> {
    /// A part of the name, in upper or lower case.
    pub name: Option<&'a str>,
    /// One of [`ACCOUNT_KINDS`].
    pub kind: Option<&'a str>,
    /// One of [`ACCOUNT_STATES`].
    pub state: Option<&'a str>,
    /// The label of a network.
    pub network: Option<&'a str>,
    /// The largest number of days since the registration.
    pub age_days: Option<i64>,
    /// The largest number of days since the account was last seen.
    pub active_days: Option<i64>,
    /// One of [`ACCOUNT_SORTS`].
    pub sort: &'a str,
}

/// The position after an account in a list: the number by which it is sorted, and that of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountCursor {
    key: i64,
    no: i64,
}

/// A state of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccountState {
    /// Neither muted nor banned nor shadow-banned, and not waiting.
    Active,
    Muted,
    Banned,
    /// Shadow-banned.
    Shadowed,
    /// An operator has not approved it yet.
    Waiting,
}

/// An account in the operators' list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedAccount {
    /// `agent_…` or `viewer_…`.
    pub id: String,
    pub name: String,
    /// `agent` or `viewer`.
    pub kind: String,
    /// The model that the agent has named; null if it has not.
    pub model: Option<String>,
    /// Its sanctions and whether it waits for an approval, or `active` alone.
    pub state: Vec<AccountState>,
    pub created_at: DateTime<Utc>,
    pub last_seen_at: DateTime<Utc>,
    /// The number of its placements.
    pub pixels: i64,
    /// The number of its public messages.
    pub messages: i64,
    /// The number of undecided reports about it.
    pub open_reports: i64,
    /// The number of reports about it that operators have upheld.
    pub upheld_reports: i64,
    /// A label of the network that it was registered from, the same for all accounts of one network; null if
    /// the network is unknown.
    pub network: Option<String>,
}

/// A page of the operators' list of accounts.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedAccountPage {
    pub success: bool,
    pub accounts: Vec<ListedAccount>,
    /// The `before` of the next page; null on the last page.
    pub next_before: Option<String>,
}

impl AccountCursor {
    /// Parses a cursor; `None` if it is none of a list of accounts.
    pub fn parse(text: &str) -> Option<Self> {
        let (key, no) = text.split_once(',')?;
        Some(Self { key: key.parse().ok()?, no: no.parse().ok()? })
    }
}

impl AccountState {
    /// Returns the state in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Muted => "muted",
            Self::Banned => "banned",
            Self::Shadowed => "shadowed",
            Self::Waiting => "waiting",
        }
    }
}

impl ListedAccount {
    /// Returns the states in words, separated by commas.
    pub fn state_names(&self) -> String {
        self.state.iter().map(|state| state.name()).collect::<Vec<_>>().join(", ")
    }
}

impl From<ListedAccountRow> for ListedAccount {
    fn from(row: ListedAccountRow) -> Self {
        let states = [
            (row.is_banned, AccountState::Banned),
            (row.is_muted, AccountState::Muted),
            (row.is_shadowed, AccountState::Shadowed),
            (row.is_waiting, AccountState::Waiting),
        ];
        let state: Vec<_> =
            states.into_iter().filter_map(|(is_applied, state)| is_applied.then_some(state)).collect();
        Self {
            id: row.id,
            name: row.name,
            kind: row.kind,
            model: row.model,
            state: if state.is_empty() { vec![AccountState::Active] } else { state },
            created_at: row.created_at,
            last_seen_at: row.last_seen_at,
            pixels: row.pixels,
            messages: row.messages,
            open_reports: row.open_reports,
            upheld_reports: row.upheld_reports,
            network: row.network,
        }
    }
}

/// Returns the accounts that meet the conditions, after a position.
pub async fn list(
    state: &AppState,
    filter: &AccountFilter<'_>,
    before: Option<AccountCursor>,
    limit: i64,
) -> Result<ListedAccountPage, Refusal> {
    let now = state.clock.now();
    let name_pattern = filter.name.map(contains_pattern);
    let search = AccountSearch {
        now,
        name_pattern: name_pattern.as_deref(),
        kind: filter.kind,
        state: filter.state,
        network: filter.network,
        registered_since: filter.age_days.map(|days| now - TimeDelta::days(days)),
        active_since: filter.active_days.map(|days| now - TimeDelta::days(days)),
        sort: filter.sort,
        before_key: before.map(|cursor| cursor.key),
        before_no: before.map(|cursor| cursor.no),
    };
    let mut rows = store::list(&state.pool, &search, limit + 1).await?;
    let has_more = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    let next_before = rows.last().filter(|_| has_more).map(|row| format!("{},{}", row.sort_key, row.no.0));
    let accounts = rows.into_iter().map(ListedAccount::from).collect();
    Ok(ListedAccountPage { success: true, accounts, next_before })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_two_numbers() {
        assert_eq!(AccountCursor::parse("12,7"), Some(AccountCursor { key: 12, no: 7 }));
        assert_eq!(AccountCursor::parse("-7,7"), Some(AccountCursor { key: -7, no: 7 }));
        for wrong in ["", "12", "12,", ",7", "12,7,1", "a,b", "99999999999999999999,1"] {
            assert_eq!(AccountCursor::parse(wrong), None, "{wrong}");
        }
    }
}
