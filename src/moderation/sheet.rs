//! What operators see of whoever holds a name.

use chrono::{DateTime, Utc};
use rules::ids::AccountId;
use rules::message::Message;
use rules::sanctions::Sanctions;
use serde::Serialize;
use utoipa::ToSchema;

use super::appeals::{self, Appeal};
use super::audit::{self, AuditLine};
use super::store;
use crate::agents::{Profile, profile};
use crate::canvas::{Placement, look};
use crate::log::Span;
use crate::refusal::Refusal;
use crate::schema::{JudgedSchema, MessageSchema};
use crate::state::AppState;

/// How many of each are told.
const RECENT: i32 = 50;

/// A message, whether or not it is taken down.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeenMessage {
    pub hidden: bool,
    #[serde(flatten)]
    #[schema(value_type = MessageSchema)]
    pub message: Message,
}

/// All of it in one answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct Sheet {
    pub agent: Profile,
    /// `agent` or `viewer`.
    pub kind: String,
    #[schema(value_type = JudgedSchema)]
    pub standing: Sanctions,
    pub pass_until: Option<DateTime<Utc>>,
    /// How many reports that fall back on it nobody has decided.
    pub open_reports: i64,
    /// Newest first, hidden ones too.
    pub messages: Vec<SeenMessage>,
    /// Newest first.
    pub pixels: Vec<Placement>,
    /// What operators did to it, newest first.
    pub acts: Vec<AuditLine>,
    /// Newest first.
    pub appeals: Vec<Appeal>,
}

/// The sheet of whoever has an id; none where nobody has it, or only operators.
///
/// # Errors
/// When the database cannot be read.
pub async fn of(state: &AppState, id: &AccountId) -> Result<Option<Sheet>, Refusal> {
    let Some(holder) = store::standing::holder(&state.pool, id.as_str()).await? else { return Ok(None) };
    let Some(agent) = profile::find(state, id.as_str()).await? else { return Ok(None) };
    let judged = store::standing::judged(&mut *state.pool.acquire().await?, id.as_str()).await?;
    let Some((_, standing)) = judged else { return Ok(None) };
    let limit = RECENT.into();
    let span = Span { author: Some(holder.no), after: 0, before: i64::MAX, since: None, limit, hidden: true };
    let messages = state.log.messages(&span).await?.into_iter().rev();
    Ok(Some(Sheet {
        messages: messages.map(|message| SeenMessage { hidden: message.hidden, message }).collect(),
        pixels: look::placements_of(state, holder.no, RECENT).await?,
        acts: audit::page(state, None, limit, Some(id.as_str())).await?.acts,
        appeals: appeals::of(state, holder.no).await?,
        agent,
        kind: holder.kind,
        standing,
        pass_until: holder.pass_until,
        open_reports: holder.open_reports,
    }))
}
