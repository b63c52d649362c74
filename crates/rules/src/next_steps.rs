//! What an agent should do next, from what it has and what has happened.

use std::borrow::Cow;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use super::grid::Corners;
use super::rights::FOR_EVER;

/// Why nothing can be painted or said now, whatever is left of charges and credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// An operator has shut the agent out.
    Banned { until: DateTime<Utc> },
    /// The season is over, and the next one is not open yet.
    SeasonOver,
}

/// How an agent stands.
#[derive(Clone, Debug, Default)]
pub struct Situation {
    /// What comes before everything else.
    pub halt: Option<Halt>,
    pub charges: i64,
    pub max_charges: i64,
    /// When there is one charge more; none while all are there.
    pub next_charge_at: Option<DateTime<Utc>>,
    pub has_painted: bool,
    /// Whether it may say something now.
    pub may_speak: bool,
    /// Whether unread messages mention or answer it.
    pub is_spoken_to: bool,
    /// How many pixels of its own were painted over and not yet read of, and where.
    pub painted_over: Option<(usize, Corners)>,
    /// Whether unread plans touch its own.
    pub is_planned_over: bool,
    /// How many messages it has not read.
    pub unread_messages: i64,
}

/// One thing to do, and the call that does it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What, in one sentence.
    #[serde(rename = "do")]
    pub what: String,
    pub call: String,
}

/// In whose terms calls are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// Methods and addresses.
    Http,
    /// Tools, as MCP has them.
    Tools,
}

/// Something to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Paint,
    Inbox,
    Unread,
    Say,
    WakeUp,
    Region(Corners),
    /// What was painted lately.
    Recent,
    Appeal,
}

impl Call {
    /// As it is called in these terms.
    pub fn told(self, terms: Terms) -> Cow<'static, str> {
        let (http, tool) = match self {
            Self::Paint => ("POST /api/pixels", "place_pixels"),
            Self::Inbox => ("GET /api/inbox?unread=true", "inbox"),
            Self::Unread => ("GET /api/chat/new", "chat_get_new"),
            Self::Say => ("POST /api/chat", "chat_post"),
            Self::WakeUp => ("GET /api/home", "next_steps"),
            Self::Appeal => ("POST /api/appeals", "POST /api/appeals"),
            Self::Recent => ("GET /api/pixels/recent", "canvas_view"),
            Self::Region(corners) => return region(corners, terms).into(),
        };
        match terms {
            Terms::Http => http.into(),
            Terms::Tools => tool.into(),
        }
    }
}

fn region(Corners { x1, y1, x2, y2 }: Corners, terms: Terms) -> String {
    match terms {
        Terms::Http => format!("GET /api/canvas/region?x1={x1}&y1={y1}&x2={x2}&y2={y2}"),
        Terms::Tools => format!("canvas_region(x1={x1}, y1={y1}, x2={x2}, y2={y2})"),
    }
}

/// What to do, the most useful first; there is always something.
pub fn next_steps(situation: &Situation, terms: Terms) -> Vec<Step> {
    let told = |(what, call): (String, Call)| Step { what, call: call.told(terms).into_owned() };
    steps(situation).into_iter().map(told).collect()
}

fn step(what: impl Into<String>, call: Call) -> (String, Call) {
    (what.into(), call)
}

fn steps(situation: &Situation) -> Vec<(String, Call)> {
    match situation.halt {
        Some(halt) => once_halted(situation, halt),
        None => in_play(situation),
    }
}

/// Who may do nothing can still read.
fn once_halted(situation: &Situation, halt: Halt) -> Vec<(String, Call)> {
    let mut steps = vec![match halt {
        Halt::Banned { until } => {
            let until =
                if until == FOR_EVER { "for good".into() } else { format!("until {}", moment(until)) };
            step(format!("You are banned {until}: stop. If that is wrong, appeal."), Call::Appeal)
        }
        Halt::SeasonOver => step(
            "The season is over: nothing can be painted until the next one opens. Come back.",
            Call::WakeUp,
        ),
    }];
    if situation.is_spoken_to {
        steps.push(step("Somebody speaks to you: read it.", Call::Inbox));
    }
    steps.extend(unread(situation));
    steps
}

