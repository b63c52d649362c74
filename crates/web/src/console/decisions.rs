//! `/admin/reports/{id}/decide` and `/admin/decisions/{id}/undo`: decides a report by one form, and undoes
//! that.

use actix_web::HttpResponse;
use actix_web::web::Path;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::query::QueryParams;
use caraplace_http::response::problem::Problem;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::answer::ActionAnswer;
use caraplace_moderation::decisions::{
    self, CaseDecision, DecideCaseBody, RollbackMeasure, SanctionKind, SanctionMeasure,
};
use caraplace_moderation::reports::case::QueueNeighbours;
use caraplace_moderation::reports::queue::find_neighbours;
use caraplace_moderation::reports::review::ReportDecision;
use caraplace_moderation::rollback::ReasonClass;
use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::{Refusal, internal};
use rules::grid::Corners;
use serde::Deserialize;

use super::form::ConsoleForm;
use super::layout::redirect;

const REPORTS_PATH: &str = "/admin/reports";
/// The parameter that names the decision that was just made or undone.
const NOTICE_PARAM: &str = "decided";

/// The sanctions of the form, with their labels.
pub(super) const SANCTION_CHOICES: [(&str, &str); 6] = [
    ("mute_day", "Mute for 1 day"),
    ("mute_week", "Mute for 7 days"),
    ("ban_day", "Ban for 1 day"),
    ("ban_week", "Ban for 7 days"),
    ("ban", "Ban permanently"),
    ("shadow", "Shadow-ban"),
];

/// A sanction of the form.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SanctionChoice {
    MuteDay,
    MuteWeek,
    BanDay,
    BanWeek,
    Ban,
    Shadow,
}

impl SanctionChoice {
    fn kind(self) -> SanctionKind {
        match self {
            Self::MuteDay | Self::MuteWeek => SanctionKind::Mute,
            Self::BanDay | Self::BanWeek | Self::Ban => SanctionKind::Ban,
            Self::Shadow => SanctionKind::Shadow,
        }
    }

    /// Returns the duration; `None` for a sanction without an end.
    fn duration(self) -> Option<TimeDelta> {
        match self {
            Self::MuteDay | Self::BanDay => Some(TimeDelta::days(1)),
            Self::MuteWeek | Self::BanWeek => Some(TimeDelta::days(7)),
            Self::Ban | Self::Shadow => None,
        }
    }
}

/// The fields of the form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DecisionForm {
    /// The ids of the ticked messages.
    #[serde(default)]
    hide: Vec<String>,
    /// The ids of all other messages of the form, separated by commas, if they are to be hidden, too.
    hide_others: Option<String>,
    /// The painter that is sanctioned and rolled back.
    agent_id: Option<String>,
    sanction: Option<SanctionChoice>,
    /// Present if the box is ticked.
    rollback: Option<String>,
    x1: Option<i64>,
    y1: Option<i64>,
    x2: Option<i64>,
    y2: Option<i64>,
    from: Option<String>,
    /// Present if the form has painters.
    reason_class: Option<ReasonClass>,
    reply: Option<String>,
    /// The pressed button.
    outcome: ReportDecision,
    reason: String,
}

impl DecisionForm {
    /// Returns the decision. A rejected report has none of the measures that are filled in.
    fn into_body(self, now: DateTime<Utc>) -> Result<DecideCaseBody, Refusal> {
        let region = self.region()?;
        let Self { hide, hide_others, agent_id, sanction, rollback, from, reason_class, .. } = self;
        let Self { reply, outcome, reason, .. } = self;
        let mut body =
            DecideCaseBody { hide, sanction: None, rollback: None, outcome: Some(outcome), reply, reason };
        if outcome == ReportDecision::Rejected {
            body.hide.clear();
            return Ok(body);
        }
        body.hide.extend(hide_others.iter().flat_map(|ids| ids.split(',')).map(str::to_owned));
        let has_measure = sanction.is_some() || rollback.is_some();
        // The author of the case, to whom it would apply, may be the victim.
        if has_measure && reason_class.is_some() && agent_id.is_none() {
            return Err(Refusal::invalid("agent_id", "Choose the painter that the decision is about."));
        }
        body.rollback = rollback.map(|_| RollbackMeasure {
            agent_id: agent_id.clone(),
            region,
            from,
            to: None,
            reason_class: reason_class.unwrap_or_default(),
        });
        body.sanction = sanction.map(|choice| SanctionMeasure {
            kind: choice.kind(),
            until: choice.duration().map(|duration| now + duration),
            agent_id,
        });
        Ok(body)
    }

    /// Returns the rectangle; `None` if it is left empty.
    fn region(&self) -> Result<Option<Corners>, Refusal> {
        match (self.x1, self.y1, self.x2, self.y2) {
            (Some(x1), Some(y1), Some(x2), Some(y2)) => Ok(Some(Corners { x1, y1, x2, y2 })),
            (None, None, None, None) => Ok(None),
            _ => Err(Refusal::invalid("x1", "Fill in all four sides of the rectangle, or none of them.")),
        }
    }
}

