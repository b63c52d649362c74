//! Decisions on cases of reports: messages, a sanction, a rollback and an answer to those who reported, all
//! in one transaction, which can be undone as a whole within ten minutes.

pub(crate) mod decide;
mod measures;
mod store;
pub(crate) mod undo;

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::input::strict_json;
use platform::refusal::Refusal;
use rules::grid::Corners;
use rules::numbers::AccountNo;
use rules::sanctions::{Sanction, Sanctions};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::reports::review::ReportDecision;
use crate::rollback::ReasonClass;

/// The time within which a decision can be undone.
const UNDO_TIME: TimeDelta = TimeDelta::minutes(10);
/// The maximum number of messages that one decision hides.
const MAX_HIDDEN_MESSAGES: usize = 100;

/// `POST /api/admin/cases/{id}/decide`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideCaseBody {
    /// The ids of the messages to hide; none by default. Other open cases about them are closed, too.
    #[serde(default)]
    #[schema(max_items = 100)]
    pub hide: Vec<String>,
    /// The sanction; none by default.
    #[serde(default, deserialize_with = "strict_json::optional")]
    pub sanction: Option<SanctionMeasure>,
    /// The rollback; none by default.
    #[serde(default, deserialize_with = "strict_json::optional")]
    pub rollback: Option<RollbackMeasure>,
    /// `upheld` by default if there is a message to hide, a sanction or a rollback, else `rejected`.
    pub outcome: Option<ReportDecision>,
    /// A text that those who reported can read, in up to 500 characters; none by default.
    #[schema(min_length = 1)]
    pub reply: Option<String>,
    /// The reason for the audit log, in up to 500 characters. It is shown to a banned or muted account.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// The sanction of a decision.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SanctionMeasure {
    pub kind: SanctionKind,
    /// The end of a ban or a mute; null for none.
    pub until: Option<DateTime<Utc>>,
    /// The account: the author of the case by default, or another painter of the reported rectangle.
    pub agent_id: Option<String>,
}

/// The kind of a decision's sanction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SanctionKind {
    Ban,
    Mute,
    Shadow,
}

/// The rollback of a decision: the pixels of one account, so that those of others in the rectangle stay.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollbackMeasure {
    /// The account: the author of the case by default, or another painter of the reported rectangle.
    pub agent_id: Option<String>,
    /// The region, corners included; the reported rectangle by default, or the whole canvas without one.
    #[serde(default, deserialize_with = "strict_json::optional")]
    pub region: Option<Corners>,
    /// The start: an event's number, or a time; an hour before the oldest reported pixel of the account by
    /// default. Required if no rectangle was reported.
    pub from: Option<String>,
    /// The end: an event's number, or a time; now by default.
    pub to: Option<String>,
    /// The class of the reason, which the chat tells everyone; `other` by default.
    #[serde(default)]
    pub reason_class: ReasonClass,
}

/// A decision on a case.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CaseDecision {
    /// `decision_…`.
    pub id: String,
    /// The decided case, `report_…`.
    pub case: String,
    /// `upheld` or `rejected`.
    pub outcome: String,
    /// The other cases that were closed with it, because they are about messages that it hides: `report_…`.
    pub also_closed: Vec<String>,
    /// The ids of the messages that it has hidden, without those that were hidden before.
    pub hidden: Vec<String>,
    /// The change of an account's sanctions: the sanction, or the end of a shadow-ban that only rejected
    /// reports had caused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sanctions: Option<DecidedSanctions>,
    /// The rollback that it has begun, `rollback_…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollback: Option<String>,
    /// The text that those who reported can read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    pub decided_at: DateTime<Utc>,
    /// The time until which the whole decision can be undone.
    pub undo_until: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_at: Option<DateTime<Utc>>,
    /// The parts that stay although the decision is undone, each as a sentence.
    pub kept: Vec<String>,
}

/// The sanctions of an account before and after a decision.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DecidedSanctions {
    pub agent_id: String,
    pub before: Sanctions,
    pub after: Sanctions,
}

/// The response to a decision, and to undoing one.
#[derive(Debug, Serialize, ToSchema)]
pub struct DecisionResponse {
    pub success: bool,
    pub decision: CaseDecision,
}

impl CaseDecision {
    /// Returns true if the decision can be undone at this time.
    pub fn can_be_undone(&self, now: DateTime<Utc>) -> bool {
        self.undone_at.is_none() && now <= self.undo_until
    }
}

