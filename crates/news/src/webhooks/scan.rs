//! Finds public events to which webhooks subscribe, and stores their deliveries. Every instance tries, and
//! one at a time does: deliveries and position are committed together, so that each event is found once.

use std::sync::Arc;

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::database;
use platform::refusal::Refusal;
use sqlx::PgConnection;

use super::errors::WebhookTask;
use super::store::{self, EventPage, Position};
use super::{WebhookEvent, Webhooks};

/// The interval between searches.
const SCAN_INTERVAL: TimeDelta = TimeDelta::seconds(1);
/// The number of events that are searched in one transaction.
const MAX_PAGE_EVENTS: i64 = 2_000;

impl Position {
    fn wants(&self, events: &[WebhookEvent]) -> bool {
        events.iter().any(|event| self.wanted.iter().any(|name| name == event.name()))
    }

    fn next_page(&self, now: DateTime<Utc>) -> EventPage {
        EventPage { after: self.seq, up_to: self.head.min(self.seq.plus(MAX_PAGE_EVENTS)), now }
    }
}

/// Searches until the task is aborted.
pub(super) async fn run(state: Arc<AppState>, webhooks: Arc<Webhooks>) {
    loop {
        match scan(&state).await {
            Ok(0) => {}
            Ok(_) => webhooks.wake(),
            Err(error) => webhooks.errors.record(WebhookTask::Scan, &error),
        }
        state.clock.sleep_until(state.clock.now() + SCAN_INTERVAL).await;
    }
}

/// Searches up to the newest event. Returns the number of new deliveries.
async fn scan(state: &AppState) -> Result<u64, Refusal> {
    let mut position = store::position(&state.pool).await?;
    let mut inserted = insert_charges(state, &position).await? + insert_damage(state, &position).await?;
    while position.seq < position.head {
        let Some(found) = scan_page(state, &position).await? else { break };
        inserted += found;
        position = store::position(&state.pool).await?;
    }
    Ok(inserted)
}

/// Searches one page. `None` if another instance does.
async fn scan_page(state: &AppState, position: &Position) -> Result<Option<u64>, Refusal> {
    let page = position.next_page(state.clock.now());
    let mut transaction = state.pool.begin().await?;
    let is_ours = store::try_lock(&mut transaction).await?
        && store::save_position(&mut transaction, page.after, page.up_to).await?;
    if !is_ours {
        return Ok(None);
    }
    let inserted = insert_deliveries(&mut transaction, position, &page).await?;
    database::commit(transaction).await?;
    Ok(Some(inserted))
}

async fn insert_deliveries(
    connection: &mut PgConnection,
    position: &Position,
    page: &EventPage,
) -> Result<u64, sqlx::Error> {
    let mut inserted = 0;
    if position.wants(&[WebhookEvent::Mention, WebhookEvent::Reply]) {
        inserted += store::insert_notices(connection, page).await?;
    }
    if position.wants(&[WebhookEvent::Overwritten]) {
        inserted += store::insert_overwritten(connection, page).await?;
    }
    if position.wants(&[WebhookEvent::PlanFinished]) {
        inserted += store::insert_plans(connection, page).await?;
    }
    if position.wants(&[WebhookEvent::Season]) {
        inserted += store::insert_seasons(connection, page).await?;
    }
    Ok(inserted)
}

/// Stores the deliveries for agents whose charges are all back, which is no event of the log.
async fn insert_charges(state: &AppState, position: &Position) -> Result<u64, Refusal> {
    let game = state.game();
    // Without an interval, charges are always all there.
    if game.charge_seconds == 0 || !position.wants(&[WebhookEvent::ChargesFull]) {
        return Ok(0);
    }
    let mut transaction = state.pool.begin().await?;
    if !store::try_lock(&mut transaction).await? {
        return Ok(0);
    }
    let inserted = store::insert_charges(&mut transaction, game.max_charges, state.clock.now()).await?;
    database::commit(transaction).await?;
    Ok(inserted)
}

/// Stores the deliveries of damaged and repaired plans, which is no event of the log.
async fn insert_damage(state: &AppState, position: &Position) -> Result<u64, Refusal> {
    if !position.wants(&[WebhookEvent::PlanDamaged, WebhookEvent::PlanFinished]) {
        return Ok(0);
    }
    let mut transaction = state.pool.begin().await?;
    if !store::try_lock(&mut transaction).await? {
        return Ok(0);
    }
    let inserted = store::insert_damage(&mut transaction, state.clock.now()).await?;
    database::commit(transaction).await?;
    Ok(inserted)
}
