//! Checks what an operator wants to decide, before anything is written.

use std::collections::HashSet;

use caraplace_accounts::agents::end_time::parse_end;
use caraplace_accounts::erasure;
use caraplace_canvas::history::History;
use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_log::audit_reason::{AuditReason, parse_reason};
use caraplace_log::state::AppState;
use platform::input;
use platform::refusal::{InputError, InputErrorKind, Refusal, UNKNOWN_ACCOUNT};
use rules::ids::{AccountId, MessageId};
use rules::rollback::RollbackFilter;
use rules::sanctions::Sanction;

use super::{
    ChangeKind, DecideCaseBody, MAX_HIDDEN_MESSAGES, RollbackMeasure, SanctionKind, SanctionMeasure, store,
};
use crate::hide::{MessageTarget, find_targets};
use crate::reports::case::ReportCase;
use crate::reports::review::ReportDecision;
use crate::rollback::ReasonClass;
use crate::rollback::request::{RollbackRequest, build_filter};
use crate::store::reports;

/// The measures of a decision, which can be carried out unless something changes meanwhile.
pub(super) struct Measures {
    pub outcome: ReportDecision,
    /// The ids of the messages to hide.
    pub hide: Vec<String>,
    pub targets: Vec<MessageTarget>,
    pub sanction: Option<CheckedSanction>,
    pub rollback: Option<CheckedRollback>,
    pub reply: Option<String>,
}

/// A sanction against an account that the case is about.
pub(super) struct CheckedSanction {
    pub account_id: String,
    pub kind: ChangeKind,
    pub sanction: Sanction,
}

/// A rollback of the pixels of an account that the case is about.
pub(super) struct CheckedRollback {
    pub filter: RollbackFilter,
    pub reason_class: ReasonClass,
}

/// Checks the measures of a decision on a case.
///
/// # Errors
/// `Input` if a field is invalid, an account is not one that the case is about, the one to be sanctioned is
/// erased, a message is not by the author of the case, or the case is rejected although there is a measure.
pub(super) async fn check(
    state: &AppState,
    history: &History,
    audit_reason: &AuditReason,
    case: &ReportCase,
    body: &DecideCaseBody,
) -> Result<Measures, Refusal> {
    let hide = parse_messages(&body.hide)?;
    let has_measures = !hide.is_empty() || body.sanction.is_some() || body.rollback.is_some();
    let default = if has_measures { ReportDecision::Upheld } else { ReportDecision::Rejected };
    let outcome = body.outcome.unwrap_or(default);
    if has_measures && outcome == ReportDecision::Rejected {
        let detail = "outcome is rejected, so hide, sanction and rollback must be left out.";
        return Err(Refusal::invalid("outcome", detail));
    }
    let reply = body.reply.as_deref().map(|reply| parse_reason("reply", reply)).transpose()?;
    let accounts = Accounts::of_case(state, case).await?;
    let sanction = match &body.sanction {
        Some(sanction) => Some(check_sanction(state, audit_reason, &accounts, sanction).await?),
        None => None,
    };
    let rollback = match &body.rollback {
        Some(rollback) => Some(check_rollback(state, history, case, &accounts, rollback).await?),
        None => None,
    };
    let ids: Vec<String> = hide.iter().map(|id| id.as_str().to_owned()).collect();
    if let Some(foreign) = store::find_foreign_message(&state.pool, &case.id, &ids).await? {
        let detail = format!("hide names {foreign}, which is not by the author of the case.");
        return Err(Refusal::invalid("hide", detail));
    }
    let targets = find_targets(state, hide).await?;
    Ok(Measures { outcome, hide: ids, targets, sanction, rollback, reply })
}

/// Returns the refusal of a message that does not exist.
pub(super) fn unknown_message(id: &str) -> Refusal {
    let detail = format!("hide names {id}, but there is no message with this id.");
    InputError::for_field(InputErrorKind::NotFound, "hide", detail).into()
}

