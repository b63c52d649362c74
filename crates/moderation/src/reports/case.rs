//! Report cases and their reports.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The kinds of targets that can be reported.
pub const CASE_KINDS: [&str; 3] = ["message", "name", "canvas"];

/// A reported target, with all reports about it in one case.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportCase {
    /// `report_…`.
    pub id: String,
    /// `message`, `name` or `canvas`.
    pub kind: String,
    /// The message's or the account's id, or the region as `x1,y1,x2,y2`.
    pub target: String,
    /// The author of the message, the owner of the name, or the painter of most of the region.
    pub author_id: Option<String>,
    pub author_name: Option<String>,
    /// True if reports may cause a shadow-ban of the author before an operator has decided.
    pub counts: bool,
    pub opened_at: DateTime<Utc>,
    /// The number of reports.
    pub reports: i64,
    /// The number of other cases about the author that were upheld.
    pub author_upheld: i64,
    pub closed_at: Option<DateTime<Utc>>,
    pub closed_by: Option<String>,
    /// `upheld` or `rejected`; null until it is decided.
    pub outcome: Option<String>,
    /// The operator's reason for the decision.
    pub answer: Option<String>,
}

/// The conditions of a list of cases.
#[derive(Clone, Copy, Debug)]
pub struct CaseFilter<'a> {
    /// True for the undecided cases, false for the decided ones.
    pub is_open: bool,
    /// One of [`CASE_KINDS`].
    pub kind: Option<&'a str>,
    /// The id or the name of the author.
    pub author: Option<&'a str>,
    /// The smallest number of hours since the first report.
    pub min_age_hours: Option<i64>,
}

impl CaseFilter<'_> {
    /// Returns the filter of all undecided cases, or of all decided ones.
    pub fn all(is_open: bool) -> Self {
        Self { is_open, kind: None, author: None, min_age_hours: None }
    }
}

/// The open cases beside a case, in the order of the list.
#[derive(Debug, Default)]
pub struct QueueNeighbours {
    /// The id of the next older one; `None` if it is the oldest.
    pub next: Option<String>,
    /// The id of the next newer one; `None` if it is the newest.
    pub previous: Option<String>,
}

/// The sender of a report and its weight, as stored.
pub(crate) struct ReportSender {
    /// The agent's or the viewer's number.
    pub agent: Option<AccountNo>,
    /// Keyed hash that stands for the sender's address.
    pub address: Option<Vec<u8>>,
    /// Keyed hash of the network that the report is sent from.
    pub network: Option<Vec<u8>>,
    /// Keyed hash of the network that the account was registered from.
    pub registered_network: Option<Vec<u8>>,
    /// The trust in the sender, in tenths of a full report. History and kind of target are not included.
    pub trust: i64,
    /// The number of rejected reports that lower the weight.
    pub rejected: usize,
    pub weight: i64,
    pub owner: Vec<u8>,
}

/// The stored evidence of a report.
pub(crate) struct Evidence {
    /// The number of the account that is reported.
    pub author: Option<AccountNo>,
    /// True if reports may count against the author before an operator has decided.
    pub counts: bool,
    pub json: Value,
}
