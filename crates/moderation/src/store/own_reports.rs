//! The SQL of reports as their reporters see them.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::PgPool;

use super::Result;

/// A report with the state of its case.
pub struct OwnReportRow {
    pub id: String,
    pub kind: String,
    pub target: String,
    pub reason: String,
    pub at: DateTime<Utc>,
    pub outcome: Option<String>,
    pub closed_at: Option<DateTime<Utc>>,
    pub reply: Option<String>,
}

/// Returns all reports that an account filed, oldest first.
pub async fn list(pool: &PgPool, reporter: AccountNo) -> Result<Vec<OwnReportRow>> {
    let statement = sqlx::query_as!(
        OwnReportRow,
        r#"select c.id, c.kind, c.target, r.reason, r.at, c.outcome, c.closed_at, c.reply
           from report_case c join report r on r.case_no = c.no
           where r.agent = $1 order by r.no"#,
        reporter as _
    );
    statement.fetch_all(pool).await
}

/// Returns the report that an account filed in the case with this id.
pub async fn find(pool: &PgPool, reporter: AccountNo, id: &str) -> Result<Option<OwnReportRow>> {
    let statement = sqlx::query_as!(
        OwnReportRow,
        r#"select c.id, c.kind, c.target, r.reason, r.at, c.outcome, c.closed_at, c.reply
           from report_case c join report r on r.case_no = c.no
           where c.id = $2 and r.agent = $1"#,
        reporter as _,
        id
    );
    statement.fetch_optional(pool).await
}
