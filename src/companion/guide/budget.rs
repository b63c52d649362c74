//! The budgets of a day in UTC: questions of each visitor and from each address. Money has budgets of its
//! own.

use chrono::{DateTime, Utc};
use platform::config::GuideSettings;
use platform::refusal::{GuideBudgetKind, GuideRefusal, Refusal};
use platform::tokens::hex;
use sqlx::PgConnection;

use super::message::GuideBudget;
use super::spending::{GuideSpending, next_midnight, today};

use super::store::uses::{self, ReservedRow};
use super::{Guide, money};
use crate::accounts::visitor::{ConversationOwner, Visitor};
use crate::log::state::AppState;

/// A limit on questions per day.
struct TurnLimit {
    budget: GuideBudgetKind,
    /// The name under which they are counted.
    subject: String,
    limit: u32,
}

/// Counts a question of a visitor.
///
/// # Errors
/// `BudgetSpent` if a budget has nothing left. The transaction must be rolled back then.
pub(super) async fn count_turn(
    connection: &mut PgConnection,
    guide: &Guide,
    state: &AppState,
    visitor: &Visitor,
) -> Result<(), Refusal> {
    let day = today(state);
    let now = state.clock.now();
    let payer = money::find_payer(state, visitor);
    let uses = money::read(&mut *connection, day, payer.as_deref(), ReservedRow::default()).await?;
    money::check(&guide.settings, &uses, now)?;
    for TurnLimit { budget, subject, limit } in turn_limits(&guide.settings, state, visitor) {
        if !uses::count_turn(&mut *connection, day, &subject, limit.into()).await? {
            return Err(spent_budget(budget, limit.into(), 0, now));
        }
    }
    Ok(())
}

/// Returns the number of questions that a visitor may still ask today.
pub(super) async fn find_left(
    guide: &Guide,
    state: &AppState,
    visitor: &Visitor,
) -> Result<GuideBudget, Refusal> {
    let day = today(state);
    let now = state.clock.now();
    let settings = &guide.settings;
    let mut connection = state.pool.acquire().await?;
    let payer = money::find_payer(state, visitor);
    let money_uses = money::read(&mut connection, day, payer.as_deref(), ReservedRow::default()).await?;
    let mut turns_left = if money::check(settings, &money_uses, now).is_ok() { u32::MAX } else { 0 };
    for TurnLimit { subject, limit, .. } in turn_limits(settings, state, visitor) {
        let used = uses::read(&mut connection, day, &subject).await?.turns;
        turns_left = turns_left.min(limit.saturating_sub(used as u32));
    }
    let turns_per_day = turns_per_day(settings, state, visitor);
    Ok(GuideBudget { turns_left, turns_per_day, resets_at: next_midnight(now) })
}

/// Returns what the guide has taken today on all instances.
pub async fn find_spending(state: &AppState) -> Result<GuideSpending, Refusal> {
    let mut connection = state.pool.acquire().await?;
    Ok(uses::read(&mut connection, today(state), uses::SERVER).await?)
}

/// Returns the limits that hold for a visitor. Accounts cannot be made in numbers, so the limit of an address
/// holds only for browsers without one, which can forget their cookie.
fn turn_limits(settings: &GuideSettings, state: &AppState, visitor: &Visitor) -> Vec<TurnLimit> {
    let subject = match &visitor.owner {
        ConversationOwner::Browser(hash) => format!("browser:{}", hex(hash)),
        ConversationOwner::Account(no) => format!("account:{no}"),
    };
    let limit = turns_per_day(settings, state, visitor);
    let mut limits = vec![TurnLimit { budget: GuideBudgetKind::Visitor, subject, limit }];
    if let Some(subject) = money::find_payer(state, visitor) {
        let limit = settings.turns_per_ip_per_day;
        limits.push(TurnLimit { budget: GuideBudgetKind::Address, subject, limit });
    }
    limits
}

/// Returns the number of questions that a visitor may ask per day: more with a pass, and for operators.
fn turns_per_day(settings: &GuideSettings, state: &AppState, visitor: &Visitor) -> u32 {
    let now = state.clock.now();
    let pass = visitor.viewer.as_ref().and_then(|viewer| viewer.rights.pass.as_ref());
    let has_more = visitor.operator.is_some() || pass.is_some_and(|pass| pass.until > now);
    if has_more { settings.pass_turns_per_day } else { settings.turns_per_day }
}

fn spent_budget(budget: GuideBudgetKind, limit: u64, left: u64, now: DateTime<Utc>) -> Refusal {
    GuideRefusal::BudgetSpent { budget, limit, left, retry_after: next_midnight(now) - now }.into()
}
