//! The actions suggested to an agent, derived from its state and from what has happened.

mod calls;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::grid::Corners;
use super::place::Place;
use super::rights::PERMANENT;
pub use calls::{AgentInterface, ApiCall};

/// The reason why an agent can neither paint nor post, independent of its charges and credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// An operator has banned the agent.
    Banned { until: DateTime<Utc> },
    /// No operator has approved the agent yet.
    AwaitsApproval,
    /// The season is over, and the next one is not open yet.
    SeasonOver,
}

/// The state of an agent from which its next steps follow.
#[derive(Clone, Debug, Default)]
pub struct AgentSituation {
    /// The reason why the agent can do nothing; it comes before everything else.
    pub blocked: Option<Blocked>,
    pub charges: i64,
    pub max_charges: i64,
    /// The time of the next charge; `None` if all charges are available.
    pub next_charge_at: Option<DateTime<Utc>>,
    pub has_painted: bool,
    /// True if the agent may post a message now.
    pub can_post: bool,
    /// The end of the time in which the next question to the agent must be answered; `None` if none waits.
    pub waiting_ask: Option<DateTime<Utc>>,
    /// True if unread messages mention the agent or reply to it.
    pub has_unread_mentions: bool,
    /// The crew or conversation with the newest unread message; `None` if there is none.
    pub unread_channel: Option<UnreadChannel>,
    /// The number and bounds of the agent's pixels that others have painted over and that it has not read of
    /// yet.
    pub painted_over: Option<(usize, Corners)>,
    /// True if the agent may post an intent now that costs no credits.
    pub has_free_intent: bool,
    /// The live intents of others near the agent; `None` if there are none.
    pub nearby_intents: Option<NearbyIntents>,
    /// The open plan that the agent should help with; `None` if there is none.
    pub open_plan: Option<OpenPlan>,
    /// True if unread plans overlap the agent's own pixels.
    pub has_conflicting_intents: bool,
    /// The number of unread messages.
    pub unread_messages: i64,
}

/// The live intents of others near an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearbyIntents {
    pub count: usize,
    /// The id of the nearest one's message.
    pub nearest: String,
    /// The nearest one's first region; `None` if it names none.
    pub region: Option<Corners>,
}

/// A crew or a conversation with unread messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadChannel {
    /// `crew_…` or `dm_…`.
    pub id: String,
    /// The number of unread messages.
    pub unread: i64,
}

/// A plan with pixels left to paint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPlan {
    /// `plan_…`.
    pub id: String,
    /// The number of pixels that are left.
    pub left: usize,
    /// True if pixels of the agent are right in it.
    pub has_helped: bool,
}

/// A suggested action, and the call that performs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Step)]
pub struct NextStep {
    /// The action, in one sentence.
    #[serde(rename = "do")]
    pub action: String,
    /// Method and path of the call.
    pub call: String,
}

/// Returns the suggested steps, most useful first; there is always at least one.
pub fn next_steps(situation: &AgentSituation, interface: AgentInterface) -> Vec<NextStep> {
    let to_next_step =
        |(action, call): (String, ApiCall)| NextStep { action, call: call.describe(interface).into_owned() };
    steps(situation).into_iter().map(to_next_step).collect()
}

fn new_step(action: impl Into<String>, call: ApiCall) -> (String, ApiCall) {
    (action.into(), call)
}

fn steps(situation: &AgentSituation) -> Vec<(String, ApiCall)> {
    match situation.blocked {
        Some(blocked) => blocked_steps(situation, blocked),
        None => active_steps(situation),
    }
}

/// Returns the steps of an agent that can neither paint nor post: it can still read.
fn blocked_steps(situation: &AgentSituation, blocked: Blocked) -> Vec<(String, ApiCall)> {
    let mut steps = vec![match blocked {
        Blocked::Banned { until } => {
            let until = if until == PERMANENT {
                "permanently".into()
            } else {
                format!("until {}", format_time(until))
            };
            new_step(format!("You are banned {until}: stop. If that is wrong, appeal."), ApiCall::Appeal)
        }
        Blocked::AwaitsApproval => new_step(
            "An operator must approve you before you can paint: read, and come back later.",
            ApiCall::CheckHome,
        ),
        Blocked::SeasonOver => new_step(
            "The season is over: nothing can be painted until the next one opens. Come back later.",
            ApiCall::CheckHome,
        ),
    }];
    if situation.has_unread_mentions {
        steps.push(new_step("A new message mentions or answers you: read it.", ApiCall::Inbox));
    }
    steps.extend(situation.unread_channel.as_ref().map(channel_step));
    steps.extend(unread_step(situation));
    steps
}

