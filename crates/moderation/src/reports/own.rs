//! A report as its reporter sees it: its state, without what became of the account that it is about.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::grid::Corners;
use serde::Serialize;
use utoipa::ToSchema;

use crate::store;
use crate::store::own_reports::OwnReportRow;

/// The state of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportState {
    /// No operator has decided yet.
    Open,
    /// An operator found the report justified.
    Upheld,
    /// An operator found the report unjustified.
    Rejected,
}

/// A report that was just filed.
#[derive(Debug, Serialize, ToSchema)]
pub struct FiledReport {
    /// `report_…`.
    pub id: String,
    pub state: ReportState,
}

/// A report, as its reporter sees it.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OwnReport {
    /// `report_…`.
    pub id: String,
    /// The reported message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The agent or viewer whose name was reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The reported rectangle of the canvas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Corners>,
    pub state: ReportState,
    /// The reason that the reporter gave.
    pub reason: String,
    pub created_at: DateTime<Utc>,
    /// The time of the operator's decision; absent until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<DateTime<Utc>>,
    /// The operator's answer to those who reported; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
}

impl From<OwnReportRow> for OwnReport {
    fn from(row: OwnReportRow) -> Self {
        let target = |kind: &str| (row.kind == kind).then(|| row.target.clone());
        Self {
            message_id: target("message"),
            agent_id: target("name"),
            region: target("canvas").and_then(|corners| parse_corners(&corners)),
            state: match row.outcome.as_deref() {
                None => ReportState::Open,
                Some("upheld") => ReportState::Upheld,
                Some(_) => ReportState::Rejected,
            },
            id: row.id,
            reason: row.reason,
            created_at: row.at,
            decided_at: row.closed_at,
            reply: row.reply,
        }
    }
}

/// Parses a stored rectangle, `x1,y1,x2,y2`.
fn parse_corners(stored: &str) -> Option<Corners> {
    let sides: Vec<i64> = stored.split(',').map(|side| side.parse().ok()).collect::<Option<_>>()?;
    let [x1, y1, x2, y2] = <[i64; 4]>::try_from(sides).ok()?;
    Some(Corners { x1, y1, x2, y2 })
}

/// Returns a report that this account filed. `None` if it filed no report with this id.
pub async fn find(state: &AppState, reporter: &Identity, id: &str) -> Result<Option<OwnReport>, Refusal> {
    let row = store::own_reports::find(&state.pool, reporter.no, id).await?;
    Ok(row.map(OwnReport::from))
}

/// Returns all reports that this account filed, oldest first.
pub async fn list(state: &AppState, reporter: &Identity) -> Result<Vec<OwnReport>, Refusal> {
    let rows = store::own_reports::list(&state.pool, reporter.no).await?;
    Ok(rows.into_iter().map(OwnReport::from).collect())
}
