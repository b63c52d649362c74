//! Entries of the audit log.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// An entry for the audit log.
#[derive(Clone, Debug)]
pub struct AuditEntry {
    /// The name of the operator, with a key that of the key, too; or `command line`, `schedule` or `reports`.
    pub operator: String,
    /// The action in one word, as in `ban` or `hide`.
    pub action: &'static str,
    /// The id of the account, message or other subject.
    pub subject: String,
    /// The reason that the operator gave.
    pub reason: String,
    /// The state before the action.
    pub before: Value,
    /// The state after the action.
    pub after: Value,
    /// The guide's draft that the operator has approved or rejected; `None` for an action without one.
    pub draft_id: Option<String>,
}

/// The kind of actor behind an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum AuditActorKind {
    /// An operator acted by hand.
    Operator,
    /// The server acted by itself: after reports, or by schedule.
    Automatic,
    /// The guide proposed it in a draft, on which an operator decided.
    Guide,
}

impl AuditActorKind {
    /// Returns the name of the kind, as it is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Automatic => "automatic",
            Self::Guide => "guide",
        }
    }
}

/// The operator's name in the audit log for automatic sanctions after reports.
pub const REPORTS_OPERATOR: &str = "reports";
/// The operator's name in the audit log for what happens at a scheduled time.
pub const SCHEDULE_OPERATOR: &str = "schedule";

impl AuditEntry {
    /// Returns the kind of actor behind the action.
    pub fn actor_kind(&self) -> AuditActorKind {
        match self.operator.as_str() {
            _ if self.draft_id.is_some() => AuditActorKind::Guide,
            REPORTS_OPERATOR | SCHEDULE_OPERATOR => AuditActorKind::Automatic,
            _ => AuditActorKind::Operator,
        }
    }
}
