//! A plan as it is stored, and its public change.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{PlanState, Progress, Target};
use crate::audience::Audience;
use crate::grid::Size;
use crate::numbers::{AccountNo, Seq};

/// A plan as it is stored.
#[derive(Clone, Debug)]
pub struct PlanRecord {
    /// The number of the event that opened it; negative for a plan that not everyone can see, which has no
    /// event.
    pub no: i64,
    /// `plan_…`.
    pub id: String,
    /// The number of the event that opened its season.
    pub season: Seq,
    pub author: PlanAuthor,
    /// `None` if it belongs to no crew.
    pub crew: Option<Arc<PlanCrew>>,
    /// Increases with each change of the fields below, up to the end of the plan's life.
    pub version: i32,
    pub title: String,
    pub note: Option<String>,
    pub target: Arc<Target>,
    /// The number of the event that set the picture and its place.
    pub target_seq: Seq,
    pub created_at: DateTime<Utc>,
    /// The time until which its changes count for the limit: each counts for [`PLAN_CHANGE_INTERVAL`], one
    /// after the other. `None` if there was none.
    ///
    /// [`PLAN_CHANGE_INTERVAL`]: super::PLAN_CHANGE_INTERVAL
    pub changes_until: Option<DateTime<Utc>>,
    pub expires_at: DateTime<Utc>,
    /// The first time at which all pixels of the picture were right; `None` before.
    pub finished_at: Option<DateTime<Utc>>,
    /// The state in the newest event of the plan.
    pub told_state: PlanState,
    /// True if a system message has announced that the plan is finished. There is one such message at most.
    pub is_announced: bool,
    /// True if operators have taken it down.
    pub is_hidden: bool,
    /// The readers of these values: the author alone for a plan of a shadow-banned author, and for the values
    /// that only the author sees of a public plan.
    pub audience: Audience,
    /// True if only the members of its crew can see it.
    pub is_private: bool,
    /// The changes of a plan that others see, too, by its shadow-banned author, who alone sees them; `None`
    /// for most.
    pub shadow_change: Option<Arc<ShadowPlanChange>>,
    /// The changes of this version by shadow-banned members of its crew, by their numbers: each member sees
    /// its own. Empty for most.
    pub member_changes: BTreeMap<AccountNo, Arc<ShadowPlanChange>>,
    /// `None` if the plan has not ended.
    pub end: Option<PlanEnd>,
}

/// The values of a plan that a shadow-banned account sees in place of those that everyone else sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShadowPlanChange {
    version: i32,
    title: String,
    note: Option<String>,
    x: i64,
    y: i64,
    rows: Vec<String>,
    target_seq: Seq,
    changes_until: Option<DateTime<Utc>>,
    expires_at: DateTime<Utc>,
}

/// The crew of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanCrew {
    /// `crew_…`.
    pub id: String,
    /// The numbers of its members when the plan was read; none if the crew was taken down.
    pub members: Vec<AccountNo>,
}

/// The author of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanAuthor {
    /// The number in the database.
    pub no: AccountNo,
    /// `agent_…` or `viewer_…`; the id of the operators' account for a plan by operators.
    pub id: Arc<str>,
    pub name: Arc<str>,
}

/// The end of a plan, with its last progress.
#[derive(Clone, Debug)]
pub struct PlanEnd {
    pub at: DateTime<Utc>,
    pub progress: Progress,
    pub helpers: Vec<HelperPixels>,
}

/// The pixels of a painter that are right in the picture of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelperPixels {
    /// The painter's number.
    pub painter: AccountNo,
    /// The number of its pixels.
    pub pixels: usize,
}

/// A plan with its progress.
#[derive(Clone, Debug, Serialize)]
pub struct PlanView {
    #[serde(skip)]
    pub record: Arc<PlanRecord>,
    pub state: PlanState,
    pub progress: Progress,
    /// The painters whose pixels are right, those with the most pixels first.
    pub helpers: Vec<HelperPixels>,
}

impl PlanRecord {
    /// Returns true if the plan has neither ended nor been taken down. Its time may have passed.
    pub fn is_live(&self) -> bool {
        self.end.is_none() && !self.is_hidden
    }

    /// Returns the number of the event that opened it. A plan that not everyone can see has none, so it
    /// counts from its picture.
    pub fn opened_seq(&self) -> Seq {
        if self.no > 0 { Seq(self.no) } else { self.target_seq }
    }

    /// Returns true if everyone can see the plan, unless it was taken down. Only such plans have events and
    /// are in memory.
    pub fn is_public(&self) -> bool {
        self.audience.is_everyone() && !self.is_private
    }

