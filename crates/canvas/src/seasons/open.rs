//! Opens a season with a blank canvas and an empty chat. The previous one is archived.

use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::grid::Size;
use rules::season::{SeasonState, SeasonTitle};
use serde::Deserialize;
use text_filters::text_limits::MAX_TITLE_GRAPHEMES;
use utoipa::ToSchema;

use super::SeasonRecord;
use super::change::{SeasonChange, SeasonUpdate, parse_end};
use super::store;
use crate::plans::views::end_plans;

/// `POST /api/admin/seasons`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenSeasonBody {
    /// The number of the current season, which is then archived. A repeated request opens no second season.
    #[schema(minimum = 1)]
    pub after: i64,
    /// The title; "Season" and its number by default.
    #[schema(min_length = 1)]
    pub title: Option<String>,
    /// The width in pixels; as in the settings by default.
    #[schema(minimum = 8, maximum = 4096)]
    pub width: Option<i64>,
    /// The height in pixels; as in the settings by default.
    #[schema(minimum = 8, maximum = 4096)]
    pub height: Option<i64>,
    /// The time at which it freezes; no end date by default.
    pub ends_at: Option<DateTime<Utc>>,
    /// The reason for the audit log.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

fn parse_title(text: &str) -> Result<SeasonTitle, Refusal> {
    let detail = || format!("A title must be one line of 1 to {MAX_TITLE_GRAPHEMES} characters.");
    SeasonTitle::parse(text).ok_or_else(|| Refusal::invalid("title", detail()))
}

fn parse_side(name: &'static str, requested: Option<i64>, default: u16) -> Result<u16, Refusal> {
    let side = requested.map_or(Some(default), Size::parse_side);
    side.ok_or_else(|| Refusal::invalid(name, format!("{name} must be from 8 to 4096.")))
}

/// Opens the next season. The reason is that of `audit_reason`.
///
/// # Errors
/// `Input` if a value is invalid or `after` is not the newest season's number.
pub async fn open_next(
    state: &AppState,
    audit_reason: &AuditReason,
    body: &OpenSeasonBody,
) -> Result<SeasonRecord, Refusal> {
    let OpenSeasonBody { after, ref title, width, height, ends_at, .. } = *body;
    let title = title.as_deref().map(parse_title).transpose()?;
    let width = parse_side("width", width, state.next_canvas_size.width)?;
    let height = parse_side("height", height, state.next_canvas_size.height)?;
    let ends_at = ends_at.map(|end| parse_end(state, end)).transpose()?;
    let mut change = SeasonChange::begin(state).await?;
    if change.before.number != after {
        let newest = change.before.number;
        return Err(Refusal::invalid(
            "after",
            format!("after must be the newest season's number, {newest}."),
        ));
    }
    let number = after + 1;
    let title = title.map_or_else(|| format!("Season {number}"), SeasonTitle::into_string);
    end_plans(state, &mut change.transaction, &mut change.head_lock).await?;
    store::archive(&mut change.transaction, change.before.first, change.head_lock.now).await?;
    let season = change.head_lock.open_season(&mut change.transaction, title, Size { width, height }).await?;
    let season_state = SeasonState { ends_at, ..SeasonState::new(number) };
    let announcement = format!("{} has begun: a blank canvas of {width} × {height} pixels.", season.title);
    change
        .commit(audit_reason, season.seq, SeasonUpdate { action: "open season", season_state, announcement })
        .await
}
