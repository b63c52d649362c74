//! The filter of the audit log.

use chrono::{DateTime, Utc};

/// The entries of the audit log that are wanted; by default all.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// The operator, exactly as the entries name it; `None` for all.
    pub operator: Option<String>,
    /// The action; `None` for all.
    pub act: Option<String>,
    /// The id of the subject, or the id or name of an account that the entries are about; `None` for all.
    pub subject: Option<String>,
    /// The time of the oldest entry; `None` for no bound.
    pub since: Option<DateTime<Utc>>,
    /// The time of the newest entry; `None` for no bound.
    pub until: Option<DateTime<Utc>>,
}

impl AuditFilter {
    /// Returns the filter for one subject.
    pub fn for_subject(subject: &str) -> Self {
        Self { subject: Some(subject.to_owned()), ..Self::default() }
    }
}
