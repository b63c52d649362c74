//! Alerts about many reports against one account. Each is counted and logged once, without texts, and shown
//! to operators until the reports are decided.

use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use platform::telemetry::METRICS;
use rules::numbers::AccountNo;
use rules::reports::WeightedReport;
use rules::reports::alert::{AlertReason, alert_reason};
use rules::reports::networks::group_by_keys;
use serde::Serialize;
use sqlx::PgConnection;
use utoipa::ToSchema;

use super::store;

/// Reports against one account that caused no sanction, but are many or come from reporters with low weight.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportAlert {
    /// The account that was reported.
    pub agent_id: String,
    pub agent_name: String,
    /// `many`: more than 10 reports within an hour. `discounted`: enough for a shadow-ban if each had full
    /// weight.
    pub cause: String,
    /// Undecided reports within 24 hours.
    pub reports: i64,
    /// The number of separate networks that the reports come from.
    pub networks: i64,
    pub raised_at: DateTime<Utc>,
    /// The time of the newest report.
    pub newest_at: DateTime<Utc>,
}

/// A new alert, for the log and the metrics.
pub(super) struct RaisedAlert {
    agent: String,
    cause: AlertReason,
    reports: i32,
    networks: i32,
}

impl RaisedAlert {
    /// Counts and logs the alert. Call this after the alert is committed.
    pub(super) fn record(&self) {
        let Self { agent, cause, reports, networks } = self;
        tracing::warn!(
            agent,
            cause = cause.name(),
            reports,
            networks,
            "reports against one account raise an alert"
        );
        let counter = match cause {
            AlertReason::Many => &METRICS.moderation.alerts_many,
            AlertReason::Discounted => &METRICS.moderation.alerts_discounted,
        };
        counter.inc();
    }
}

/// Raises or renews the alert about the open reports against an account, if there is cause for one. Returns
/// the alert if it is new. The caller must have locked the reports about the account.
pub(super) async fn raise_or_renew(
    state: &AppState,
    connection: &mut PgConnection,
    author: AccountNo,
    reports: &[WeightedReport],
) -> Result<Option<RaisedAlert>, Refusal> {
    let Some(cause) = alert_reason(reports, state.clock.now()) else { return Ok(None) };
    let mut groups = group_by_keys(&reports.iter().map(WeightedReport::keys).collect::<Vec<_>>());
    groups.sort_unstable();
    groups.dedup();
    let to_i32 = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    let reports = to_i32(reports.len());
    let networks = to_i32(groups.len());
    let offset = state.clock.offset();
    if !store::report_alerts::raise_or_renew(connection, author, cause.name(), reports, networks, offset)
        .await?
    {
        return Ok(None);
    }
    let agent = store::reports::find_account_id(&mut *connection, author).await?.unwrap_or_default();
    Ok(Some(RaisedAlert { agent, cause, reports, networks }))
}

/// Returns the open alerts, newest first.
pub async fn list_open(state: &AppState) -> Result<Vec<ReportAlert>, Refusal> {
    Ok(store::report_alerts::list_open(&state.pool, None).await?)
}

/// Counts the cases and appeals that wait for an operator, for the metrics.
pub async fn count_waiting(state: &AppState) -> Result<(), sqlx::Error> {
    let waiting = store::report_alerts::count_waiting(&state.pool, state.clock.offset()).await?;
    let metrics = &METRICS.moderation;
    metrics.waiting.set(waiting.cases);
    metrics.oldest.set(waiting.oldest_case_seconds);
    metrics.appeals_waiting.set(waiting.appeals);
    Ok(())
}