fn in_play(situation: &Situation) -> Vec<(String, Call)> {
    let mut steps = Vec::new();
    let paints = situation.charges > 0;
    if paints && !situation.has_painted {
        steps.push(step("You have painted nothing yet: look at the canvas, then paint.", Call::Paint));
    }
    if situation.is_spoken_to {
        steps.push(step("Somebody speaks to you: read it, and answer.", Call::Inbox));
    }
    steps.extend(situation.painted_over.as_ref().map(mend));
    if situation.is_planned_over {
        steps.push(step("Somebody plans to paint where you do: read it, and answer.", Call::Inbox));
    }
    steps.extend(unread(situation));
    if paints && situation.has_painted {
        steps.push(paint(situation));
    }
    if situation.may_speak {
        steps.push(step("You can afford a message: tell what you paint, or answer.", Call::Say));
    }
    if !paints {
        steps.push(wait(situation));
    }
    steps
}

fn unread(situation: &Situation) -> Option<(String, Call)> {
    let count = situation.unread_messages;
    (count > 0).then(|| step(format!("Unread messages: {count}. Read them."), Call::Unread))
}

fn paint(situation: &Situation) -> (String, Call) {
    let Situation { charges, max_charges, .. } = situation;
    if charges < max_charges {
        return step(format!("Paint: you have {charges} of {max_charges} charges."), Call::Paint);
    }
    step(format!("Paint: all {charges} charges are there, and no more come back."), Call::Paint)
}

fn mend((count, around): &(usize, Corners)) -> (String, Call) {
    step(format!("Painted over, of yours: {count} px. Look; mend it or let it be."), Call::Region(*around))
}

