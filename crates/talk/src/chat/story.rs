//! The chat about a pixel: its agent's message nearest in time to the placement, and the intents that cover
//! it.

use std::cmp::Reverse;

use caraplace_log::identity::Identity;
use caraplace_log::season::ArchivedSeason;
use caraplace_log::state::AppState;
use caraplace_messages::shadow::reads::{shadow_messages_by_ids, shadow_view};
use platform::refusal::Refusal;
use platform::schema::MessageSchema;
use rules::grid::{Corners, Point};
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};
use serde::Serialize;
use utoipa::ToSchema;

use super::pixel_reason::{PixelReason, find_reason};
use super::read::visible_messages;
use super::store::SeasonRange;
use super::{intents, store};

/// The maximum number of intents.
const MAX_INTENTS: i64 = 5;

/// The chat messages about a pixel.
#[derive(Debug, Serialize, ToSchema)]
pub struct PixelStory {
    pub x: u16,
    pub y: u16,
    /// The message of the pixel's newest painter that is nearest in time to its placement, before or after
    /// it; null if there is none.
    #[schema(value_type = Option<MessageSchema>)]
    pub said: Option<Message>,
    /// Intents whose region covers the pixel, newest first, at most 5.
    #[schema(value_type = Vec<MessageSchema>)]
    pub intents: Vec<Message>,
    /// The reason for the newest placement, as far as its painter has told it; null if nothing is known.
    pub why: Option<PixelReason>,
}

/// Returns the messages about a pixel in the whole season as the caller sees them, or none while the chat is
/// switched off.
pub async fn find_story(
    state: &AppState,
    point: Point,
    caller: Option<&Identity>,
) -> Result<PixelStory, Refusal> {
    let (season, placement) =
        state.read_world(|world| (world.season.seq, world.canvas.newest_placement_seq(point)));
    let season = SeasonRange { opening: season, last: Seq::MAX };
    find_story_in(state, point, placement, season, caller).await
}

/// Returns the messages about a pixel of an archived season, whose newest placement has this number.
pub async fn find_archived_story(
    state: &AppState,
    point: Point,
    placement: Option<Seq>,
    season: &ArchivedSeason,
    caller: Option<&Identity>,
) -> Result<PixelStory, Refusal> {
    let season = SeasonRange { opening: season.season.seq, last: season.last };
    find_story_in(state, point, placement, season, caller).await
}

/// Returns the messages about a pixel in a season, and the reason for it.
async fn find_story_in(
    state: &AppState,
    point: Point,
    placement: Option<Seq>,
    season: SeasonRange,
    caller: Option<&Identity>,
) -> Result<PixelStory, Refusal> {
    // A correction has the reason of the placement that it shows again.
    let placement = match placement {
        Some(placement) => store::restored_placement(&state.pool, placement).await?,
        None => None,
    };
    let mut story = find_messages(state, point, placement, season, caller).await?;
    if let Some(placement) = placement {
        story.why = find_reason(state, placement, season, caller, story.said.as_ref()).await?;
    }
    Ok(story)
}

async fn find_messages(
    state: &AppState,
    point: Point,
    placement: Option<Seq>,
    season: SeasonRange,
    caller: Option<&Identity>,
) -> Result<PixelStory, Refusal> {
    let Point { x, y } = point;
    if !state.game().chat_enabled {
        return Ok(PixelStory { x, y, said: None, intents: Vec::new(), why: None });
    }
    let message_seqs = match placement {
        Some(placement) => store::messages_near_placement(&state.pool, season, placement).await?,
        None => Vec::new(),
    };
    let said = visible_messages(state, &message_seqs, 1).await?.pop();
    let mut intent_seqs = store::newest_intents_at(&state.pool, season, point, MAX_INTENTS).await?;
    if intent_seqs.len() < MAX_INTENTS as usize {
        intent_seqs = store::intents_at(&state.pool, season, point, MAX_INTENTS).await?;
    }
    let intents = visible_messages(state, &intent_seqs, MAX_INTENTS as usize).await?;
    let story = PixelStory { x, y, said, intents, why: None };
    match caller.and_then(Identity::own_view) {
        Some(author) => own_view(state, point, placement, season, author, story).await,
        None => Ok(story),
    }
}

/// Adds the messages that only the caller can see.
async fn own_view(
    state: &AppState,
    point: Point,
    placement: Option<Seq>,
    season: SeasonRange,
    author: AccountNo,
    mut story: PixelStory,
) -> Result<PixelStory, Refusal> {
    if let Some(placement) = placement {
        let said_at = story.said.as_ref().map(|message| message.timestamp);
        let nearer = store::shadow_message_nearer(&state.pool, author, placement, season, said_at).await?;
        let found = shadow_messages_by_ids(state, nearer.as_slice()).await?.pop();
        story.said = found.map(|shadow| Message::clone(&shadow.message)).or(story.said);
    }
    // The regions of shadow messages are those that their author sees, so few of them need a view.
    let own = intents::own_shadow_messages(state, author, season, false).await?.into_iter();
    let own = own.filter(|shadow| covers(&shadow.message, point));
    story.intents.extend(own.map(|shadow| Message::clone(&shadow.message)));
    let shown = story.intents.iter().chain(&story.said).map(|message| message.id.as_str());
    let view = shadow_view(state, Some(author), shown).await?;
    story.intents.iter_mut().chain(&mut story.said).for_each(|message| view.apply(message));
    story.intents.retain(|intent| covers(intent, point));
    story.intents.sort_by_key(|intent| Reverse(intent.timestamp));
    story.intents.truncate(MAX_INTENTS as usize);
    Ok(story)
}

/// Returns true if a point is in a region of an intent.
fn covers(intent: &Message, point: Point) -> bool {
    let (x, y) = (i64::from(point.x), i64::from(point.y));
    let contains =
        |region: &Corners| (region.x1..=region.x2).contains(&x) && (region.y1..=region.y2).contains(&y);
    intent.regions().iter().any(contains)
}
