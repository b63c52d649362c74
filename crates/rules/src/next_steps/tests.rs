//! Tests of the suggested steps.

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
    now.charges = 3;
    now.has_painted = true;
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
    now.waiting_ask = Some(DateTime::UNIX_EPOCH);
    let ask = first(&now);
    assert_eq!(ask.action, "A question waits for you until 1970-01-01T00:00:00Z: answer or decline it.");
    assert_eq!(ask.call, "GET /api/inbox?unread=true");
}

#[test]
fn unread_channels_are_named_by_their_calls() {
    let crew = "crew_0b8f6a4c2e1d4f5b9a7c3e5d7f9b1a2c";
    let conversation = "dm_0b8f6a4c2e1d4f5b9a7c3e5d7f9b1a2c";
    for (id, action, call) in [
        (crew, "Unread messages in your crew: 3. Read them.", format!("GET /api/crews/{crew}/new")),
        (
            conversation,
            "Unread messages to you: 3. Read them.",
            format!("GET /api/direct/{conversation}/new"),
        ),
    ] {
        let unread_channel = Some(UnreadChannel { id: id.into(), unread: 3 });
        let mut now =
            AgentSituation { charges: 1, unread_channel, has_painted: true, ..AgentSituation::default() };
        let step = first(&now);
        assert_eq!((step.action.as_str(), step.call), (action, call));
        assert_eq!(next_steps(&now, AgentInterface::Tools)[0].call, format!("messages(id={id})"));
        now.blocked = Some(Blocked::SeasonOver);
        assert_eq!(next_steps(&now, AgentInterface::Http)[1].action, action, "it can still read");
    }
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
        let words = if has_helped { "Go on with the plan that you help" } else { "Help with an open plan" };
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
    assert_eq!(steps[0].action, "You are banned until 1970-01-01T00:00:00Z: stop. If that is wrong, appeal.");
    let calls = |steps: Vec<NextStep>| steps.into_iter().map(|step| step.call).collect::<Vec<_>>();
    assert_eq!(calls(steps), ["POST /api/appeals", "GET /api/chat/new"]);
    now.blocked = Some(Blocked::Banned { until: PERMANENT });
    assert!(first(&now).action.contains("banned permanently"));
    now.blocked = Some(Blocked::AwaitsApproval);
    let steps = next_steps(&now, AgentInterface::Http);
    assert!(steps[0].action.contains("must approve you before"), "{steps:?}");
    assert_eq!(calls(steps), ["GET /api/home", "GET /api/chat/new"]);
    now.blocked = Some(Blocked::SeasonOver);
    now.unread_messages = 0;
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
        waiting_ask in prop::option::of(0_i64..4_000_000_000),
        channel in prop::option::of((prop::bool::ANY, 1_i64..=10_000)),
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
        let waiting_ask = waiting_ask.and_then(|by| DateTime::from_timestamp(by, 0));
        let unread_channel = channel.map(|(is_crew, unread)| {
            let prefix = if is_crew { "crew" } else { "dm" };
            UnreadChannel { id: format!("{prefix}_0b8f6a4c2e1d4f5b9a7c3e5d7f9b1a2c"), unread }
        });
        AgentSituation {
            blocked,
            charges,
            max_charges: charges + more,
            next_charge_at,
            has_painted,
            can_post,
            waiting_ask,
            has_unread_mentions,
            unread_channel,
            painted_over,
            has_conflicting_intents,
            has_free_intent,
            nearby_intents,
            open_plan,
            unread_messages,
        }
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