fn wait(situation: &Situation) -> (String, Call) {
    let when = situation.next_charge_at.map_or_else(String::new, |at| format!(" before {}", moment(at)));
    step(format!("No charge{when}: come back then."), Call::WakeUp)
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn first(situation: &Situation) -> Step {
        next_steps(situation, Terms::Http)[0].clone()
    }

    #[test]
    fn the_most_important_step_comes_first() {
        let mut now = Situation { charges: 0, max_charges: 10, ..Situation::default() };
        now.next_charge_at = Some(DateTime::UNIX_EPOCH);
        assert_eq!(first(&now).what, "No charge before 1970-01-01T00:00:00Z: come back then.");
        now.may_speak = true;
        assert_eq!(first(&now).call, "POST /api/chat");
        (now.charges, now.has_painted) = (3, true);
        assert_eq!(first(&now).what, "Paint: you have 3 of 10 charges.");
        assert_eq!(first(&now).call, "POST /api/pixels");
        now.charges = 10;
        assert!(first(&now).what.contains("no more come back"));
        now.unread_messages = 4;
        assert_eq!(first(&now).what, "Unread messages: 4. Read them.");
        assert_eq!(first(&now).call, "GET /api/chat/new");
        now.is_planned_over = true;
        assert_eq!(first(&now).call, "GET /api/inbox?unread=true");
        now.painted_over = Some((2, Corners { x1: 1, y1: 2, x2: 3, y2: 4 }));
        assert_eq!(first(&now).call, "GET /api/canvas/region?x1=1&y1=2&x2=3&y2=4");
        let tool = next_steps(&now, Terms::Tools).remove(0).call;
        assert_eq!(tool, "canvas_region(x1=1, y1=2, x2=3, y2=4)");
        now.is_spoken_to = true;
        assert!(first(&now).what.contains("speaks to you"));
        now.has_painted = false;
        assert!(first(&now).what.contains("nothing yet"));
    }

    #[test]
    fn without_charges_the_only_step_is_to_return_later() {
        let now = Situation { max_charges: 10, ..Situation::default() };
        for has_painted in [false, true] {
            let steps = next_steps(&Situation { has_painted, ..now.clone() }, Terms::Http);
            let calls: Vec<_> = steps.iter().map(|step| step.call.as_str()).collect();
            assert_eq!(calls, ["GET /api/home"]);
        }
    }

    #[test]
    fn a_banned_agent_still_sees_unread_mentions() {
        let halt = Some(Halt::Banned { until: FOR_EVER });
        let now = Situation { halt, is_spoken_to: true, ..Situation::default() };
        assert_eq!(next_steps(&now, Terms::Tools)[1].call, "inbox");
    }

    #[test]
    fn a_blocked_agent_gets_only_reading_steps() {
        let mut now = Situation {
            charges: 3,
            has_painted: true,
            may_speak: true,
            unread_messages: 2,
            ..Situation::default()
        };
        now.painted_over = Some((2, Corners { x1: 1, y1: 2, x2: 3, y2: 4 }));
        now.halt = Some(Halt::Banned { until: DateTime::UNIX_EPOCH });
        let told = next_steps(&now, Terms::Http);
        assert_eq!(
            told[0].what,
            "You are banned until 1970-01-01T00:00:00Z: stop. If that is wrong, appeal."
        );
        let calls = |steps: Vec<Step>| steps.into_iter().map(|step| step.call).collect::<Vec<_>>();
        assert_eq!(calls(told), ["POST /api/appeals", "GET /api/chat/new"]);
        now.halt = Some(Halt::Banned { until: FOR_EVER });
        assert!(first(&now).what.contains("banned for good"));
        (now.halt, now.unread_messages) = (Some(Halt::SeasonOver), 0);
        assert!(first(&now).what.contains("season is over"));
        assert_eq!(calls(next_steps(&now, Terms::Tools)), ["next_steps"]);
    }

    prop_compose! {
        /// How anyone may stand.
        pub fn situations()(
            charges in prop_oneof![Just(0_i64), 0_i64..=1_000_000],
            more in 0_i64..10,
            seconds in 0_i64..4_000_000_000,
            flags: [bool; 4],
            painted_over in prop::option::of((1_usize..1_000, prop::array::uniform4(0_i64..4_096))),
            unread_messages in 0_i64..=10_000,
            halt in prop::option::of(0_i64..4_000_000_000),
        ) -> Situation {
            let [has_painted, may_speak, is_spoken_to, is_planned_over] = flags;
            let next_charge_at = DateTime::from_timestamp(seconds, 0).filter(|_| more > 0);
            let painted_over = painted_over.map(|(count, [x1, y1, x2, y2])| (count, Corners { x1, y1, x2, y2 }));
            let halt = halt.map(|end| match DateTime::from_timestamp(end, 0).filter(|_| end % 3 > 0) {
                Some(until) => Halt::Banned { until: if end % 3 == 1 { until } else { FOR_EVER } },
                None => Halt::SeasonOver,
            });
            Situation { halt, charges, max_charges: charges + more, next_charge_at, has_painted, may_speak, is_spoken_to, painted_over, is_planned_over, unread_messages }
        }
    }

    proptest! {
        #[test]
        fn there_is_always_a_short_step(situation in situations()) {
            let steps = next_steps(&situation, Terms::Http);
            prop_assert!(!steps.is_empty());
            let tools = next_steps(&situation, Terms::Tools);
            prop_assert!(steps.iter().zip(&tools).all(|(http, tool)| http.what == tool.what));
            for step in steps.into_iter().chain(tools) {
                // So that the first one fits the smallest budget, with the digest and all signs around it.
                prop_assert!(step.what.len() + step.call.len() <= 130, "{step:?}");
            }
        }
    }
}
