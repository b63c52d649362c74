//! Reports about messages, names and regions. The evidence is stored at the first report. Enough independent
//! reports shadow-ban the author until an operator decides.

pub mod alerts;
pub mod authors;
pub mod case;
pub(super) mod evidence;
pub mod file;
mod folding;
pub mod own;
mod private_evidence;
pub mod queue;
pub mod review;

use std::net::IpAddr;

use caraplace_log::audit_entry::REPORTS_OPERATOR;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::refusal::Refusal;
use platform::{clock, database, input};
use rules::grid::{Corners, Rect};
use rules::ids::{AccountId, MessageId};
use rules::numbers::AccountNo;
use rules::reports::history::{RECOVERY_DURATION, REJECTION_DURATION, weight_after_rejections};
use rules::reports::offenders::{REPEAT_DURATION, weight_against};
use rules::reports::{
    ACTION_THRESHOLD, FULL_WEIGHT, REPORT_LIFETIME, ReporterTrust, combined_weight, name_weight,
};
use rules::rights::{AccountKind, PERMANENT};
use rules::sanctions::Sanction;
use sqlx::{PgConnection, PgExecutor};

use super::{sanctions, store};
use case::ReportSender;
use private_evidence::ReportedPrivateMessage;

/// The time for which a report's network is stored. A rejection may come weeks after the report and stays in
/// effect for weeks.
const NETWORK_RETENTION: TimeDelta = TimeDelta::days(90);

/// The largest width and height of a reported rectangle, in pixels.
const MAX_SIDE_PIXELS: i64 = 64;

/// The target of a report.
#[derive(Clone, Debug)]
pub enum ReportTarget {
    Message(MessageId),
    Name(AccountId),
    Canvas(Rect),
}

impl ReportTarget {
    fn kind(&self) -> &'static str {
        match self {
            Self::Message(_) => "message",
            Self::Name(_) => "name",
            Self::Canvas(_) => "canvas",
        }
    }

    fn to_key(&self) -> String {
        match self {
            Self::Message(id) => id.as_str().to_owned(),
            Self::Name(id) => id.as_str().to_owned(),
            Self::Canvas(rect) => {
                let corners = rect.corners();
                format!("{},{},{},{}", corners.x1, corners.y1, corners.x2, corners.y2)
            }
        }
    }
}

/// The sender of a report: an account with a key, or an address.
#[derive(Clone, Copy, Debug)]
pub struct Reporter<'a> {
    /// The account under which the report is filed.
    pub account: Option<&'a Identity>,
    /// The account that sends the report. A viewer whose pass has ended reads its conversations, but reports
    /// like a visitor.
    pub reader: Option<&'a Identity>,
    pub address: IpAddr,
}

impl<'a> Reporter<'a> {
    /// Returns a reporter, with its account if it has sent a key.
    pub fn new(account: Option<&'a Identity>, address: IpAddr) -> Self {
        Self { account, reader: account, address }
    }

    /// Returns the number of the account that sends the report.
    fn reader_no(&self) -> Option<AccountNo> {
        self.reader.map(|reader| reader.no)
    }
}

/// The result of filing a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReportOutcome {
    /// The report has this id, which all reports of one case share.
    Accepted { id: String },
    /// The same reporter has already reported this target.
    AlreadyReported,
    /// The target does not exist.
    TargetNotFound,
}

/// Returns the region of the canvas between two corners, as it can be reported.
///
/// # Errors
/// `Input` if a corner is outside of the canvas, or the region is too large.
pub fn parse_region(state: &AppState, corners: Corners) -> Result<Rect, Refusal> {
    let rect = input::rect(state.read_world(|world| world.season.size), corners)?;
    let Corners { x1, y1, x2, y2 } = corners;
    if x2 - x1 >= MAX_SIDE_PIXELS || y2 - y1 >= MAX_SIDE_PIXELS {
        let detail = format!("x2 or y2 is too large: each side may have at most {MAX_SIDE_PIXELS} pixels.");
        return Err(Refusal::invalid("x2", detail));
    }
    Ok(rect)
}

