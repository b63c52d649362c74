//! Report cases for operators: lists, details and decisions.

use caraplace_accounts::agents::accounts;
use caraplace_log::audit_entry::REPORTS_OPERATOR;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use caraplace_log::{audit, control};
use chrono::{DateTime, TimeDelta, Utc};
use platform::database;
use platform::refusal::Refusal;
use rules::reports::explanation::{WeightFacts, explain_weight};
use rules::reports::networks::group_by_keys;
use rules::reports::offenders::weight_against;
use rules::reports::{FULL_WEIGHT, REPORT_LIFETIME, combined_weight, still_justified};
use rules::rights::PERMANENT;
use rules::sanctions::{Sanction, Sanctions};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::PgConnection;
use utoipa::ToSchema;

use super::alerts::{self, ReportAlert};
use super::authors::{AuthorHistory, find_history};
use super::case::{CaseFilter, ReportCase};
use super::{folding, private_evidence, sanctions, store};
use crate::sanctions::ChangedSanctions;
use crate::store::reports::FiledReportRow;

/// The maximum number of reports of one case in a response.
const MAX_LISTED_REPORTS: i64 = 500;

/// An operator's decision on a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportDecision {
    /// The reports are justified.
    Upheld,
    /// The reports are not justified. A shadow-ban that only they caused is lifted.
    Rejected,
}

impl ReportDecision {
    /// Returns the name of the outcome, as it is stored.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Upheld => "upheld",
            Self::Rejected => "rejected",
        }
    }
}

/// A page of report cases.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportCaseList {
    /// Newest first.
    pub reports: Vec<ReportCase>,
    /// The `before` of the next page with older cases; null on the last page.
    pub next_before: Option<String>,
    /// Accounts with many reports, or with reports of low weight, on which no sanction was applied.
    pub alerts: Vec<ReportAlert>,
}

/// One report of a case.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportDetails {
    pub at: DateTime<Utc>,
    pub reason: String,
    /// The weight of the report; 1 is a full report.
    pub weight: f64,
    /// True if the report can count against the account.
    pub counts: bool,
    /// The reason for this weight, in plain words.
    pub explanation: String,
    /// The number of the reporter's network among those of this case, from 1.
    pub network: i64,
    /// Null if the reporter has no account.
    pub agent_id: Option<String>,
    pub agent_name: Option<String>,
}

/// A report case with everything an operator needs to decide it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportCaseDetails {
    #[serde(flatten)]
    pub case: ReportCase,
    /// The state at the first report: a message with its neighbours, a profile, or the painter and time of
    /// each pixel. For a crew or direct message also the crew or the participants; each look at one that not
    /// everyone could read is an entry of the audit log.
    #[schema(value_type = Object)]
    pub evidence: Value,
    /// Oldest first.
    pub told: Vec<ReportDetails>,
    /// The sanctions currently applied to the author.
    pub standing: Option<Sanctions>,
    /// The weight of all undecided reports against the author within 24 hours, doubled if reports about the
    /// author were upheld within 90 days; 3 causes an automatic shadow-ban.
    pub weight: f64,
    /// True if the case is about a message that is folded until the case is decided.
    pub folded: bool,
    /// The alert about the author's reports, if one is open.
    pub alert: Option<ReportAlert>,
    #[serde(flatten)]
    pub history: AuthorHistory,
}

/// Returns the cases before a given one that meet the conditions, newest first. An unknown author has none.
pub async fn page(
    state: &AppState,
    filter: &CaseFilter<'_>,
    before: Option<&str>,
    limit: i64,
) -> Result<ReportCaseList, Refusal> {
    let mut reports = list_cases(state, filter, before, limit + 1).await?;
    let has_more = reports.len() as i64 > limit;
    reports.truncate(limit as usize);
    let next_before = reports.last().filter(|_| has_more).map(|case| case.id.clone());
    Ok(ReportCaseList { next_before, reports, alerts: alerts::list_open(state).await? })
}

/// Returns the cases of [`page`].
async fn list_cases(
    state: &AppState,
    filter: &CaseFilter<'_>,
    before: Option<&str>,
    limit: i64,
) -> Result<Vec<ReportCase>, Refusal> {
    let author = match filter.author {
        Some(author) => match accounts::find_id(state, author).await? {
            Some(id) => Some(id),
            None => return Ok(Vec::new()),
        },
        None => None,
    };
    // The author is given by its id from here on.
    let filter = CaseFilter { author: author.as_deref(), ..*filter };
    let opened_before = filter.min_age_hours.map(|hours| state.clock.now() - TimeDelta::hours(hours));
    Ok(store::reports::list_cases(&state.pool, &filter, opened_before, before, limit).await?)
}

