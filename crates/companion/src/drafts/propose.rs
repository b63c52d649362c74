//! Proposes a change: checks it fully, and stores it as a draft. Nothing else is written.

use caraplace_accounts::visitor::Visitor;
use platform::refusal::{DraftRefusal, GuideRefusal, Refusal};
use platform::{clock, database};
use serde_json::Value;

use super::access::DraftPerson;
use super::change::{DraftChange, fix_fields};
use super::check::check;
use super::store::NewDraft;
use super::summary::summarize;
use super::{Draft, DraftDecider, DraftKind, DraftProposal, DraftState, LIFETIME, TurnRun, store};
use crate::app::App;

/// The maximum number of drafts of a visitor that wait for a decision.
const MAX_WAITING: usize = 10;
/// The maximum number of drafts of visitors without an account at one address that wait for a decision.
const MAX_WAITING_AT_ADDRESS: usize = 20;
/// The maximum number of drafts of all visitors without an account that wait for a decision.
const MAX_WAITING_WITHOUT_ACCOUNT: usize = 200;

/// Stores a change that the guide proposes to a visitor. Its `decider` says who can approve it.
///
/// # Errors
/// The refusal that the same change would have now; or `Draft` if the visitor may not propose it, has
/// proposed it already, has too many drafts, or the run has ended.
pub async fn propose(app: &App, visitor: &Visitor, proposal: DraftProposal) -> Result<Draft, Refusal> {
    let DraftProposal { kind, change, run } = proposal;
    let person = DraftPerson::Visitor(visitor);
    // A plan that the visitor may not open is for operators.
    person.check_may_approve(kind, DraftDecider::Visitor)?;
    let fields = fix_fields(kind, change, app.history.head());
    let change = DraftChange::parse(kind, &fields)?;
    let decider = check(app, person, &change).await?;
    insert(app, visitor, kind, decider, run, summarize(&change), fields).await
}

async fn insert(
    app: &App,
    visitor: &Visitor,
    kind: DraftKind,
    decider: DraftDecider,
    run: TurnRun,
    summary: String,
    change: Value,
) -> Result<Draft, Refusal> {
    let id = clock::new_id("draft");
    let now = app.state.clock.now();
    let owner = visitor.owner;
    let has_no_account = owner.is_browser();
    let address = has_no_account.then(|| app.state.hash_address(visitor.address));
    let guide = app.guide.as_ref().ok_or(GuideRefusal::Disabled)?;
    let _permit = guide.acquire_database_permit().await?;
    let mut transaction = app.state.pool.begin().await?;
    store::lock_proposals(&mut transaction).await?;
    let new = NewDraft { id: &id, owner, address, kind, decider, summary: &summary, change: &change, run };
    let waiting = store::count_waiting(&mut transaction, &new, now).await?;
    if waiting.same > 0 {
        return Err(DraftRefusal::AlreadyProposed.into());
    }
    if waiting.own >= MAX_WAITING as i64 {
        return Err(DraftRefusal::TooManyOwn { limit: MAX_WAITING }.into());
    }
    if waiting.at_address >= MAX_WAITING_AT_ADDRESS as i64 {
        return Err(DraftRefusal::TooManyInAll { limit: MAX_WAITING_AT_ADDRESS }.into());
    }
    if has_no_account && waiting.without_account >= MAX_WAITING_WITHOUT_ACCOUNT as i64 {
        return Err(DraftRefusal::TooManyInAll { limit: MAX_WAITING_WITHOUT_ACCOUNT }.into());
    }
    if !store::insert(&mut transaction, &new, now).await? {
        return Err(DraftRefusal::TurnEnded.into());
    }
    database::commit(transaction).await?;
    Ok(Draft {
        id,
        kind,
        summary,
        change,
        state: DraftState::Pending,
        decider,
        created_at: now,
        expires_at: now + LIFETIME,
        decided_at: None,
        result: None,
        last_refusal: None,
    })
}
