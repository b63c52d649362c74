//! The reason for a placement, as far as its painter has told it: the plan and the intent behind it, and
//! messages about them.

use caraplace_canvas::plans::read::plan_as_seen_by;
use caraplace_canvas::plans::views::{find_stored_plan, plan_views};
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::shadow::reads::{shadow_messages_by_ids, shadow_view};
use chrono::TimeDelta;
use platform::refusal::Refusal;
use platform::schema::MessageSchema;
use rules::ids::PlanId;
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};
use rules::plan::PlanState;
use serde::Serialize;
use utoipa::ToSchema;

use super::read::visible_messages;
use super::store::SeasonRange;
use super::store::reasons::{self, PaintedRow};

/// The reason for the newest placement on a pixel.
#[derive(Debug, Serialize, ToSchema)]
pub struct PixelReason {
    /// True if `plan`, `intent` and `said` follow from what the painter has named: a plan, or the regions of
    /// an intent. An open intent that covers the pixel counts, although the placement does not name it. False
    /// if there is only `said`: its message nearest in time, which may be about something else.
    pub exact: bool,
    /// The plan that the placement names. Left out if it names none, or one whose picture is elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub plan: Option<NamedPlanSummary>,
    /// The painter's intent that names the same plan, or that covers the pixel and was open at the time of
    /// the placement. Left out if there is none among its 1000 messages before the placement and the 1000
    /// after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = MessageSchema, required = false)]
    pub intent: Option<Message>,
    /// The painter's message that names the same plan, or with `exact: false` the one nearest in time. Left
    /// out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = MessageSchema, required = false)]
    pub said: Option<Message>,
}

/// The plan that a placement names.
#[derive(Debug, Serialize, ToSchema)]
pub struct NamedPlanSummary {
    /// `plan_…`.
    pub id: String,
    pub title: String,
    pub state: PlanState,
}

/// A placement, and the season in which the messages about it are searched.
struct PaintedPixel<'a> {
    state: &'a AppState,
    /// The number of the placement.
    seq: Seq,
    painted: PaintedRow,
    season: SeasonRange,
    caller: Option<&'a Identity>,
    /// The caller's number, if it may see messages otherwise than everyone else.
    own_view: Option<AccountNo>,
}

/// Returns the reason for a placement as the caller sees it; `None` if nothing is known. `nearest` is the
/// painter's message nearest in time.
pub(super) async fn find_reason(
    state: &AppState,
    placement: Seq,
    season: SeasonRange,
    caller: Option<&Identity>,
    nearest: Option<&Message>,
) -> Result<Option<PixelReason>, Refusal> {
    let painted = reasons::find_painted(&state.pool, placement, caller.map(|caller| caller.no)).await?;
    let own_view = caller.and_then(Identity::own_view);
    let pixel = PaintedPixel { state, seq: placement, painted, season, caller, own_view };
    let plan = pixel.find_plan().await?;
    let (intent, said) = if state.game().chat_enabled {
        (pixel.find_message("intent").await?, pixel.find_message("message").await?)
    } else {
        (None, None)
    };
    if plan.is_some() || intent.is_some() || said.is_some() {
        return Ok(Some(PixelReason { exact: true, plan, intent, said }));
    }
    let fallback = |said: &Message| PixelReason { exact: false, plan, intent, said: Some(said.clone()) };
    Ok(nearest.map(fallback))
}

impl PaintedPixel<'_> {
    async fn find_plan(&self) -> Result<Option<NamedPlanSummary>, Refusal> {
        let Some(id) = self.painted.plan_id.as_deref().and_then(PlanId::parse) else { return Ok(None) };
        let Some(record) = find_stored_plan(self.state, &id).await? else { return Ok(None) };
        let record = plan_as_seen_by(&record, self.caller).unwrap_or(record);
        let view = plan_views(self.state, &[record], self.state.clock.now()).await?.pop();
        Ok(view.map(|view| NamedPlanSummary {
            id: view.record.id.clone(),
            title: view.record.title.clone(),
            state: view.state,
        }))
    }

    /// Returns the painter's message of this type that explains the placement, as the caller sees it.
    async fn find_message(&self, kind: &str) -> Result<Option<Message>, Refusal> {
        let pool = &self.state.pool;
        let plan = self.painted.plan_no;
        // Only a plan connects a message without regions with a placement.
        if plan.is_none() && kind != "intent" {
            return Ok(None);
        }
        let public =
            reasons::painters_message(pool, self.seq, self.season, plan, kind, self.own_view).await?;
        self.choose(public, kind).await
    }

    /// Returns the public message with this number, or the painter's shadow message of the same type that
    /// explains the placement better, as the caller sees them.
    async fn choose(&self, public: Option<Seq>, kind: &str) -> Result<Option<Message>, Refusal> {
        let public = visible_messages(self.state, public.as_slice(), 1).await?.pop();
        let Some(author) = self.own_view else { return Ok(public) };
        let shadow =
            if author == self.painted.painter { self.find_shadow_message(kind).await? } else { None };
        let candidates = shadow.into_iter().chain(public);
        let Some(mut best) = candidates.min_by_key(|message| self.distance(message)) else { return Ok(None) };
        let id = best.id.clone();
        shadow_view(self.state, Some(author), std::iter::once(id.as_str())).await?.apply(&mut best);
        Ok(Some(best))
    }

    /// Returns the painter's shadow message of this type that explains the placement.
    async fn find_shadow_message(&self, kind: &str) -> Result<Option<Message>, Refusal> {
        let pool = &self.state.pool;
        let plan = self.painted.plan_no;
        let id = reasons::painters_shadow_message(pool, self.seq, self.season, plan, kind).await?;
        let found = shadow_messages_by_ids(self.state, id.as_slice()).await?.pop();
        Ok(found.map(|shadow| Message::clone(&shadow.message)))
    }

    /// Returns how far a message is from the placement: one that names its plan is nearer than all others.
    fn distance(&self, message: &Message) -> (bool, TimeDelta) {
        let plan = self.painted.plan_id.as_deref();
        let names_plan = plan.is_some() && message.plan_id.as_deref() == plan;
        (!names_plan, (message.timestamp - self.painted.placed_at).abs())
    }
}