/// A decision with its undo, for the page to which the form redirects and that of a decided case.
pub(super) struct DecisionNotice {
    pub decision: CaseDecision,
    pub can_be_undone: bool,
}

impl DecisionNotice {
    fn new(app: &App, decision: CaseDecision) -> Self {
        let can_be_undone = decision.can_be_undone(app.state.clock.now());
        Self { decision, can_be_undone }
    }

    /// Returns the decision that the query names; `None` if it names none.
    pub(super) async fn find(app: &App, params: &QueryParams) -> Result<Option<Self>, Problem> {
        let Some(id) = params.text(NOTICE_PARAM)? else { return Ok(None) };
        let decision = decisions::find(&app.state, id).await?;
        Ok(decision.map(|decision| Self::new(app, decision)))
    }

    /// Returns the decisions for the page of a case: the one that the query names, and the one that has
    /// closed the case if it can still be undone.
    pub(super) async fn list(app: &App, params: &QueryParams, case: &str) -> Result<Vec<Self>, Problem> {
        let mut notices = Vec::from_iter(Self::find(app, params).await?);
        let undoable = decisions::find_undoable(&app.state, case).await?;
        let is_new = |decision: &CaseDecision| notices.iter().all(|notice| notice.decision.id != decision.id);
        if let Some(decision) = undoable.filter(is_new) {
            notices.push(Self::new(app, decision));
        }
        Ok(notices)
    }
}

/// Decides a case, then shows the next one.
pub async fn decide(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    let state = &form.app.state;
    let body = form.read::<DecisionForm>()?.into_body(state.clock.now())?;
    let decision = decision_of(form.perform(&OperatorAction::DecideCase(id.into_inner(), body)).await?)?;
    let QueueNeighbours { next, previous } = find_neighbours(state, &decision.case).await?;
    let path = next.or(previous).map_or(REPORTS_PATH.to_owned(), |id| format!("{REPORTS_PATH}/{id}"));
    Ok(redirect_with_notice(&path, &decision))
}

/// Undoes a decision, then shows its case.
pub async fn undo(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    let decision = decision_of(form.act_on(&id, OperatorAction::UndoDecision).await?)?;
    Ok(redirect_with_notice(&format!("{REPORTS_PATH}/{}", decision.case), &decision))
}

fn decision_of(answer: ActionAnswer) -> Result<CaseDecision, Refusal> {
    match answer {
        ActionAnswer::Decision(response) => Ok(response.decision),
        _ => Err(internal("deciding a case")("an answer of another kind")),
    }
}

fn redirect_with_notice(path: &str, decision: &CaseDecision) -> HttpResponse {
    redirect(&format!("{path}?{NOTICE_PARAM}={}", decision.id)).finish()
}

#[cfg(test)]
mod tests {
    use caraplace_http::request::request_body::read_urlencoded;

    use super::*;

    fn read(form: &str) -> DecideCaseBody {
        let form: DecisionForm = read_urlencoded(form.as_bytes()).unwrap();
        form.into_body(DateTime::UNIX_EPOCH).unwrap()
    }

    #[test]
    fn the_form_becomes_a_decision_with_the_chosen_parts() {
        let body = read("hide=a&hide=b&hide_others=c,d&sanction=ban_week&outcome=upheld&reason=x");
        assert_eq!(body.hide, ["a", "b", "c", "d"]);
        let sanction = body.sanction.unwrap();
        assert_eq!(sanction.kind, SanctionKind::Ban);
        assert_eq!(sanction.until, Some(DateTime::UNIX_EPOCH + TimeDelta::days(7)));
        assert!(body.rollback.is_none());
        let canvas = "agent_id=e&rollback=yes&x1=1&y1=2&x2=3&y2=4&from=9&sanction=shadow&outcome=upheld";
        let body = read(&format!("{canvas}&reason_class=spam&reason=x"));
        let rollback = body.rollback.unwrap();
        assert_eq!(rollback.region, Some(Corners { x1: 1, y1: 2, x2: 3, y2: 4 }));
        assert_eq!((rollback.agent_id.as_deref(), rollback.from.as_deref()), (Some("e"), Some("9")));
        assert_eq!(rollback.reason_class, ReasonClass::Spam);
        assert_eq!(body.sanction.unwrap().until, None);
    }

    #[test]
    fn a_measure_about_a_rectangle_needs_a_painter() {
        let refused = |fields: &str| {
            let form = format!("reason_class=spam&outcome=upheld&reason=x{fields}");
            let form: DecisionForm = read_urlencoded(form.as_bytes()).unwrap();
            form.into_body(DateTime::UNIX_EPOCH).is_err()
        };
        assert!(refused("&sanction=ban") && refused("&rollback=yes"));
        assert!(!refused("") && !refused("&sanction=ban&agent_id=e"));
    }

    #[test]
    fn a_rejected_report_takes_no_measures() {
        let measures = "hide=a&hide_others=b&sanction=ban&rollback=yes";
        let body = read(&format!("{measures}&reply=Thanks&outcome=rejected&reason=x"));
        assert!(body.hide.is_empty() && body.sanction.is_none() && body.rollback.is_none());
        assert_eq!(body.reply.as_deref(), Some("Thanks"));
    }
}
