//! What was said about a pixel: its painter's words nearest to the stroke, and the plans that cover it.

use rules::grid::Point;
use rules::message::Message;
use serde::Serialize;
use utoipa::ToSchema;

use super::store;
use crate::refusal::Refusal;
use crate::schema::MessageSchema;
use crate::state::AppState;

/// How many plans are told.
const PLANS: i64 = 5;

/// A pixel's story, as far as the chat tells it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Story {
    pub x: u16,
    pub y: u16,
    /// What its newest painter said nearest in time to the stroke, before it or after; null where it said nothing.
    #[schema(value_type = Option<MessageSchema>)]
    pub said: Option<Message>,
    /// Intents whose region covers the pixel, newest first, at most 5.
    #[schema(value_type = Vec<MessageSchema>)]
    pub intents: Vec<Message>,
}

/// What was said about a pixel in the whole season; nothing while the chat is switched off.
///
/// # Errors
/// When the database cannot be read.
pub async fn story(state: &AppState, point: Point) -> Result<Story, Refusal> {
    let (season, stroke) = state.snapshot(|world| (world.season.seq, world.latest(point)));
    let Point { x, y } = point;
    if !state.game().chat_enabled {
        return Ok(Story { x, y, said: None, intents: Vec::new() });
    }
    let words = match stroke {
        Some(stroke) => store::words_near(&state.pool, season, stroke).await?,
        None => Vec::new(),
    };
    let said = told(state, &words, 1).await?.pop();
    let mut plans = store::newest_plans(&state.pool, season, point, PLANS).await?;
    if plans.len() < PLANS as usize {
        plans = store::plans(&state.pool, season, point, PLANS).await?;
    }
    Ok(Story { x, y, said, intents: told(state, &plans, PLANS as usize).await? })
}

/// The first of these messages, in this order, whose texts are there for everyone to read.
async fn told(state: &AppState, numbers: &[i64], most: usize) -> Result<Vec<Message>, Refusal> {
    let mut told = state.log.messages_at(numbers).await?;
    told.sort_by_key(|message| numbers.iter().position(|number| *number == message.seq));
    told.truncate(most);
    Ok(told)
}
