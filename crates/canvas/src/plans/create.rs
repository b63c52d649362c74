//! Opens a plan. It is free, with limits for each author.

use std::sync::Arc;

use caraplace_accounts::address_limit::{MessageReservation, SenderAddress};
use caraplace_accounts::agents::permissions;
use caraplace_accounts::channels::ChannelTarget;
use caraplace_accounts::channels::part::Channels;
use caraplace_accounts::filters::{Filters, ReplacedPart};
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::{Command, CommandOutcome, RepeatableRequest};
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::refusal::{CrewRefusal, PlacementRefusal, PlanRefusal, Refusal};
use rules::ids::CrewId;
use rules::numbers::AccountNo;
use rules::plan::record::{PlanCrew, PlanView};
use rules::plan::{MAX_LIVE_PLANS, MAX_NEWCOMER_PLANS, NEW_PLAN_INTERVAL, Target};
use rules::rights::{AccountAction, AccountKind};
use rules::wait::plausible_wait;

use super::PlanResponse;
use super::batch::{NewPlan, open_plan};
use super::new_plan::{FilteredTexts, NewPlanBody, parse_lifetime, parse_target};
use super::part::Plans;

struct CreatePlan {
    author: AccountNo,
    title: String,
    note: Option<String>,
    target: Arc<Target>,
    lifetime: TimeDelta,
    /// `None` if it is to belong to no crew.
    crew: Option<ChannelTarget>,
    /// The reservation in the count of the address.
    slot: MessageReservation,
}

impl Command for CreatePlan {
    type Output = PlanView;

    const ACTION: AccountAction = AccountAction::Plan;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        needs.parts.get_mut::<Plans>().require_author(self.author);
        if let Some(crew) = &self.crew {
            needs.parts.get_mut::<Channels>().require(crew.clone());
        }
    }

    fn decide(&self, context: &mut BatchContext<'_>, account: &mut Account) -> Result<PlanView, Refusal> {
        // The season may have changed since the picture was checked, and the new canvas may be smaller.
        if context.season.size.rect(self.target.area().corners()).is_none() {
            return Err(PlacementRefusal::OutsideNewCanvas.into());
        }
        let crew = self.crew.as_ref().map(|crew| find_crew(context, account, crew)).transpose()?;
        if account.rights.kind != AccountKind::Operator {
            check_limits(context, account)?;
        }
        check_newcomer(context, account)?;
        let limit = context.game.messages_per_ip_per_minute;
        self.slot.reserve_as(account.rights.kind, limit, context.now)?;
        let (crew, is_private) = crew.map_or((None, false), |(crew, is_private)| (Some(crew), is_private));
        let title = self.title.clone();
        let note = self.note.clone();
        let target = self.target.clone();
        let lifetime = self.lifetime;
        Ok(open_plan(context, account, NewPlan { title, note, target, lifetime, crew, is_private }))
    }

    fn undo(&self) {
        self.slot.release();
    }
}

/// Returns the crew of a new plan, and true if only its members are to see the plan.
///
/// # Errors
/// `Input` if the author can see no such crew, or `Crew` if it is no member or the crew is archived.
fn find_crew(
    context: &BatchContext<'_>,
    account: &Account,
    target: &ChannelTarget,
) -> Result<(PlanCrew, bool), Refusal> {
    let channel =
        context.part::<Channels>().find_or_new(target).filter(|channel| channel.is_readable_by(account.no));
    let channel = channel.ok_or_else(unknown_crew)?;
    let crew = channel.crew.ok_or_else(unknown_crew)?;
    if !channel.has_member(account.no) {
        return Err(CrewRefusal::NotMember.into());
    }
    if crew.is_archived {
        return Err(CrewRefusal::Archived.into());
    }
    let members = channel.members;
    let is_private = !crew.is_open || !crew.audience.is_everyone();
    Ok((PlanCrew { id: channel.id.to_string(), members }, is_private))
}

fn unknown_crew() -> Refusal {
    Refusal::invalid(
        "crew_id",
        "There is no crew with this id. Leave crew_id out, or send the id of a crew of yours.",
    )
}

fn check_limits(context: &BatchContext<'_>, account: &Account) -> Result<(), Refusal> {
    let plans = context.part::<Plans>().of_author(account.no);
    if plans.live >= MAX_LIVE_PLANS as i64 {
        return Err(PlanRefusal::TooManyLive.into());
    }
    let next_at = plans.newest_at.map(|at| at + NEW_PLAN_INTERVAL);
    let wait = next_at.map(|at| plausible_wait(at, context.now, NEW_PLAN_INTERVAL));
    match wait.filter(|wait| !wait.is_zero()) {
        Some(wait) => Err(PlanRefusal::TooSoon { wait }.into()),
        None => Ok(()),
    }
}