/// Returns a case with its evidence. `None` if it does not exist. If the evidence is from a private
/// conversation, the operator's look at it is recorded in the audit log first.
pub async fn find(state: &AppState, operator: &str, id: &str) -> Result<Option<ReportCaseDetails>, Refusal> {
    let Some(case) = store::reports::find_case(&state.pool, id).await? else { return Ok(None) };
    let Some(stored) = store::reports::find_case_evidence(&state.pool, id).await? else { return Ok(None) };
    if private_evidence::is_private(&stored.evidence) {
        record_look(state, operator, &case).await?;
    }
    let mut weight = 0;
    let mut is_repeat_offender = false;
    let mut sanctions = None;
    let mut alert = None;
    let mut history = AuthorHistory::default();
    if let (Some(author), Some(author_id)) = (stored.author, &case.author_id) {
        let since = state.clock.now() - REPORT_LIFETIME;
        let open_reports = store::reports::list_weighted(&state.pool, author, None, since, PERMANENT).await?;
        is_repeat_offender = super::is_repeat_offender(state, &state.pool, author).await?;
        weight = weight_against(combined_weight(&open_reports), is_repeat_offender);
        sanctions = store::sanctions::find(&mut *state.pool.acquire().await?, author_id).await?;
        alert = store::report_alerts::list_open(&state.pool, Some(author)).await?.pop();
        history = find_history(state, author, author_id, stored.no).await?;
    }
    Ok(Some(ReportCaseDetails {
        told: explain_reports(
            &case,
            store::reports::list_reports(&state.pool, stored.no, MAX_LISTED_REPORTS).await?,
            is_repeat_offender,
        ),
        folded: case.kind == "message" && store::folding::is_folded(&state.pool, &case.target).await?,
        alert,
        history,
        evidence: stored.evidence,
        standing: sanctions.map(|(_, sanctions)| sanctions),
        weight: weight as f64 / FULL_WEIGHT as f64,
        case,
    }))
}

/// Records that an operator reads a reported private conversation.
async fn record_look(state: &AppState, operator: &str, case: &ReportCase) -> Result<(), Refusal> {
    let looked_at = json!({"message_id": case.target});
    let reason = AuditReason::by(operator, "A report of the conversation was opened.");
    let entry = reason.audit_entry("read_reported_conversation", &case.id, json!(null), looked_at);
    let mut transaction = state.pool.begin().await?;
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    database::commit(transaction).await
}

/// Returns the reports of a case, each with an explanation of its weight.
fn explain_reports(
    case: &ReportCase,
    reports: Vec<FiledReportRow>,
    is_repeat_offender: bool,
) -> Vec<ReportDetails> {
    let groups = group_by_keys(&reports.iter().map(FiledReportRow::keys).collect::<Vec<_>>());
    let mut distinct_groups = groups.clone();
    distinct_groups.sort_unstable();
    distinct_groups.dedup();
    let explain = |(report, group): (FiledReportRow, &usize)| {
        let other_reports_in_group = groups.iter().filter(|other| *other == group).count() - 1;
        let network =
            distinct_groups.iter().position(|distinct| distinct == group).unwrap_or_default() as i64 + 1;
        let facts = WeightFacts {
            has_key: report.agent_id.is_some(),
            trust: report.trust.into(),
            rejected: report.rejected.into(),
            is_name: case.kind == "name",
            is_evidence: case.counts && report.is_evidence,
            is_covered_by_rejection: report.is_held,
            same_network_reports: other_reports_in_group,
            is_repeat_offender,
        };
        explain_report(&facts, report, network)
    };
    reports.into_iter().zip(&groups).map(explain).collect()
}

fn explain_report(facts: &WeightFacts, report: FiledReportRow, network: i64) -> ReportDetails {
    ReportDetails {
        at: report.at,
        reason: report.reason,
        weight: f64::from(report.weight) / FULL_WEIGHT as f64,
        counts: facts.is_evidence && !facts.is_name && !facts.is_covered_by_rejection,
        explanation: explain_weight(facts),
        network,
        agent_id: report.agent_id,
        agent_name: report.agent_name,
    }
}