/// Returns the outcome that a report would have now instead of being accepted; `None` if it would be
/// accepted.
pub(crate) async fn find_obstacle(
    state: &AppState,
    reporter: Reporter<'_>,
    target: &ReportTarget,
) -> Result<Option<ReportOutcome>, Refusal> {
    let private_message = private_evidence::find(state, target, reporter).await?;
    if matches!(private_message, ReportedPrivateMessage::Unreadable) {
        return Ok(Some(ReportOutcome::TargetNotFound));
    }
    let sender = build_sender(state, reporter, target).await?;
    if store::reports::has_reported(&state.pool, target.kind(), &target.to_key(), &sender).await? {
        return Ok(Some(ReportOutcome::AlreadyReported));
    }
    let evidence = evidence::collect(state, target, reporter, &private_message).await?;
    Ok(evidence.is_none().then_some(ReportOutcome::TargetNotFound))
}

/// Files a report, with the current evidence if it is the first one.
///
/// # Errors
/// `Overloaded` if the case is closed at the same moment.
pub(crate) async fn submit(
    state: &AppState,
    reporter: Reporter<'_>,
    target: &ReportTarget,
    reason: &str,
) -> Result<ReportOutcome, Refusal> {
    let private_message = private_evidence::find(state, target, reporter).await?;
    if matches!(private_message, ReportedPrivateMessage::Unreadable) {
        return Ok(ReportOutcome::TargetNotFound);
    }
    let kind = target.kind();
    let target_key = target.to_key();
    let sender = build_sender(state, reporter, target).await?;
    if store::reports::has_reported(&state.pool, kind, &target_key, &sender).await? {
        return Ok(ReportOutcome::AlreadyReported);
    }
    let is_open = store::reports::find_open_case(&state.pool, kind, &target_key).await?.is_some();
    // Other agents may have painted the region since the first report, so each report has its own evidence.
    let new_evidence = if is_open && !matches!(target, ReportTarget::Canvas(_)) {
        None
    } else {
        let Some(evidence) = evidence::collect(state, target, reporter, &private_message).await? else {
            return Ok(ReportOutcome::TargetNotFound);
        };
        Some(evidence)
    };
    let mut transaction = state.pool.begin().await?;
    if let Some(evidence) = new_evidence.as_ref().filter(|_| !is_open) {
        let id = clock::new_id("report");
        let offset = state.clock.offset();
        store::reports::insert_case(&mut transaction, &id, kind, &target_key, evidence, offset).await?;
    }
    let Some(case) = store::reports::lock_open_case(&mut transaction, kind, &target_key).await? else {
        // An operator has closed the case meanwhile. The next report opens a new one.
        return Err(Refusal::Overloaded);
    };
    let author = case.author;
    if let Some(author) = author {
        store::reporters::lock_reports_about(&mut transaction, author).await?;
    }
    let is_evidence =
        new_evidence.is_none_or(|evidence| evidence.author == author && (evidence.counts || !case.counts));
    let is_held = was_recently_rejected(state, &mut transaction, author, &sender).await?;
    let validity = store::reports::ReportValidity { is_evidence, is_held };
    let offset = state.clock.offset();
    let insertion =
        store::reports::insert_report(&mut transaction, case.no, &sender, validity, reason, offset);
    if !insertion.await? {
        return Ok(ReportOutcome::AlreadyReported);
    }
    database::commit(transaction).await?;
    if let Some(author) = author {
        let message = match (target, &private_message) {
            (ReportTarget::Message(message), ReportedPrivateMessage::None) => Some(message),
            _ => None,
        };
        // The report is stored, and the next one about the author is evaluated together with it.
        if let Err(refusal) = act_on_reports(state, case.no, author, message).await {
            tracing::error!(?refusal, "reports about an account could not be evaluated");
        }
    }
    Ok(ReportOutcome::Accepted { id: case.id })
}

/// Folds a reported public message, and shadow-bans its author, if the open reports are enough for that.
pub(crate) async fn act_on_reports(
    state: &AppState,
    case: i64,
    author: AccountNo,
    message: Option<&MessageId>,
) -> Result<(), Refusal> {
    if let Some(message) = message {
        folding::fold_if_due(state, case, author, message).await?;
    }
    evaluate_reports(state, author).await
}

