//! Filing a report: checks the reporter and the reason before it is stored.

use caraplace_accounts::agents::permissions;
use caraplace_log::audit_reason::clean_reason;
use caraplace_log::state::AppState;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use platform::text_workers::{TextWork, TextWorkers};
use rules::rights::{AccountAction, Denied};
use text_filters::text_limits::{MAX_REASON_CHARS, check_raw_length};

use super::own::{FiledReport, ReportState};
use super::{ReportOutcome, ReportTarget, Reporter, find_obstacle, submit};

/// A report to file.
pub struct ReportRequest<'a> {
    pub reporter: Reporter<'a>,
    /// `None` if the id of the target is malformed.
    pub target: Option<ReportTarget>,
    /// The reason as sent.
    pub reason: &'a str,
}

/// Returns the reporter under which a report is filed: a viewer whose pass has ended reports like a visitor
/// without a key.
pub fn effective_reporter<'a>(state: &AppState, reporter: Reporter<'a>) -> Reporter<'a> {
    let now = state.clock.now();
    let has_lapsed = reporter.account.is_some_and(|account| {
        matches!(account.rights.check(AccountAction::Report, now), Err(Denied::NoPass { .. }))
    });
    Reporter { account: reporter.account.filter(|_| !has_lapsed), ..reporter }
}

/// Files a report. `count` counts it towards the reporter's limit, or refuses it.
///
/// # Errors
/// `Input` if the reason is invalid, `NotFound` if there is no such target, `AlreadyReported`, `Denied`, or
/// the refusal of `count`.
pub async fn file(
    state: &AppState,
    workers: &TextWorkers,
    request: ReportRequest<'_>,
    count: impl FnOnce() -> Result<(), Refusal>,
) -> Result<FiledReport, Refusal> {
    let reporter = request.reporter;
    let (target, reason) = parse(state, workers, request).await?;
    count()?;
    match submit(state, reporter, &target, &reason).await? {
        ReportOutcome::Accepted { id } => Ok(FiledReport { id, state: ReportState::Open }),
        ReportOutcome::AlreadyReported => Err(Refusal::AlreadyReported),
        ReportOutcome::TargetNotFound => Err(target_not_found()),
    }
}

/// Checks a report that is to be filed later.
///
/// # Errors
/// Those of [`file()`], except for its limit.
pub async fn check(
    state: &AppState,
    workers: &TextWorkers,
    request: ReportRequest<'_>,
) -> Result<(), Refusal> {
    let reporter = request.reporter;
    let (target, _) = parse(state, workers, request).await?;
    match find_obstacle(state, reporter, &target).await? {
        Some(ReportOutcome::AlreadyReported) => Err(Refusal::AlreadyReported),
        Some(ReportOutcome::TargetNotFound) => Err(target_not_found()),
        Some(ReportOutcome::Accepted { .. }) | None => Ok(()),
    }
}

/// Returns the target and the cleaned reason of a report.
async fn parse(
    state: &AppState,
    workers: &TextWorkers,
    ReportRequest { reporter, target, reason }: ReportRequest<'_>,
) -> Result<(ReportTarget, String), Refusal> {
    let reason = parse_reason(workers, reason).await?;
    if let Some(account) = reporter.account {
        permissions::check(state, account, AccountAction::Report).await?;
    }
    Ok((target.ok_or_else(target_not_found)?, reason))
}

fn target_not_found() -> Refusal {
    InputError::new(InputErrorKind::NotFound, "There is nothing with this id to report.").into()
}

async fn parse_reason(workers: &TextWorkers, raw: &str) -> Result<String, Refusal> {
    let invalid = || {
        let detail = format!("reason must have 1 to {MAX_REASON_CHARS} visible characters.");
        Refusal::invalid("reason", detail)
    };
    check_raw_length(raw).ok().ok_or_else(invalid)?;
    let text = raw.to_owned();
    workers.run(TextWork::Clean, raw.len(), move || clean_reason(&text)).await?.ok_or_else(invalid)
}
