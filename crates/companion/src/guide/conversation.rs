//! Lists and deletes a visitor's conversation.

use std::collections::HashMap;

use caraplace_accounts::visitor::{ConversationOwner, Visitor};
use chrono::{DateTime, Utc};
use platform::database;
use platform::refusal::{Refusal, internal};

use super::Guide;
use super::budget::Budgets;
use super::claim::parse_context;
use super::events::TurnUsage;
use super::message::{GuideMessage, GuideMessages, GuideRole};
use super::store::conversation::{self as store, GuideMessageRow};
use super::store::lock_turns;
use super::store::uses::{self, Increase};
use crate::app::App;
use crate::drafts::{self, Draft};

/// The maximum number of messages in the list.
const MAX_LISTED: i64 = 100;

/// Returns the newest messages of a visitor's conversation, oldest first, and what is left of the budget.
pub async fn list(app: &App, guide: &Guide, visitor: &Visitor) -> Result<GuideMessages, Refusal> {
    let state = &app.state;
    let mut rows = store::list(&state.pool, &visitor.owner, MAX_LISTED).await?;
    rows.reverse();
    let ids: Vec<String> = rows.iter().flat_map(|row| row.drafts.iter().cloned()).collect();
    let drafts = drafts::list::find_by_ids(state, &ids).await?;
    let mut drafts: HashMap<String, Draft> =
        drafts.into_iter().map(|draft| (draft.id.clone(), draft)).collect();
    let now = state.clock.now();
    let listed: Result<_, _> = rows.into_iter().map(|row| to_message(row, &mut drafts, now)).collect();
    let budget = Budgets::new(&guide.settings, state, visitor, now).find_left(&state.pool).await?;
    Ok(GuideMessages { messages: listed?, budget, shared: visitor.operator.is_some() })
}

/// Deletes an owner's conversation with the drafts in it. A turn that runs is ended, and what it can cost
/// counts. What was counted stays counted.
///
/// # Errors
/// `Overloaded`.
pub async fn forget(app: &App, owner: ConversationOwner) -> Result<(), Refusal> {
    let state = &app.state;
    let day = state.clock.now().date_naive();
    let _permit = match &app.guide {
        Some(guide) => Some(guide.acquire_database_permit().await?),
        None => None,
    };
    let mut transaction = state.pool.begin().await?;
    lock_turns(&mut transaction, day).await?;
    drafts::delete_of(&mut transaction, owner).await?;
    let deleted = store::delete_conversation(&mut transaction, &owner).await?;
    // The turn corrects it when it ends.
    let cost_micros = deleted.reserved_micros;
    let increase = Increase { cost_micros, ..Increase::default() };
    uses::add(&mut transaction, day, deleted.payer.as_deref(), increase).await?;
    database::commit(transaction).await?;
    if let Some(guide) = &app.guide {
        deleted.running.iter().for_each(|id| guide.running.end(id));
    }
    Ok(())
}

fn to_message(
    row: GuideMessageRow,
    drafts: &mut HashMap<String, Draft>,
    now: DateTime<Utc>,
) -> Result<GuideMessage, Refusal> {
    let context = row.context.map(|context| parse_context(Some(context))).transpose()?;
    let trace = row.trace.map(serde_json::from_value).transpose();
    // Only answers have all of them.
    let tokens = row.input_tokens.zip(row.output_tokens).zip(row.cost_micros);
    let usage = tokens.map(|((input_tokens, output_tokens), cost_micros)| TurnUsage {
        input_tokens: input_tokens as u64,
        output_tokens: output_tokens as u64,
        cost_micros: cost_micros as u64,
    });
    Ok(GuideMessage {
        id: row.id,
        role: row.role,
        content: row.content,
        context: context.filter(|_| row.role == GuideRole::Visitor),
        state: row.state.map(|state| state.at(row.running_until, now)),
        trace: trace.map_err(internal("reading the tool calls of an answer"))?.unwrap_or_default(),
        drafts: row.drafts.iter().filter_map(|id| drafts.remove(id)).collect(),
        model: row.model,
        usage,
        created_at: row.created_at,
    })
}
