//! Drafts: changes that the guide proposes, and that a person approves or rejects. Approving one calls the
//! same function as doing it by hand, in the name of the person, with its rights at that moment.

pub mod access;
pub mod approve;
mod carry_out;
mod change;
mod check;
mod check_action;
pub mod cleanup;
mod decision;
pub mod list;
pub mod picture;
pub(crate) mod propose;
pub mod reject;
mod store;
mod subject;
mod summary;

use std::fmt;

use caraplace_accounts::visitor::ConversationOwner;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

pub(crate) use store::{delete_of, withdraw};

/// The time in which a draft must be decided.
const LIFETIME: TimeDelta = TimeDelta::hours(24);
/// The time after which an approval without an outcome counts as interrupted. It is longer than an approval
/// may take.
const INTERRUPTED_AFTER: TimeDelta = TimeDelta::seconds(60);

/// The kind of change that a draft proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum DraftKind {
    Plan,
    Message,
    Intent,
    Report,
    Hide,
    Mute,
    Rollback,
    Announcement,
    Setting,
}

impl fmt::Display for DraftKind {
    /// Writes the name in JSON.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

impl DraftKind {
    /// Returns true if it is moderation, for which operators need the scope `moderate`.
    pub(crate) fn is_moderation(self) -> bool {
        matches!(self, Self::Hide | Self::Mute | Self::Rollback)
    }

    /// Returns true if only operators can do it.
    pub(crate) fn is_for_operators(self) -> bool {
        match self {
            Self::Plan | Self::Message | Self::Intent | Self::Report => false,
            Self::Hide | Self::Mute | Self::Rollback | Self::Announcement | Self::Setting => true,
        }
    }
}

/// The state of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum DraftState {
    /// It waits for a person.
    Pending,
    /// It is being carried out.
    Approving,
    Approved,
    Rejected,
    /// It was not decided within a day.
    Expired,
}

impl fmt::Display for DraftState {
    /// Writes the name in JSON.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

/// The person whose decision a draft waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum DraftDecider {
    /// The visitor to whom the guide has proposed it.
    Visitor,
    /// Any operator. The visitor can reject it.
    Operator,
}

/// A change that the guide proposes.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Draft {
    /// `draft_…`.
    pub id: String,
    pub kind: DraftKind,
    /// The change in one sentence.
    pub summary: String,
    /// The fields of the change, as in the body of the request that does it by hand.
    #[schema(value_type = Object)]
    pub change: Value,
    pub state: DraftState,
    /// The person who can approve it.
    pub decider: DraftDecider,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// The time of the decision; null while there is none.
    pub decided_at: Option<DateTime<Utc>>,
    /// The response to the approved change; null while it is not approved, and if the approval was
    /// interrupted before it was stored.
    #[schema(value_type = Option<Object>)]
    pub result: Option<Value>,
    /// The reason why the last approval was refused; null if none was.
    pub last_refusal: Option<String>,
}

/// A draft to propose.
#[derive(Clone, Debug)]
pub(crate) struct DraftProposal {
    pub kind: DraftKind,
    /// The fields of the change, as sent.
    pub change: serde_json::Map<String, Value>,
    /// The run of the turn that proposes it.
    pub run: TurnRun,
}

/// A run of the turn that answers a question.
#[derive(Clone, Copy, Debug)]
pub struct TurnRun {
    /// The number of the question in the database.
    pub question: i64,
    /// The number of the run, from 1.
    pub number: i32,
}

/// A draft as it is stored.
#[derive(Clone, Debug)]
struct StoredDraft {
    no: i64,
    owner: ConversationOwner,
    draft: Draft,
    claimed_at: Option<DateTime<Utc>>,
}

impl StoredDraft {
    /// Returns true if its approval has had no outcome for so long that none is to be expected.
    fn is_interrupted(&self, now: DateTime<Utc>) -> bool {
        self.claimed_at.is_some_and(|at| at <= now - INTERRUPTED_AFTER)
    }

    /// Returns the draft as it is now: an interrupted approval can be repeated, and what is too old has
    /// expired.
    fn seen_at(self, now: DateTime<Utc>) -> Draft {
        let waits = self.draft.state == DraftState::Pending || self.is_interrupted(now);
        let state = if !waits {
            self.draft.state
        } else if self.draft.expires_at <= now {
            DraftState::Expired
        } else {
            DraftState::Pending
        };
        Draft { state, ..self.draft }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use rules::numbers::AccountNo;

    fn stored(state: DraftState, claimed_at: Option<i64>) -> StoredDraft {
        let time = |second| DateTime::UNIX_EPOCH + TimeDelta::seconds(second);
        let draft = Draft {
            id: "draft_1".to_owned(),
            kind: DraftKind::Plan,
            summary: String::new(),
            change: json!({}),
            state,
            decider: DraftDecider::Visitor,
            created_at: time(0),
            expires_at: time(86_400),
            decided_at: None,
            result: None,
            last_refusal: None,
        };
        let owner = ConversationOwner::Account(AccountNo(1));
        let claimed_at = claimed_at.map(time);
        StoredDraft { no: 1, owner, draft, claimed_at }
    }

    #[test]
    fn a_draft_waits_until_it_expires_also_after_an_interrupted_approval() {
        let seen = |state, claimed_at, second| {
            stored(state, claimed_at).seen_at(DateTime::UNIX_EPOCH + TimeDelta::seconds(second)).state
        };
        assert_eq!(seen(DraftState::Pending, None, 86_399), DraftState::Pending);
        assert_eq!(seen(DraftState::Pending, None, 86_400), DraftState::Expired);
        assert_eq!(seen(DraftState::Approving, Some(10), 69), DraftState::Approving);
        assert_eq!(seen(DraftState::Approving, Some(10), 70), DraftState::Pending);
        assert_eq!(seen(DraftState::Approving, Some(86_399), 86_450), DraftState::Approving);
        assert_eq!(seen(DraftState::Approving, Some(86_399), 86_459), DraftState::Expired);
        assert_eq!(seen(DraftState::Approved, None, 100_000), DraftState::Approved);
    }

    #[test]
    fn kinds_and_states_have_the_names_that_json_has() {
        for kind in
            ["plan", "message", "intent", "report", "hide", "mute", "rollback", "announcement", "setting"]
        {
            let parsed: DraftKind = serde_json::from_value(json!(kind)).unwrap();
            assert_eq!(parsed.to_string(), kind);
        }
        for state in ["pending", "approving", "approved", "rejected", "expired"] {
            let parsed: DraftState = serde_json::from_value(json!(state)).unwrap();
            assert_eq!(parsed.to_string(), state);
        }
    }
}