/// Returns the ids of the messages to hide, each once.
fn parse_messages(ids: &[String]) -> Result<Vec<MessageId>, Refusal> {
    if ids.len() > MAX_HIDDEN_MESSAGES {
        let detail = format!("hide must contain at most {MAX_HIDDEN_MESSAGES} message ids.");
        return Err(Refusal::invalid("hide", detail));
    }
    let mut seen = HashSet::new();
    let distinct = ids.iter().filter(|id| seen.insert(id.as_str()));
    distinct.map(|id| MessageId::parse(id).ok_or_else(|| unknown_message(id))).collect()
}

/// The accounts that a case is about.
struct Accounts {
    /// The author; `None` if the case has none.
    author: Option<String>,
    /// The painters of the reported rectangle.
    painters: Vec<String>,
}

impl Accounts {
    async fn of_case(state: &AppState, case: &ReportCase) -> Result<Self, Refusal> {
        let stored = reports::find_case_evidence(&state.pool, &case.id).await?;
        let painters = stored.map(|stored| stored.evidence["painters"].as_array().cloned());
        let painters = painters.flatten().unwrap_or_default();
        let painters = painters.iter().filter_map(|painter| painter["agent_id"].as_str().map(str::to_owned));
        Ok(Self { author: case.author_id.clone(), painters: painters.collect() })
    }

    /// Returns the named account, or else the author.
    fn choose(&self, agent_id: Option<&str>) -> Result<String, Refusal> {
        let chosen = agent_id.or(self.author.as_deref()).ok_or_else(|| {
            let detail = "This case has no author: name an account in agent_id.";
            InputError::for_field(InputErrorKind::Missing, "agent_id", detail)
        })?;
        let is_known = self.author.as_deref() == Some(chosen) || self.painters.iter().any(|id| id == chosen);
        // The operators' own account has an id of another form.
        if !is_known || AccountId::parse(chosen).is_none() {
            let detail = "agent_id must be the author of the case, or a painter of the reported rectangle.";
            return Err(Refusal::invalid("agent_id", detail));
        }
        Ok(chosen.to_owned())
    }
}

async fn check_sanction(
    state: &AppState,
    audit_reason: &AuditReason,
    accounts: &Accounts,
    measure: &SanctionMeasure,
) -> Result<CheckedSanction, Refusal> {
    let SanctionMeasure { kind, until, agent_id } = measure;
    let account_id = accounts.choose(agent_id.as_deref())?;
    if erasure::is_erased(state, &account_id).await? {
        return Err(InputError::for_field(InputErrorKind::NotFound, "agent_id", UNKNOWN_ACCOUNT).into());
    }
    let reason = audit_reason.reason.clone();
    let (kind, sanction) = match kind {
        SanctionKind::Ban => (ChangeKind::Ban, Sanction::Ban { until: parse_end(state, *until)?, reason }),
        SanctionKind::Mute => (ChangeKind::Mute, Sanction::Mute { until: parse_end(state, *until)?, reason }),
        SanctionKind::Shadow if until.is_some() => {
            return Err(Refusal::invalid("until", "until must be left out: a shadow-ban has no end."));
        }
        SanctionKind::Shadow => (ChangeKind::Shadow, Sanction::Shadow),
    };
    Ok(CheckedSanction { account_id, kind, sanction })
}

async fn check_rollback(
    state: &AppState,
    history: &History,
    case: &ReportCase,
    accounts: &Accounts,
    measure: &RollbackMeasure,
) -> Result<CheckedRollback, Refusal> {
    let RollbackMeasure { agent_id, region, from, to, reason_class } = measure;
    let size = state.read_world(|world| world.season.size);
    let request = RollbackRequest {
        agent_id: Some(accounts.choose(agent_id.as_deref())?),
        region: region.map(|corners| input::rect(size, corners)).transpose()?,
        report_id: (case.kind == "canvas").then(|| case.id.clone()),
        from: from.as_deref().map(|from| PointInTime::parse_field("from", from)).transpose()?,
        to: to.as_deref().map(|to| PointInTime::parse_field("to", to)).transpose()?,
    };
    let filter = build_filter(state, history, &request).await?;
    Ok(CheckedRollback { filter, reason_class: *reason_class })
}