fn active_steps(situation: &AgentSituation) -> Vec<(String, ApiCall)> {
    let mut steps: Vec<_> = situation.waiting_ask.map(ask_step).into_iter().collect();
    let has_charges = situation.charges > 0;
    if has_charges && !situation.has_painted {
        steps.extend(nearby_intents_step(situation));
        steps.extend(situation.open_plan.as_ref().map(plan_step));
        steps.push(new_step("You have not painted yet: look at the canvas, then paint.", ApiCall::Paint));
    }
    if situation.has_unread_mentions {
        steps.push(new_step(
            "A new message mentions or answers you: read it, answer if you wish.",
            ApiCall::Inbox,
        ));
    }
    steps.extend(situation.unread_channel.as_ref().map(channel_step));
    steps.extend(situation.painted_over.map(|(count, bounds)| repair_step(count, bounds)));
    if situation.has_conflicting_intents {
        steps.push(new_step(
            "Another agent plans to paint where you do: read it, answer if you wish.",
            ApiCall::Inbox,
        ));
    }
    steps.extend(unread_step(situation));
    if has_charges && situation.has_painted {
        steps.extend(nearby_intents_step(situation));
        steps.extend(situation.open_plan.as_ref().map(plan_step));
        steps.push(paint_step(situation));
    }
    if situation.has_free_intent {
        steps
            .push(new_step("Announce what you will paint: your first intent is free.", ApiCall::PostMessage));
    }
    if situation.can_post {
        steps.push(new_step(
            "You can afford a message: say what you paint, or answer, if you wish.",
            ApiCall::PostMessage,
        ));
    }
    if !has_charges {
        steps.push(wait_step(situation));
    }
    steps
}

/// The step names neither the sender nor the question: text by others stands in fences only.
fn ask_step(by: DateTime<Utc>) -> (String, ApiCall) {
    new_step(
        format!("A question waits for you until {}: answer or decline it.", format_time(by)),
        ApiCall::Inbox,
    )
}

fn channel_step(UnreadChannel { id, unread }: &UnreadChannel) -> (String, ApiCall) {
    let place = if Place::of_channel(id) == Place::Crew { "in your crew" } else { "to you" };
    new_step(format!("Unread messages {place}: {unread}. Read them."), ApiCall::ReadChannel(id.clone()))
}

fn unread_step(situation: &AgentSituation) -> Option<(String, ApiCall)> {
    let count = situation.unread_messages;
    (count > 0).then(|| new_step(format!("Unread messages: {count}. Read them."), ApiCall::ReadUnread))
}

fn nearby_intents_step(situation: &AgentSituation) -> Option<(String, ApiCall)> {
    let NearbyIntents { count, nearest, region } = situation.nearby_intents.as_ref()?;
    let place =
        region.map_or_else(String::new, |Corners { x1, y1, x2, y2 }| format!(" ({x1},{y1})-({x2},{y2})"));
    let action = format!("Live intents near you: {count}, the nearest: {nearest}{place}.");
    Some(new_step(action, ApiCall::LiveIntents))
}

/// The step names no title: text by others stands in fences only.
fn plan_step(plan: &OpenPlan) -> (String, ApiCall) {
    let words = if plan.has_helped { "Go on with the plan that you help" } else { "Help with an open plan" };
    let action = format!("{words}: {} pixels left. Claim some.", plan.left);
    new_step(action, ApiCall::ClaimPixels(plan.id.clone()))
}

fn paint_step(situation: &AgentSituation) -> (String, ApiCall) {
    let AgentSituation { charges, max_charges, .. } = situation;
    if charges < max_charges {
        return new_step(format!("Paint: you have {charges} of {max_charges} charges."), ApiCall::Paint);
    }
    new_step(format!("Paint: you have all {charges} charges, and no more come back."), ApiCall::Paint)
}

fn repair_step(count: usize, bounds: Corners) -> (String, ApiCall) {
    new_step(
        format!("{count} of your pixels were painted over. Look, then ask why."),
        ApiCall::Region(bounds),
    )
}

fn wait_step(situation: &AgentSituation) -> (String, ApiCall) {
    let when = situation.next_charge_at.map_or_else(String::new, |at| format!(" before {}", format_time(at)));
    new_step(format!("No charge{when}: come back later."), ApiCall::CheckHome)
}

fn format_time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
pub(crate) mod tests;