/// A decision with what is needed to undo it.
struct DecisionRecord {
    decision: CaseDecision,
    operator: String,
    /// The number of the decided case.
    case_no: i64,
    /// The numbers of all cases that were closed.
    cases: Vec<i64>,
    /// The ids of their messages that were folded.
    folded: Vec<String>,
    /// The numbers of the reports that ceased to count.
    held: Vec<i64>,
    sanction: Option<RecordedSanction>,
}

/// The sanction of a stored decision, beside the sanctions before and after it.
struct RecordedSanction {
    /// The account's number.
    account: AccountNo,
    kind: ChangeKind,
    /// The time up to which reports about the account had no weight before the decision.
    cleared_before: Option<DateTime<Utc>>,
}

/// A way in which a decision changes sanctions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
enum ChangeKind {
    Ban,
    Mute,
    Shadow,
    Unshadow,
}

impl ChangeKind {
    /// Returns the sanction that puts the changed fields back to what they were; `None` if it has not changed
    /// them.
    fn inverse(self, before: &Sanctions) -> Option<Sanction> {
        let reason = |reason: &Option<String>| reason.clone().unwrap_or_default();
        match self {
            Self::Ban => Some(match before.banned_until {
                Some(until) => Sanction::Ban { until, reason: reason(&before.ban_reason) },
                None => Sanction::Unban,
            }),
            Self::Mute => Some(match before.muted_until {
                Some(until) => Sanction::Mute { until, reason: reason(&before.mute_reason) },
                None => Sanction::Unmute,
            }),
            Self::Shadow => (!before.shadowed).then_some(Sanction::Unshadow),
            Self::Unshadow => Some(Sanction::Shadow),
        }
    }

    /// Returns true if the fields that it changes are the same in both.
    fn is_unchanged(self, one: &Sanctions, other: &Sanctions) -> bool {
        match self {
            Self::Ban => (one.banned_until, &one.ban_reason) == (other.banned_until, &other.ban_reason),
            Self::Mute => (one.muted_until, &one.mute_reason) == (other.muted_until, &other.mute_reason),
            Self::Shadow | Self::Unshadow => one.shadowed == other.shadowed,
        }
    }
}

/// Returns the decision with this id. `None` if it does not exist.
pub async fn find(state: &AppState, id: &str) -> Result<Option<CaseDecision>, Refusal> {
    Ok(store::find(&state.pool, id).await?.map(|record| record.decision))
}

/// Returns the latest decision that has closed the case with this id, if it can still be undone. `None` if
/// there is none.
pub async fn find_undoable(state: &AppState, case: &str) -> Result<Option<CaseDecision>, Refusal> {
    let Some(id) = store::find_latest_id(&state.pool, case).await? else { return Ok(None) };
    let now = state.clock.now();
    Ok(find(state, &id).await?.filter(|decision| decision.can_be_undone(now)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ada() -> Sanctions {
        Sanctions {
            name: "Ada".into(),
            banned_until: None,
            ban_reason: None,
            muted_until: None,
            mute_reason: None,
            shadowed: false,
        }
    }

    #[test]
    fn the_inverse_of_a_change_restores_what_was_before() {
        let ban = |seconds| Sanction::Ban {
            until: DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds),
            reason: format!("for {seconds} s"),
        };
        let mute = Sanction::Mute { until: DateTime::UNIX_EPOCH, reason: "noise".into() };
        let banned = ban(1).apply_to(&ada());
        let shadowed = Sanction::Shadow.apply_to(&ada());
        for (kind, change, before) in [
            (ChangeKind::Ban, ban(2), ada()),
            (ChangeKind::Ban, ban(2), banned),
            (ChangeKind::Mute, mute, ada()),
            (ChangeKind::Shadow, Sanction::Shadow, ada()),
            (ChangeKind::Unshadow, Sanction::Unshadow, shadowed.clone()),
        ] {
            let after = change.apply_to(&before);
            assert!(!kind.is_unchanged(&before, &after) && kind.is_unchanged(&after, &after), "{kind:?}");
            assert_eq!(kind.inverse(&before).unwrap().apply_to(&after), before, "{kind:?}");
        }
        assert!(ChangeKind::Shadow.inverse(&shadowed).is_none(), "reports had shadow-banned it before");
    }
}
