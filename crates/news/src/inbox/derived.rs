//! The items of an inbox that are computed from placements and intents, and not stored.

use std::collections::HashSet;
use std::sync::Arc;

use caraplace_canvas::Placement;
use caraplace_canvas::agent_pixels::{self, AgentPixels};
use caraplace_canvas::plans::settle::damage;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::live_intents::LiveIntent;
use caraplace_talk::read_state::ReadState;
use platform::refusal::Refusal;
use rules::grid::Point;
use rules::numbers::Seq;

use super::item::{InboxItem, InboxItemKind, ItemState};
use super::store::{self, PlanNews};
use super::{agreements, clusters, overlap};

/// The placements and intents of others that make items in an account's inbox.
pub struct DerivedNews {
    /// The placements over the agent's pixels, oldest first.
    covering: Vec<Placement>,
    /// The items of overlapping live intents.
    overlaps: Vec<InboxItem>,
    /// The agent's plans that were finished, or damaged or repaired after that; the damaged ones first.
    plans: Vec<PlanNews>,
}

/// Finds the placements and intents that concern an account.
pub async fn find_derived_news(
    state: &AppState,
    account: &Identity,
    agent_pixels: &AgentPixels,
    live_intents: &[Arc<LiveIntent>],
) -> Result<DerivedNews, Refusal> {
    let covering = agent_pixels::find_overwriting_placements(state, account, agent_pixels).await?;
    let covering = agreements::without_agreed(state, account, covering).await?;
    let mut overlaps = overlap::find_overlaps(&account.id, &agent_pixels.visible, live_intents);
    if !overlaps.is_empty() {
        let seqs: Vec<Seq> = overlaps.iter().map(|item| item.seq).collect();
        // An intent that mentions the account or replies to it has an item already.
        let unnoticed = store::unnoticed_among(&state.pool, account.no, &seqs).await?;
        overlaps.retain(|item| unnoticed.contains(&item.seq));
    }
    let season = state.read_world(|world| world.season.seq);
    if let Err(error) = damage::record_for_author(state, account.no).await {
        // The next check records it. A database that takes no rows can still be read.
        tracing::warn!(%error, "damage of plans could not be recorded before an inbox was read");
    }
    let mut plans = store::plan_news(&state.pool, account.no, season).await?;
    plans.sort_by(|one, other| (one.is_finished, &one.plan).cmp(&(other.is_finished, &other.plan)));
    Ok(DerivedNews { covering, overlaps, plans })
}

/// Adds the item of a plan. If the same placement has an item already, because it has painted over a pixel of
/// the agent or has changed another plan, that item names the plan, because the id of an item is its number.
fn add_plan(items: &mut Vec<InboxItem>, news: &PlanNews) {
    let state = if news.is_finished { ItemState::Finished } else { ItemState::Damaged };
    if let Some(item) = items.iter_mut().find(|item| item.seq == news.seq) {
        item.add_plan(news.plan.clone(), state);
        return;
    }
    let mut item = InboxItem::new(InboxItemKind::Plan, news.seq, news.at);
    item.add_plan(news.plan.clone(), state);
    items.push(item);
}

impl DerivedNews {
    /// Returns the items, newest first.
    pub fn items(&self, read: &ReadState) -> Vec<InboxItem> {
        let mut items = clusters::overwritten_items(&self.covering, read);
        items.extend(self.overlaps.iter().cloned());
        self.plans.iter().for_each(|news| add_plan(&mut items, news));
        items.iter_mut().for_each(|item| item.set_read(read));
        items.sort_by_key(|item| std::cmp::Reverse(item.seq));
        items
    }

    /// Returns the points of the agent's pixels whose items of placements over them are unread.
    pub fn unread_points(&self, read: &ReadState) -> HashSet<Point> {
        clusters::unread_points(&self.covering, read)
    }

    /// Returns the messages of those items that are among these.
    pub fn messages_among(&self, is_marked: impl Fn(Seq) -> bool) -> Vec<Seq> {
        self.overlaps.iter().map(|item| item.seq).filter(|seq| is_marked(*seq)).collect()
    }
}
