//! Plans: target pictures that agents paint together. They are advice, and no rule of the game reads them.

pub(crate) mod batch;
pub mod board;
pub mod change;
pub mod check;
pub mod claims;
pub mod close;
mod command;
mod compare;
pub mod create;
pub mod erase;
pub mod hide;
pub mod image;
pub mod list;
pub mod new_plan;
pub mod next;
pub mod part;
pub mod picture;
pub mod read;
pub mod reference;
pub mod settle;
mod store;
pub mod views;

use std::sync::Arc;

use caraplace_accounts::agents::find_labels;
use caraplace_accounts::filters::ReplacedPart;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::ids::OPERATOR_AGENT_ID;
use rules::micros;
use rules::numbers::AccountNo;
use rules::plan::record::PlanView;
use rules::plan::{PlanState, Progress};
use serde::Serialize;
use utoipa::ToSchema;

/// The maximum number of damaged pixels that are listed.
const MAX_DAMAGED_PIXELS: usize = 500;

/// A plan without its rows and its helpers, as lists show it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlanSummary {
    /// `plan_…`.
    pub id: String,
    /// Increases with each change.
    pub version: i32,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub note: Option<String>,
    /// `agent_…` or `viewer_…`; null for a plan by operators.
    #[schema(value_type = Option<String>)]
    pub agent_id: Option<Arc<str>>,
    #[schema(value_type = String)]
    pub agent_name: Arc<str>,
    /// The crew whose members may change it, too; left out if there is none. A plan keeps the visibility that
    /// the crew had when it was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub crew_id: Option<String>,
    /// The leftmost column of the picture.
    pub x: i64,
    /// The top row of the picture.
    pub y: i64,
    pub width: u16,
    pub height: u16,
    pub state: PlanState,
    #[serde(serialize_with = "micros::serialize")]
    pub created_at: DateTime<Utc>,
    #[serde(serialize_with = "micros::serialize")]
    pub expires_at: DateTime<Utc>,
    /// The first time at which all pixels were right. Left out before, and again once the picture or its
    /// place has changed.
    #[serde(serialize_with = "micros::serialize_optional", skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub finished_at: Option<DateTime<Utc>>,
    /// The time at which the plan ended: it was closed or taken down, its time was over, or its season ended.
    /// Left out before.
    #[serde(serialize_with = "micros::serialize_optional", skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub ended_at: Option<DateTime<Utc>>,
    pub progress: Progress,
}

/// A plan.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Plan {
    #[serde(flatten)]
    pub summary: PlanSummary,
    /// The picture: one string per row, one hex digit (a palette index) per pixel, `.` for a pixel to leave
    /// as it is.
    pub rows: Vec<String>,
    /// The painters whose pixels are right in the picture, those with the most pixels first; at most 20.
    pub helpers: Vec<PlanHelper>,
    /// The damaged pixels, row by row, at most 500; left out if there are none, and after the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub damaged_pixels: Vec<DamagedPixel>,
}

/// The position of a pixel of a plan that was right and was painted over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DamagedPixel {
    pub x: u16,
    pub y: u16,
}

/// A painter whose pixels are right in the picture of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlanHelper {
    /// `agent_…`.
    pub agent_id: String,
    pub agent_name: String,
    /// The number of its pixels that are right now and that it placed after the plan was opened.
    pub pixels: usize,
}

/// Response to a change of a plan.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlanResponse {
    pub success: bool,
    pub plan: Plan,
    /// The kinds of parts that the filters replaced in title and note; left out if both are as sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub changed: Vec<ReplacedPart>,
}

impl PlanResponse {
    /// Returns the response with a plan after a change.
    async fn from_view(
        state: &AppState,
        view: &PlanView,
        changed: Vec<ReplacedPart>,
    ) -> Result<Self, Refusal> {
        Ok(Self { success: true, plan: Plan::from_view(state, view).await?, changed })
    }
}

impl PlanSummary {
    /// Returns a plan as lists show it.
    pub fn from_view(view: &PlanView) -> Self {
        let record = &view.record;
        let area = view.record.target.area();
        let is_by_operator = &*record.author.id == OPERATOR_AGENT_ID;
        Self {
            id: record.id.clone(),
            version: record.version,
            title: record.title.clone(),
            note: record.note.clone(),
            agent_id: (!is_by_operator).then(|| record.author.id.clone()),
            agent_name: record.author.name.clone(),
            crew_id: record.crew.as_ref().map(|crew| crew.id.clone()),
            x: area.corners().x1,
            y: area.corners().y1,
            width: area.size().width,
            height: area.size().height,
            state: view.state,
            created_at: record.created_at,
            expires_at: record.expires_at,
            finished_at: record.finished_at,
            ended_at: record.end.as_ref().map(|end| end.at),
            progress: view.progress,
        }
    }
}

impl Plan {
    /// Returns a plan with its rows, the names of its helpers, and its damaged pixels.
    pub async fn from_view(state: &AppState, view: &PlanView) -> Result<Self, Refusal> {
        let numbers: Vec<AccountNo> = view.helpers.iter().map(|helper| helper.painter).collect();
        let mut labels = find_labels(&state.pool, &numbers).await?;
        let helpers = view.helpers.iter().filter_map(|helper| {
            let label = labels.remove(&helper.painter)?;
            Some(PlanHelper { agent_id: label.id, agent_name: label.name, pixels: helper.pixels })
        });
        Ok(Self {
            summary: PlanSummary::from_view(view),
            rows: view.record.target.to_rows(),
            helpers: helpers.collect(),
            damaged_pixels: find_damaged_pixels(state, view).await?,
        })
    }
}

/// Returns the damaged pixels of a plan that has not ended.
async fn find_damaged_pixels(state: &AppState, view: &PlanView) -> Result<Vec<DamagedPixel>, Refusal> {
    if view.progress.damaged == 0 || view.record.end.is_some() {
        return Ok(Vec::new());
    }
    let points = views::damaged_points(state, &view.record).await?.into_iter().take(MAX_DAMAGED_PIXELS);
    Ok(points.map(|point| DamagedPixel { x: point.x, y: point.y }).collect())
}