    /// Returns true if an account was a member of the plan's crew when the plan was read.
    pub fn has_crew_member(&self, account: AccountNo) -> bool {
        self.crew.as_ref().is_some_and(|crew| crew.members.contains(&account))
    }

    /// Returns true if the account with this number can see the plan; `None` for a caller without an account.
    /// Rights of operators are not considered. A private plan must have been read just now, because its crew
    /// may change.
    pub fn is_visible_to(&self, account: Option<AccountNo>) -> bool {
        let is_member = account.is_some_and(|account| self.has_crew_member(account));
        !self.is_hidden && self.audience.is_seen_by(account) && (!self.is_private || is_member)
    }

    /// Returns the plan as an account sees it. While its author or a member of its crew is shadow-banned and
    /// the plan has not ended, that account alone sees the changes that it has made during the ban, also when
    /// it has left the crew.
    pub fn as_seen_by(self: &Arc<Self>, account: AccountNo, is_shadowed: bool) -> Arc<Self> {
        let change = if account == self.author.no {
            self.shadow_change.as_ref()
        } else {
            self.member_changes.get(&account)
        };
        let change = change.filter(|_| is_shadowed && self.end.is_none());
        change.and_then(|change| change.apply_to(self, account)).map_or_else(|| self.clone(), Arc::new)
    }

    /// Returns the plan with the changes of an account that alone sees them, given the plan as the account is
    /// to see it.
    #[must_use]
    pub fn with_own_change(&self, account: AccountNo, seen: &Self) -> Self {
        let change = Arc::new(ShadowPlanChange::from_seen(seen));
        let mut changed = self.clone();
        if account == self.author.no {
            changed.shadow_change = Some(change);
        } else {
            changed.member_changes.insert(account, change);
        }
        changed
    }

    /// Returns the state of the plan with this progress. Damage does not open a finished plan again.
    pub fn state_with(&self, progress: Progress, now: DateTime<Utc>) -> PlanState {
        match (&self.end, progress.left) {
            (Some(_), _) => self.told_state,
            (None, 0) => PlanState::Finished,
            (None, _) if self.finished_at.is_some() => PlanState::Finished,
            (None, _) if self.expires_at <= now => PlanState::Expired,
            (None, _) => PlanState::Open,
        }
    }

    /// Returns true if both are the same plan after the same change.
    pub fn is_as_changed(&self, other: &Self) -> bool {
        let state = |plan: &Self| (plan.version, plan.told_state, plan.is_hidden, plan.finished_at);
        let has_same_own_changes =
            self.shadow_change == other.shadow_change && self.member_changes == other.member_changes;
        self.id == other.id && state(self) == state(other) && has_same_own_changes
    }

    /// Returns true if the plan has ended, or its time has passed.
    pub fn has_ended(&self, now: DateTime<Utc>) -> bool {
        self.end.is_some() || self.expires_at <= now
    }
}

impl ShadowPlanChange {
    /// Returns the values that `seen` has.
    fn from_seen(seen: &PlanRecord) -> Self {
        let corners = seen.target.area().corners();
        Self {
            version: seen.version,
            title: seen.title.clone(),
            note: seen.note.clone(),
            x: corners.x1,
            y: corners.y1,
            rows: seen.target.to_rows(),
            target_seq: seen.target_seq,
            changes_until: seen.changes_until,
            expires_at: seen.expires_at,
        }
    }

    /// Returns the plan as the account sees it; `None` if the row was damaged outside of this program.
    fn apply_to(&self, record: &PlanRecord, account: AccountNo) -> Option<PlanRecord> {
        // The canvas of its season may have been larger than the present one.
        let everywhere = Size { width: u16::MAX, height: u16::MAX };
        let target = Target::parse(everywhere, self.x, self.y, &self.rows).ok()?;
        Some(PlanRecord {
            version: self.version,
            title: self.title.clone(),
            note: self.note.clone(),
            target: target.into(),
            target_seq: self.target_seq,
            changes_until: self.changes_until,
            expires_at: self.expires_at,
            // Only the picture that everyone sees is known to be finished.
            finished_at: record.finished_at.filter(|_| record.target_seq == self.target_seq),
            audience: Audience::Author(account),
            ..record.clone()
        })
    }
}

/// A change of a plan: it was opened, changed, finished or ended.
#[derive(Clone, Debug, Serialize)]
pub struct PlanChange {
    pub seq: Seq,
    pub plan_id: String,
    pub state: PlanState,
    pub version: i32,
    /// The plan as of this event or a later one.
    #[serde(skip)]
    pub record: Arc<PlanRecord>,
}
