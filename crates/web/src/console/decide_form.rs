//! The form that decides a case, with what it needs filled in.

use caraplace_log::state::AppState;
use caraplace_moderation::reports::authors::{RecentMessage, list_recent_messages};
use caraplace_moderation::reports::case::ReportCase;
use caraplace_moderation::reports::review::ReportCaseDetails;
use caraplace_moderation::rollback::reported::ROLLBACK_MARGIN;
use chrono::{DateTime, SecondsFormat, Utc};
use platform::refusal::Refusal;
use rules::grid::Corners;
use rules::ids::AccountId;
use rules::reports::is_proposed;

use super::decisions::SANCTION_CHOICES;
use super::evidence::{EvidenceView, PainterView};

/// The maximum number of painters to choose from.
const MAX_PAINTERS: usize = 20;

/// The values of the form.
pub(super) struct DecideForm {
    /// The reported message and recent ones of its author; none if no message was reported.
    pub messages: Vec<MessageChoice>,
    /// The painters of the reported region; none if no region was reported.
    pub painters: Vec<PainterChoice>,
    pub region: Option<Corners>,
    /// The values and labels of the sanctions.
    pub sanctions: &'static [(&'static str, &'static str)],
    /// The proposed reason.
    pub reason: String,
}

/// A message that can be hidden.
pub(super) struct MessageChoice {
    pub id: String,
    pub content: Option<String>,
    pub timestamp: Option<DateTime<Utc>>,
    /// True if it was reported.
    pub is_chosen: bool,
}

/// A painter that can be sanctioned and rolled back.
pub(super) struct PainterChoice {
    pub agent_id: String,
    pub agent_name: String,
    /// The number of pixels that showed it at the report.
    pub pixels: i64,
    /// The time from which its pixels in the region are rolled back.
    pub from: String,
    /// True if it is the author of the case and has painted enough of the region.
    pub is_chosen: bool,
}

impl DecideForm {
    /// Returns the form for a case; `None` if it is decided.
    pub(super) async fn of_case(
        state: &AppState,
        case_file: &ReportCaseDetails,
        evidence: &EvidenceView,
    ) -> Result<Option<Self>, Refusal> {
        let case = &case_file.case;
        if case.closed_at.is_some() {
            return Ok(None);
        }
        let mut messages = Vec::new();
        if case.kind == "message" {
            let reported = evidence.message.as_ref();
            messages.push(MessageChoice {
                id: case.target.clone(),
                content: reported.and_then(|message| message.content.clone()),
                timestamp: reported.and_then(|message| message.timestamp),
                is_chosen: true,
            });
            if let Some(author) = &case.author_id {
                let recent = list_recent_messages(state, author).await?;
                let others = recent.into_iter().filter(|recent| recent.message.id != case.target);
                messages.extend(others.map(MessageChoice::from));
            }
        }
        let author = case.author_id.as_deref();
        let painters = evidence.painters.iter().filter_map(|painter| choice(evidence, painter, author));
        Ok(Some(Self {
            messages,
            painters: painters.take(MAX_PAINTERS).collect(),
            region: evidence.region,
            sanctions: &SANCTION_CHOICES,
            reason: propose_reason(case),
        }))
    }

    /// Returns the ids of the messages that are not ticked, separated by commas.
    pub(super) fn other_messages(&self) -> String {
        let others = self.messages.iter().filter(|message| !message.is_chosen);
        others.map(|message| message.id.as_str()).collect::<Vec<_>>().join(",")
    }

    /// Returns the number of messages that are not ticked.
    pub(super) fn other_count(&self) -> usize {
        self.messages.iter().filter(|message| !message.is_chosen).count()
    }

    /// Returns the start of the rollback of the chosen painter; empty if none is chosen.
    pub(super) fn rollback_start(&self) -> &str {
        self.chosen_painter().map_or("", |painter| painter.from.as_str())
    }

    /// Returns true if the operator has to choose one of the painters.
    pub(super) fn is_painter_missing(&self) -> bool {
        !self.painters.is_empty() && self.chosen_painter().is_none()
    }

    fn chosen_painter(&self) -> Option<&PainterChoice> {
        self.painters.iter().find(|painter| painter.is_chosen)
    }
}

impl From<RecentMessage> for MessageChoice {
    fn from(RecentMessage { message, is_reported }: RecentMessage) -> Self {
        Self {
            id: message.id,
            content: message.content,
            timestamp: Some(message.timestamp),
            is_chosen: is_reported,
        }
    }
}

/// Returns a painter as a choice; `None` for the operators' own account, and for one without pixels.
fn choice(evidence: &EvidenceView, painter: &PainterView, author: Option<&str>) -> Option<PainterChoice> {
    let PainterView { agent_id, agent_name, pixels } = painter;
    AccountId::parse(agent_id)?;
    let strokes = evidence.pixels.iter().filter(|pixel| pixel.agent_id == *agent_id);
    let is_main = is_proposed(strokes.clone().count(), evidence.pixels.len());
    let oldest = strokes.map(|pixel| pixel.placed_at).min()?;
    Some(PainterChoice {
        agent_id: agent_id.clone(),
        agent_name: agent_name.clone(),
        pixels: *pixels,
        from: (oldest - ROLLBACK_MARGIN).to_rfc3339_opts(SecondsFormat::Secs, true),
        is_chosen: is_main && author == Some(agent_id.as_str()),
    })
}

/// Returns a reason for the decision, whatever it is. A banned or muted account reads it, so it has no words
/// of those who reported.
fn propose_reason(case: &ReportCase) -> String {
    format!("An operator has reviewed a report of a {}.", case.kind)
}
