//! Reports as operators see them: what waits, with its evidence, and what was decided.

use chrono::{DateTime, Utc};
use rules::reports::explanation::{WeightFacts, explain_weight};
use rules::reports::networks::group_by_keys;
use rules::reports::{FULL_WEIGHT, REPORT_LIFETIME, combined_weight, still_justified};
use rules::rights::PERMANENT;
use rules::sanctions::{Sanction, Sanctions};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::alerts::{self, ReportAlert};
use super::case::Case;
use super::{Cause, standing, store};
use crate::log::control;
use crate::moderation::store::reports::FiledReport;
use crate::moderation::{BY_REPORTS, audit};
use crate::refusal::Refusal;
use crate::schema::JudgedSchema;
use crate::state::AppState;

/// How many reports of one case are told.
const TOLD: i64 = 500;

/// What an operator finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// The reports were right.
    Upheld,
    /// They were not: what they alone brought about is lifted.
    Rejected,
}

/// A page of cases.
#[derive(Debug, Serialize, ToSchema)]
pub struct Cases {
    /// Newest first.
    pub reports: Vec<Case>,
    /// The `before` of the next older page; null when nothing older is left.
    pub next_before: Option<String>,
    /// Accounts that were reported in great number, or by reporters that count little: nothing was imposed on them.
    pub alerts: Vec<ReportAlert>,
}

/// One report of a case.
#[derive(Debug, Serialize, ToSchema)]
pub struct Told {
    pub at: DateTime<Utc>,
    pub reason: String,
    /// One is a full voice.
    pub weight: f64,
    /// Whether it can count against the account.
    pub counts: bool,
    /// Why it weighs that, in plain words.
    pub explanation: String,
    /// The number of the reporter's network among those of this case, from 1.
    pub network: i64,
    /// Null where nobody knows who it was.
    pub agent_id: Option<String>,
    pub agent_name: Option<String>,
}

/// A case with all that helps to decide it.
#[derive(Debug, Serialize, ToSchema)]
pub struct CaseFile {
    #[serde(flatten)]
    pub case: Case,
    /// As it was at the first report: a message with those around it, a profile, or who painted each pixel and when.
    #[schema(value_type = Object)]
    pub evidence: Value,
    /// Oldest first.
    pub told: Vec<Told>,
    /// The author's standing now.
    #[schema(value_type = Option<JudgedSchema>)]
    pub standing: Option<Sanctions>,
    /// What all that is undecided against the author weighs together within 24 hours; 3 puts it in the shadow.
    pub weight: f64,
    /// The alert about the author's reports, if one is open.
    pub alert: Option<ReportAlert>,
}

/// Cases before one, newest first, open ones or closed ones.
///
/// # Errors
/// When the database cannot be read.
pub async fn page(state: &AppState, open: bool, before: Option<&str>, limit: i64) -> Result<Cases, Refusal> {
    let mut reports = store::reports::cases(&state.pool, open, before, limit + 1).await?;
    let more = reports.len() as i64 > limit;
    reports.truncate(limit as usize);
    let next_before = reports.last().filter(|_| more).map(|case| case.id.clone());
    Ok(Cases { next_before, reports, alerts: alerts::open(state).await? })
}

/// A case with its evidence; none where there is no such one.
///
/// # Errors
/// When the database cannot be read.
pub async fn look(state: &AppState, id: &str) -> Result<Option<CaseFile>, Refusal> {
    let Some(case) = store::reports::case(&state.pool, id).await? else { return Ok(None) };
    let Some(full) = store::reports::full(&state.pool, id).await? else { return Ok(None) };
    let (mut voices, mut standing, mut alert) = (Vec::new(), None, None);
    if let (Some(author), Some(author_id)) = (full.author, &case.author_id) {
        let since = state.clock.now() - REPORT_LIFETIME;
        voices = store::reports::voices(&state.pool, author, (since, PERMANENT)).await?;
        standing = store::standing::judged(&mut *state.pool.acquire().await?, author_id).await?;
        alert = store::report_alerts::open(&state.pool, Some(author)).await?.pop();
    }
    Ok(Some(CaseFile {
        told: explained(&case, store::reports::told(&state.pool, full.no, TOLD).await?),
        alert,
        evidence: full.evidence,
        standing: standing.map(|(_, judged)| judged),
        weight: combined_weight(&voices) as f64 / FULL_WEIGHT as f64,
        case,
    }))
}