/// Checks the limit that an agent without pixels shares with those of its address. It does not apply where
/// messages per address are unlimited.
fn check_newcomer(context: &BatchContext<'_>, account: &Account) -> Result<(), PlanRefusal> {
    let is_limited = context.game.messages_per_ip_per_minute > 0 && account.is_newcomer();
    if is_limited
        && context.part::<Plans>().of_author(account.no).live_of_newcomers >= MAX_NEWCOMER_PLANS as i64
    {
        return Err(PlanRefusal::TooManyByNewcomers);
    }
    Ok(())
}

/// Opens a plan in the name of an agent, a person with a pass, or the operators.
///
/// # Errors
/// The first refusal: of the fields, of the account, of a text, or of a limit.
pub async fn create(
    state: &AppState,
    filters: &Filters,
    author: &Identity,
    address: SenderAddress<'_>,
    body: &NewPlanBody,
) -> Result<PlanResponse, Refusal> {
    let (command, changed) = prepare(state, filters, author, address, body).await?;
    let view = submit(state, author, command).await?;
    PlanResponse::from_view(state, &view, changed).await
}

/// Opens the plan of a draft, at most once. `None` if it was opened before.
///
/// # Errors
/// Those of [`create`].
pub async fn create_once(
    state: &AppState,
    filters: &Filters,
    author: &Identity,
    address: SenderAddress<'_>,
    body: &NewPlanBody,
    repeatable: RepeatableRequest,
) -> Result<Option<PlanResponse>, Refusal> {
    let (command, changed) = prepare(state, filters, author, address, body).await?;
    match state.log.submit(author, Some(repeatable), command, None).await {
        Ok(CommandOutcome::Executed(view)) => PlanResponse::from_view(state, &view, changed).await.map(Some),
        Ok(CommandOutcome::Replayed(_)) => Ok(None),
        Err(refusal) => Err(Box::pin(permissions::with_appeal(state, author, refusal)).await),
    }
}

/// Checks a plan that is to be opened later, except for the limits that only the log knows.
///
/// # Errors
/// The refusal of the fields, of the account, or of a text.
pub async fn check(
    state: &AppState,
    filters: &Filters,
    author: &Identity,
    address: SenderAddress<'_>,
    body: &NewPlanBody,
) -> Result<(), Refusal> {
    prepare(state, filters, author, address, body).await.map(|_| ())
}

/// Returns the command that opens a plan, and the kinds of parts that the filters replaced in its texts.
async fn prepare(
    state: &AppState,
    filters: &Filters,
    author: &Identity,
    address: SenderAddress<'_>,
    body: &NewPlanBody,
) -> Result<(CreatePlan, Vec<ReplacedPart>), Refusal> {
    let size = state.read_world(|world| world.season.size);
    let target = parse_target(size, body.x, body.y, &body.rows)?;
    let lifetime = parse_lifetime(body.expires_in)?;
    let parse_crew = |id: &str| CrewId::parse(id).ok_or_else(unknown_crew);
    let crew_id = body.crew_id.as_deref().map(parse_crew).transpose()?;
    permissions::check(state, author, AccountAction::Plan).await?;
    let texts =
        FilteredTexts::filter(filters, &author.key_hash, Some(&body.title), body.note.as_deref()).await?;
    let command = CreatePlan {
        author: author.no,
        title: texts.title.unwrap_or_default(),
        note: texts.note.filter(|note| !note.is_empty()),
        target: Arc::new(target),
        lifetime,
        crew: crew_id.map(|id| ChannelTarget::Crew(id.as_str().to_owned())),
        slot: address.slot(),
    };
    Ok((command, texts.changed))
}

/// Submits a command about a plan, which has no idempotency key.
pub(super) async fn submit<C: Command>(
    state: &AppState,
    account: &Identity,
    command: C,
) -> Result<C::Output, Refusal> {
    match state.log.submit(account, None, command, None).await {
        Ok(CommandOutcome::Executed(output)) => Ok(output),
        Ok(CommandOutcome::Replayed(_)) => Err(Refusal::Unavailable),
        Err(refusal) => Err(Box::pin(permissions::with_appeal(state, account, refusal)).await),
    }
}
