//! The operator and the reason that an entry of the audit log gets.

use platform::refusal::{InputError, InputErrorKind, Refusal};
use text_filters::content;
use text_filters::text_limits::MAX_REASON_CHARS;

use super::audit_entry::AuditEntry;

/// The operator and the reason of a change, for the audit log.
#[derive(Clone, Debug)]
pub struct AuditReason {
    /// The name of the operator, with a key that of the key, too; or `command line`, `schedule` or `reports`.
    pub operator: String,
    pub reason: String,
    /// The guide's draft that the operator has approved; `None` for a change by hand.
    pub draft_id: Option<String>,
}

impl AuditReason {
    /// Returns the operator with the reason.
    ///
    /// # Errors
    /// `Input` if the reason has no visible character or is too long.
    pub fn new(operator: &str, reason: &str) -> Result<Self, Refusal> {
        Ok(Self::by(operator, parse_reason("reason", reason)?))
    }

    /// Returns the operator with a reason that is not an operator's text.
    pub fn by(operator: &str, reason: impl Into<String>) -> Self {
        Self { operator: operator.to_owned(), reason: reason.into(), draft_id: None }
    }

    /// Adds the guide's draft that the operator has approved.
    #[must_use]
    pub fn with_draft(self, draft_id: &str) -> Self {
        Self { draft_id: Some(draft_id.to_owned()), ..self }
    }

    /// Returns the operator with the reason of a ban or a mute: `why` if it is given, else the reason that
    /// the account is shown.
    ///
    /// # Errors
    /// `Input` if both are missing, or if the text has no visible character or is too long.
    pub fn for_sanction(operator: &str, shown: Option<&str>, why: Option<&str>) -> Result<Self, Refusal> {
        let missing = || InputError::for_field(InputErrorKind::Missing, "reason", "Missing field `reason`.");
        Self::new(operator, why.or(shown).ok_or_else(missing)?)
    }

    /// Returns an audit entry with this operator and reason.
    pub fn audit_entry(
        &self,
        action: &'static str,
        subject: &str,
        before: serde_json::Value,
        after: serde_json::Value,
    ) -> AuditEntry {
        let Self { operator, reason, draft_id } = self.clone();
        AuditEntry { operator, action, subject: subject.to_owned(), reason, before, after, draft_id }
    }
}

/// Returns a reason in the form in which it is stored. `None` if it has no visible character or is too long.
pub fn clean_reason(raw: &str) -> Option<String> {
    let text = content::clean(raw).ok()?;
    (1..=MAX_REASON_CHARS).contains(&text.chars().count()).then_some(text)
}

/// Parses the text of an operator's reason or answer.
///
/// # Errors
/// `Input` if it has no visible character or is too long.
pub fn parse_reason(field: &'static str, raw: &str) -> Result<String, Refusal> {
    let detail = || format!("{field} must have 1 to {MAX_REASON_CHARS} visible characters.");
    clean_reason(raw).ok_or_else(|| Refusal::invalid(field, detail()))
}