/// Closes a case with a decision. `None` if it does not exist. A closed case is returned unchanged.
pub(crate) async fn close(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &str,
    decision: ReportDecision,
) -> Result<Option<ReportCase>, Refusal> {
    let mut transaction = state.pool.begin().await?;
    control::lock_head(&mut transaction).await?;
    let closed = close_in_transaction(state, &mut transaction, audit_reason, id, decision).await?;
    if let Some(ClosedCase { author, lifted, .. }) = closed {
        let outcome = json!({"outcome": decision.name(), "author": author});
        let mut entries = vec![audit_reason.audit_entry("close", id, json!(null), outcome)];
        entries.extend(lifted.map(|ChangedSanctions { id, before, after, .. }| {
            let action = Sanction::Unshadow.name();
            audit_reason.audit_entry(action, &id, json!(before), json!(after))
        }));
        for entry in &entries {
            audit::record(&mut transaction, entry, state.clock.offset()).await?;
        }
        state.log.commit(transaction).await?;
    } else {
        transaction.rollback().await?;
    }
    Ok(store::reports::find_case(&state.pool, id).await?)
}

/// A case that was closed, and what that has changed.
pub(crate) struct ClosedCase {
    pub no: i64,
    /// The author's id; `None` if the case has no author.
    pub author: Option<String>,
    /// The shadow-ban that has ended, because only rejected reports had caused it.
    pub lifted: Option<ChangedSanctions>,
    /// The numbers of open reports that ceased to count.
    pub held: Vec<i64>,
}

/// Closes an open case in a transaction whose audit entry names it. `None` if there is no such open case. The
/// caller must hold the head lock.
pub(crate) async fn close_in_transaction(
    state: &AppState,
    connection: &mut PgConnection,
    audit_reason: &AuditReason,
    id: &str,
    decision: ReportDecision,
) -> Result<Option<ClosedCase>, Refusal> {
    let AuditReason { operator, reason, .. } = audit_reason;
    let offset = state.clock.offset();
    let closed =
        store::reports::close_case(connection, id, decision.name(), operator, reason, offset).await?;
    let Some(store::reports::ClosedCaseRow { no, message, author_no, author }) = closed else {
        return Ok(None);
    };
    if let Some(message) = message {
        folding::unfold(state, connection, &message).await?;
    }
    let mut lifted = None;
    let mut held = Vec::new();
    if let (Some(author_no), Some(author)) = (author_no, &author) {
        store::reporters::lock_reports_about(connection, author_no).await?;
        if decision == ReportDecision::Rejected {
            held = store::reporters::cover_open_reports(connection, no, author_no).await?;
            lifted = lift_shadow(state, connection, operator, author).await?;
        }
        store::report_alerts::end_if_decided(connection, author_no, offset).await?;
    }
    Ok(Some(ClosedCase { no, author, lifted, held }))
}

/// Lifts an automatic shadow-ban, unless some of its reports were upheld or enough of them are still open.
/// Returns it if it was lifted.
async fn lift_shadow(
    state: &AppState,
    connection: &mut PgConnection,
    operator: &str,
    author: &str,
) -> Result<Option<ChangedSanctions>, Refusal> {
    let Some(shadowed_at) = store::reports::find_shadowed_at(connection, author, REPORTS_OPERATOR).await?
    else {
        return Ok(None);
    };
    let found = store::sanctions::find(connection, author).await?;
    let Some((no, before)) = found.filter(|(_, sanctions)| sanctions.shadowed) else { return Ok(None) };
    let since = shadowed_at - REPORT_LIFETIME;
    let mut open_reports =
        store::reports::list_weighted(&mut *connection, no, None, since, shadowed_at).await?;
    let since = state.clock.now() - REPORT_LIFETIME;
    open_reports.extend(store::reports::list_weighted(&mut *connection, no, None, since, PERMANENT).await?);
    let is_repeat_offender = super::is_repeat_offender(state, &mut *connection, no).await?;
    let is_justified = store::reports::has_upheld_since(&mut *connection, no, shadowed_at).await?
        || still_justified(&open_reports, is_repeat_offender, shadowed_at, state.clock.now());
    if is_justified {
        return Ok(None);
    }
    let lift = Sanction::Unshadow;
    let after = sanctions::change_in_transaction(state, connection, operator, no, &lift, &before).await?;
    Ok(Some(ChangedSanctions { no, id: author.to_owned(), before, after }))
}
