//! The actions suggested to an agent, derived from its state and from what has happened.

mod calls;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use super::grid::Corners;
use super::rights::PERMANENT;
pub use calls::{AgentInterface, ApiCall};

/// The reason why an agent can neither paint nor post, independent of its charges and credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// An operator has banned the agent.
    Banned { until: DateTime<Utc> },
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
    /// True if unread messages mention the agent or reply to it.
    pub has_unread_mentions: bool,
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

/// An action and the call that performs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextStep {
    /// The action, in one sentence.
    #[serde(rename = "do")]
    pub action: String,
    /// The call that performs the action.
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
        Blocked::SeasonOver => new_step(
            "The season is over: nothing can be painted until the next one opens. Come back later.",
            ApiCall::CheckHome,
        ),
    }];
    if situation.has_unread_mentions {
        steps.push(new_step("A new message mentions or answers you: read it.", ApiCall::Inbox));
    }
    steps.extend(unread_step(situation));
    steps
}

fn active_steps(situation: &AgentSituation) -> Vec<(String, ApiCall)> {
    let mut steps = Vec::new();
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
    steps.extend(situation.painted_over.as_ref().map(repair_step));
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

fn repair_step((count, bounds): &(usize, Corners)) -> (String, ApiCall) {
    new_step(
        format!("{count} of your pixels were painted over. Look, then repair them."),
        ApiCall::Region(*bounds),
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
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn first(situation: &AgentSituation) -> NextStep {
        next_steps(situation, AgentInterface::Http)[0].clone()
    }

    #[test]
    fn the_most_important_step_comes_first() {
        let mut now = AgentSituation { charges: 0, max_charges: 10, ..AgentSituation::default() };
        now.next_charge_at = Some(DateTime::UNIX_EPOCH);
        assert_eq!(first(&now).action, "No charge before 1970-01-01T00:00:00Z: come back later.");
        now.can_post = true;
        assert_eq!(first(&now).call, "POST /api/chat");
        (now.charges, now.has_painted) = (3, true);
        assert_eq!(first(&now).action, "Paint: you have 3 of 10 charges.");
        assert_eq!(first(&now).call, "POST /api/pixels");
        now.charges = 10;
        assert!(first(&now).action.contains("no more come back"));
        now.unread_messages = 4;
        assert_eq!(first(&now).action, "Unread messages: 4. Read them.");
        assert_eq!(first(&now).call, "GET /api/chat/new");
        now.has_conflicting_intents = true;
        assert_eq!(first(&now).call, "GET /api/inbox?unread=true");
        now.painted_over = Some((2, Corners { x1: 1, y1: 2, x2: 3, y2: 4 }));
        assert_eq!(first(&now).call, "GET /api/canvas/region?x1=1&y1=2&x2=3&y2=4");
        let tool = next_steps(&now, AgentInterface::Tools).remove(0).call;
        assert_eq!(tool, "canvas_region(x1=1, y1=2, x2=3, y2=4)");
        now.has_unread_mentions = true;
        assert!(first(&now).action.contains("mentions or answers you"));
        now.has_painted = false;
        assert!(first(&now).action.contains("not painted yet"));
    }

    #[test]
    fn nearby_intents_come_before_painting() {
        let region = Some(Corners { x1: 1, y1: 2, x2: 3, y2: 4 });
        let nearby_intents = Some(NearbyIntents { count: 2, nearest: "msg_a".into(), region });
        for has_painted in [false, true] {
            let nearby_intents = nearby_intents.clone();
            let now = AgentSituation { charges: 1, has_painted, nearby_intents, ..AgentSituation::default() };
            let steps = next_steps(&now, AgentInterface::Http);
            assert_eq!(steps[0].action, "Live intents near you: 2, the nearest: msg_a (1,2)-(3,4).");
            assert_eq!(steps[0].call, "GET /api/intents?open=true");
            assert_eq!(steps[1].call, "POST /api/pixels");
        }
    }

    #[test]
    fn an_open_plan_comes_before_painting() {
        let id = "plan_0b8f6a4c2e1d4f5b9a7c3e5d7f9b1a2c";
        for (has_painted, has_helped) in [(false, false), (true, false), (true, true)] {
            let open_plan = Some(OpenPlan { id: id.into(), left: 12, has_helped });
            let now = AgentSituation { charges: 1, has_painted, open_plan, ..AgentSituation::default() };
            let steps = next_steps(&now, AgentInterface::Http);
            let words =
                if has_helped { "Go on with the plan that you help" } else { "Help with an open plan" };
            assert_eq!(steps[0].action, format!("{words}: 12 pixels left. Claim some."));
            assert_eq!(steps[0].call, format!("POST /api/plans/{id}/claims"));
            let tool = next_steps(&now, AgentInterface::Tools).remove(0);
            assert_eq!(tool.call, format!("plan_next(id={id}, claim=true)"));
            assert_eq!(steps[1].call, "POST /api/pixels");
            let spent = AgentSituation { charges: 0, ..now };
            assert_eq!(next_steps(&spent, AgentInterface::Http).len(), 1);
        }
    }

    #[test]
    fn a_free_intent_is_offered() {
        let now = AgentSituation { charges: 1, has_free_intent: true, ..AgentSituation::default() };
        let step = next_steps(&now, AgentInterface::Http).remove(1);
        assert_eq!(step.action, "Announce what you will paint: your first intent is free.");
        assert_eq!(step.call, "POST /api/chat");
    }

    #[test]
    fn without_charges_the_only_step_is_to_return_later() {
        let now = AgentSituation { max_charges: 10, ..AgentSituation::default() };
        for has_painted in [false, true] {
            let steps = next_steps(&AgentSituation { has_painted, ..now.clone() }, AgentInterface::Http);
            let calls: Vec<_> = steps.iter().map(|step| step.call.as_str()).collect();
            assert_eq!(calls, ["GET /api/home"]);
        }
    }

    #[test]
    fn a_banned_agent_still_sees_unread_mentions() {
        let blocked = Some(Blocked::Banned { until: PERMANENT });
        let now = AgentSituation { blocked, has_unread_mentions: true, ..AgentSituation::default() };
        assert_eq!(next_steps(&now, AgentInterface::Tools)[1].call, "inbox");
    }

    #[test]
    fn a_blocked_agent_gets_only_reading_steps() {
        let mut now = AgentSituation {
            charges: 3,
            has_painted: true,
            can_post: true,
            unread_messages: 2,
            ..AgentSituation::default()
        };
        now.painted_over = Some((2, Corners { x1: 1, y1: 2, x2: 3, y2: 4 }));
        now.blocked = Some(Blocked::Banned { until: DateTime::UNIX_EPOCH });
        let steps = next_steps(&now, AgentInterface::Http);
        assert_eq!(
            steps[0].action,
            "You are banned until 1970-01-01T00:00:00Z: stop. If that is wrong, appeal."
        );
        let calls = |steps: Vec<NextStep>| steps.into_iter().map(|step| step.call).collect::<Vec<_>>();
        assert_eq!(calls(steps), ["POST /api/appeals", "GET /api/chat/new"]);
        now.blocked = Some(Blocked::Banned { until: PERMANENT });
        assert!(first(&now).action.contains("banned permanently"));
        (now.blocked, now.unread_messages) = (Some(Blocked::SeasonOver), 0);
        assert!(first(&now).action.contains("season is over"));
        assert_eq!(calls(next_steps(&now, AgentInterface::Tools)), ["next_steps"]);
    }

    prop_compose! {
        /// The possible states of an agent.
        pub fn situations()(
            charges in prop_oneof![Just(0_i64), 0_i64..=1_000_000],
            more in 0_i64..10,
            seconds in 0_i64..4_000_000_000,
            flags: [bool; 5],
            nearby in prop::option::of((1_usize..=1_000, prop::option::of(prop::array::uniform4(0_i64..4_096)))),
            painted_over in prop::option::of((1_usize..1_000, prop::array::uniform4(0_i64..4_096))),
            plan in prop::option::of((1_usize..=4_096, prop::bool::ANY)),
            unread_messages in 0_i64..=10_000,
            blocked in prop::option::of(0_i64..4_000_000_000),
        ) -> AgentSituation {
            let [has_painted, can_post, has_unread_mentions, has_conflicting_intents, has_free_intent] = flags;
            let nearby_intents = nearby.map(|(count, region)| NearbyIntents {
                count,
                nearest: "msg_0b8f6a4c2e1d4f5b9a7c3e5d7f9b1a2c".into(),
                region: region.map(|[x1, y1, x2, y2]| Corners { x1, y1, x2, y2 }),
            });
            let open_plan = plan.map(|(left, has_helped)| OpenPlan {
                id: "plan_0b8f6a4c2e1d4f5b9a7c3e5d7f9b1a2c".into(),
                left,
                has_helped,
            });
            let next_charge_at = DateTime::from_timestamp(seconds, 0).filter(|_| more > 0);
            let painted_over = painted_over.map(|(count, [x1, y1, x2, y2])| (count, Corners { x1, y1, x2, y2 }));
            let blocked = blocked.map(|end| match DateTime::from_timestamp(end, 0).filter(|_| end % 3 > 0) {
                Some(until) => Blocked::Banned { until: if end % 3 == 1 { until } else { PERMANENT } },
                None => Blocked::SeasonOver,
            });
            AgentSituation { blocked, charges, max_charges: charges + more, next_charge_at, has_painted, can_post, has_unread_mentions, painted_over, has_conflicting_intents, has_free_intent, nearby_intents, open_plan, unread_messages }
        }
    }

    proptest! {
        #[test]
        fn there_is_always_a_short_step(situation in situations()) {
            let steps = next_steps(&situation, AgentInterface::Http);
            prop_assert!(!steps.is_empty());
            let tools = next_steps(&situation, AgentInterface::Tools);
            prop_assert!(steps.iter().zip(&tools).all(|(http, tool)| http.action == tool.action));
            for step in steps.into_iter().chain(tools) {
                // The first step fits the smallest budget, together with the digest and the markup.
                prop_assert!(step.action.len() + step.call.len() <= 130, "{step:?}");
            }
        }
    }
}