/// Returns a report's sender with the weight of its report.
async fn build_sender(
    state: &AppState,
    Reporter { account, address, .. }: Reporter<'_>,
    target: &ReportTarget,
) -> Result<ReportSender, Refusal> {
    let now = state.clock.now();
    let (reporter_trust, owner, registered_network) = match account {
        None => (ReporterTrust::Unknown, state.hash_address(address).to_vec(), None),
        Some(account) => {
            let facts =
                store::reports::find_reporter(&state.pool, account.no).await?.ok_or(Refusal::KeyInvalid)?;
            let reporter_trust = match account.rights.kind {
                AccountKind::Viewer => ReporterTrust::PassHolder,
                _ => ReporterTrust::Agent { pixels_placed: facts.pixels_placed, since: facts.created_at },
            };
            let owner = facts.registered_from.unwrap_or_else(|| account.no.0.to_be_bytes().to_vec());
            (reporter_trust, owner, facts.registered_network)
        }
    };
    let agent = account.map(|account| account.no);
    let trust = reporter_trust.weight(now);
    let rejections =
        store::reporters::list_rejections(&state.pool, agent, &owner, now - RECOVERY_DURATION).await?;
    let weight = weight_after_rejections(trust, &rejections, now);
    Ok(ReportSender {
        agent,
        address: agent.is_none().then(|| owner.clone()),
        network: state.hash_network(address).map(Vec::from),
        registered_network,
        trust,
        rejected: rejections.len(),
        weight: if matches!(target, ReportTarget::Name(_)) { name_weight(weight) } else { weight },
        owner,
    })
}

/// Returns true if an operator has recently rejected a report about the same account by this reporter or its
/// networks.
async fn was_recently_rejected(
    state: &AppState,
    connection: &mut PgConnection,
    author: Option<AccountNo>,
    sender: &ReportSender,
) -> Result<bool, Refusal> {
    let Some(author) = author else { return Ok(false) };
    let networks: Vec<Vec<u8>> =
        [&sender.network, &sender.registered_network].into_iter().flatten().cloned().collect();
    let since = state.clock.now() - REJECTION_DURATION;
    let agent = sender.agent;
    let owner = &sender.owner;
    Ok(store::reporters::has_recent_rejection(connection, author, agent, owner, &networks, since).await?)
}

/// Shadow-bans an author when the open reports are enough. If there are many reports with too little weight,
/// raises an alert instead.
async fn evaluate_reports(state: &AppState, author: AccountNo) -> Result<(), Refusal> {
    let mut transaction = state.pool.begin().await?;
    // Of two concurrent evaluations, the one that has read fewer reports must not write its alert last.
    store::reporters::lock_reports_about(&mut transaction, author).await?;
    let since = state.clock.now() - REPORT_LIFETIME;
    let reports = store::reports::list_weighted(&mut *transaction, author, None, since, PERMANENT).await?;
    let is_repeat_offender = is_repeat_offender(state, &mut *transaction, author).await?;
    let weight = weight_against(combined_weight(&reports), is_repeat_offender);
    if weight < ACTION_THRESHOLD {
        let raised = alerts::raise_or_renew(state, &mut transaction, author, &reports).await?;
        transaction.commit().await?;
        if let Some(alert) = raised {
            alert.record();
        }
        return Ok(());
    }
    // An alert means that no sanction was applied.
    store::report_alerts::end_now(&mut transaction, author, state.clock.offset()).await?;
    transaction.commit().await?;
    let Some(id) =
        store::reports::find_account_id(&state.pool, author).await?.and_then(|id| AccountId::parse(&id))
    else {
        return Ok(());
    };
    let reason = format!(
        "{} reports within 24 hours have a weight of {}: shadow-banned until an operator decides.",
        reports.iter().filter(|report| report.is_counted).count(),
        weight as f64 / FULL_WEIGHT as f64
    );
    let audit_reason = AuditReason::by(REPORTS_OPERATOR, reason);
    sanctions::apply(state, &audit_reason, &id, &Sanction::Shadow).await.map(|_| ())
}

/// Returns true if reports about an account were upheld so lately that new ones count double.
async fn is_repeat_offender(
    state: &AppState,
    database: impl PgExecutor<'_>,
    author: AccountNo,
) -> Result<bool, sqlx::Error> {
    store::reports::has_upheld_since(database, author, state.clock.now() - REPEAT_DURATION).await
}

/// Deletes the networks of reports that no longer need them.
pub async fn sweep(state: &AppState) -> Result<u64, sqlx::Error> {
    store::reporters::delete_networks(&state.pool, state.clock.now() - NETWORK_RETENTION).await
}
