//! Checks a requested rollback against the current season.

use caraplace_accounts::agents::accounts;
use caraplace_canvas::history::History;
use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_log::state::AppState;
use platform::input;
use platform::input::strict_json;
use platform::refusal::{InputError, InputErrorKind, Refusal, UNKNOWN_AGENT};
use rules::grid::{Corners, Rect};
use rules::rollback::RollbackFilter;
use serde::Deserialize;
use utoipa::ToSchema;

use super::ReasonClass;
use super::reported::find_reported;

/// The fields of a rollback, by hand or in a draft: `agent_id`, `region` or both select the pixels, or a
/// report does.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollbackBody {
    /// The agent whose pixels are rolled back; every agent in the region by default.
    pub agent_id: Option<String>,
    /// The region, corners included; the whole canvas by default.
    #[serde(default, deserialize_with = "strict_json::optional")]
    pub region: Option<Corners>,
    /// A report of pixels, `report_…`: it says `agent_id`, the painter held responsible, `region` and `from`,
    /// as far as they are not given.
    pub report_id: Option<String>,
    /// The start: an event's number, or a time. Required without a report.
    pub from: Option<String>,
    /// The end: an event's number, or a time; now by default, and the time of the proposal in a draft.
    pub to: Option<String>,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
    /// The class of the reason, which the chat tells everyone; `other` by default.
    #[serde(default)]
    pub reason_class: ReasonClass,
}

impl RollbackBody {
    /// Parses the fields.
    ///
    /// # Errors
    /// `Input` if the region is not on the canvas, or `from` or `to` is no point in time.
    pub fn to_request(&self, state: &AppState) -> Result<RollbackRequest, Refusal> {
        let size = state.read_world(|world| world.season.size);
        Ok(RollbackRequest {
            agent_id: self.agent_id.clone(),
            region: self.region.map(|corners| input::rect(size, corners)).transpose()?,
            report_id: self.report_id.clone(),
            from: self.from.as_deref().map(|from| PointInTime::parse_field("from", from)).transpose()?,
            to: self.to.as_deref().map(|to| PointInTime::parse_field("to", to)).transpose()?,
        })
    }
}

/// A requested rollback of an agent's placements, of a region, or of both.
#[derive(Clone, Debug)]
pub struct RollbackRequest {
    /// The agent; all agents in the region by default.
    pub agent_id: Option<String>,
    /// The region; the whole canvas by default.
    pub region: Option<Rect>,
    /// The report of pixels that says what is not given.
    pub report_id: Option<String>,
    /// The start; required without a report.
    pub from: Option<PointInTime>,
    /// The end; the newest event by default.
    pub to: Option<PointInTime>,
}

/// Returns the requested rollback in the current season.
///
/// # Errors
/// `Input` if there is neither agent nor region, if the agent is unknown, or if the range is invalid.
pub async fn build_filter(
    state: &AppState,
    history: &History,
    request: &RollbackRequest,
) -> Result<RollbackFilter, Refusal> {
    let RollbackRequest { agent_id, region, from, to, .. } = &fill_from_report(state, request).await?;
    let from =
        from.ok_or_else(|| field_error(InputErrorKind::Missing, "from", "The field from is missing."))?;
    if agent_id.is_none() && region.is_none() {
        let detail = "Send agent_id, region, or both.";
        return Err(field_error(InputErrorKind::Missing, "agent_id", detail));
    }
    let (size, opening) = state.read_world(|world| (world.season.size, world.season.seq));
    let agent = match agent_id {
        Some(id) => Some(accounts::find(state, id).await?.ok_or_else(unknown_agent)?.no),
        None => None,
    };
    let from = history.first_event_from(from).await?.ok_or_else(|| not_yet_reached("from"))?;
    let up_to = match to {
        Some(to) => history.last_event_at(*to).await?.ok_or_else(|| not_yet_reached("to"))?,
        None => history.head(),
    };
    let after = from.previous().max(opening);
    if after >= up_to {
        return Err(Refusal::invalid("to", "to must be in this season and not before from."));
    }
    Ok(RollbackFilter { agent, rect: region.unwrap_or(size.full_rect()), after_seq: after, up_to_seq: up_to })
}

/// Fills in what is not given, if the request names a report.
async fn fill_from_report(state: &AppState, request: &RollbackRequest) -> Result<RollbackRequest, Refusal> {
    let Some(report_id) = &request.report_id else { return Ok(request.clone()) };
    let reported = find_reported(state, report_id, request.agent_id.as_deref()).await?;
    let size = state.read_world(|world| world.season.size);
    let region = match request.region {
        Some(region) => region,
        None => input::rect(size, reported.region)?,
    };
    Ok(RollbackRequest {
        agent_id: Some(reported.agent_id),
        region: Some(region),
        from: request.from.or(Some(PointInTime::Time(reported.from))),
        ..request.clone()
    })
}

fn field_error(kind: InputErrorKind, field: &'static str, detail: &str) -> Refusal {
    InputError::for_field(kind, field, detail).into()
}

fn unknown_agent() -> Refusal {
    field_error(InputErrorKind::NotFound, "agent_id", UNKNOWN_AGENT)
}

fn not_yet_reached(field: &'static str) -> Refusal {
    let detail = format!("{field} is in the future. The newest event's number is head in /api/stats.");
    Refusal::invalid(field, detail)
}