/// Returns the reports of a case, each with why it weighs what it weighs.
fn explained(case: &Case, filed: Vec<FiledReport>) -> Vec<Told> {
    let groups = group_by_keys(&filed.iter().map(FiledReport::keys).collect::<Vec<_>>());
    let mut names = groups.clone();
    names.sort_unstable();
    names.dedup();
    let explain = |(report, group): (FiledReport, &usize)| {
        let neighbours = groups.iter().filter(|other| *other == group).count() - 1;
        let network = names.iter().position(|name| name == group).unwrap_or_default() as i64 + 1;
        explained_report(case, report, neighbours, network)
    };
    filed.into_iter().zip(&groups).map(explain).collect()
}

fn explained_report(case: &Case, report: FiledReport, neighbours: usize, network: i64) -> Told {
    let facts = WeightFacts {
        has_key: report.agent_id.is_some(),
        trust: report.trust.into(),
        rejected: report.rejected.into(),
        is_name: case.kind == "name",
        is_evidence: case.counts && report.is_evidence,
        is_covered_by_rejection: report.is_held,
        same_network_reports: neighbours,
    };
    Told {
        at: report.at,
        reason: report.reason,
        weight: f64::from(report.weight) / FULL_WEIGHT as f64,
        counts: facts.is_evidence && !facts.is_name && !facts.is_covered_by_rejection,
        explanation: explain_weight(&facts),
        network,
        agent_id: report.agent_id,
        agent_name: report.agent_name,
    }
}

/// Decides a case; none where there is no such one. What is decided stays as it is.
///
/// # Errors
/// When the database cannot be written.
pub async fn close(
    state: &AppState,
    cause: &Cause,
    id: &str,
    finding: Finding,
) -> Result<Option<Case>, Refusal> {
    let outcome = if finding == Finding::Upheld { "upheld" } else { "rejected" };
    let mut transaction = state.pool.begin().await?;
    control::close_gate(&mut transaction).await?;
    let (by, why, offset) = (&cause.operator, &cause.why, state.clock.offset());
    let closed = store::reports::close(&mut transaction, id, outcome, by, why, offset).await?;
    if let Some(store::reports::Closed { no, author_no, author }) = closed {
        let act = cause.act("close", id, json!(null), json!({"outcome": outcome, "author": author}));
        audit::record(&mut transaction, &act, offset).await?;
        if let (Some(author_no), Some(author)) = (author_no, &author) {
            store::reporters::lock_reports_about(&mut transaction, author_no).await?;
            if finding == Finding::Rejected {
                store::reporters::hold_open_reports(&mut transaction, no, author_no).await?;
                lift(state, &mut transaction, cause, author).await?;
            }
            store::report_alerts::end_if_decided(&mut transaction, author_no, offset).await?;
        }
        state.log.seal(transaction).await?;
    } else {
        transaction.rollback().await?;
    }
    Ok(store::reports::case(&state.pool, id).await?)
}

/// Ends a shadow that reports have cast, unless some of them were right or enough of them still wait to be decided.
async fn lift(
    state: &AppState,
    connection: &mut sqlx::PgConnection,
    cause: &Cause,
    author: &str,
) -> Result<(), Refusal> {
    let Some(cast_at) = store::reports::shadowed_at(connection, author, BY_REPORTS).await? else {
        return Ok(());
    };
    let judged = store::standing::judged(connection, author).await?;
    let Some((no, before)) = judged.filter(|(_, judged)| judged.shadowed) else { return Ok(()) };
    let (then, now) =
        ((cast_at - REPORT_LIFETIME, cast_at), (state.clock.now() - REPORT_LIFETIME, PERMANENT));
    let mut others = store::reports::voices(&mut *connection, no, then).await?;
    others.extend(store::reports::voices(&mut *connection, no, now).await?);
    let stands = store::reports::were_right(connection, no, cast_at).await?
        || still_justified(&others, cast_at, state.clock.now());
    if !stands {
        standing::impose(state, connection, cause, (no, author), &Sanction::Unshadow, &before).await?;
    }
    Ok(())
}
