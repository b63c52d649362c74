//! Cases and the reports of which they consist.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Something that was reported, once for all who reported it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportCase {
    /// `report_…`.
    pub id: String,
    /// `message`, `name` or `canvas`.
    pub kind: String,
    /// The message's or the agent's id, or the rectangle as `x1,y1,x2,y2`.
    pub target: String,
    /// Who said it, has the name, or painted most of the rectangle.
    pub author_id: Option<String>,
    pub author_name: Option<String>,
    /// Whether it counts against its author before anybody has looked.
    pub counts: bool,
    pub opened_at: DateTime<Utc>,
    /// How many have reported it.
    pub reports: i64,
    pub closed_at: Option<DateTime<Utc>>,
    pub closed_by: Option<String>,
    /// `upheld` or `rejected`; null until it is decided.
    pub outcome: Option<String>,
    /// Why it was decided so.
    pub answer: Option<String>,
}

/// A report's sender, as it is stored.
pub struct ReportSender {
    /// The agent's or the viewer's number.
    pub agent: Option<i64>,
    /// What stands for an address.
    pub address: Option<Vec<u8>>,
    /// Keyed hash of the network that the report is sent from.
    pub network: Option<Vec<u8>>,
    /// Keyed hash of the network that the account was registered from.
    pub registered_network: Option<Vec<u8>>,
    /// In tenths of a full voice, before history and kind of target.
    pub trust: i64,
    /// How many rejected reports lower the weight.
    pub rejected: usize,
    pub weight: i64,
    pub owner: Vec<u8>,
}

/// What is kept of what was reported.
pub struct Evidence {
    /// Whom it falls back on: a number.
    pub author: Option<i64>,
    /// Whether it may count against the author without anybody having looked.
    pub counts: bool,
    pub json: Value,
}
