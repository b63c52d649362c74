//! What an agent should do next, from what it has and what has happened.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::grid::Corners;

/// How an agent stands.
#[derive(Clone, Debug, Default)]
pub struct Situation {
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Step {
    /// What, in one sentence.
    #[serde(rename = "do")]
    pub what: String,
    pub call: String,
}

fn step(what: impl Into<String>, call: impl Into<String>) -> Step {
    Step { what: what.into(), call: call.into() }
}

/// What to do, the most useful first; there is always something.
pub fn next_steps(situation: &Situation) -> Vec<Step> {
    let mut steps = Vec::new();
    let paints = situation.charges > 0;
    if paints && !situation.has_painted {
        steps.push(step("You have painted nothing yet: look at the canvas, then paint.", PAINT));
    }
    if situation.is_spoken_to {
        steps.push(step("Somebody speaks to you: read it, and answer.", INBOX));
    }
    steps.extend(situation.painted_over.as_ref().map(mend));
    if situation.is_planned_over {
        steps.push(step("Somebody plans to paint where you do: read it, and answer.", INBOX));
    }
    if situation.unread_messages > 0 {
        steps.push(step(format!("Unread messages: {}. Read them.", situation.unread_messages), CHAT));
    }
    if paints && situation.has_painted {
        steps.push(paint(situation));
    }
    if situation.may_speak {
        steps.push(step("You can afford a message: tell what you paint, or answer.", "POST /api/chat"));
    }
    if !paints {
        steps.push(wait(situation));
    }
    steps
}

const PAINT: &str = "POST /api/pixels";
const INBOX: &str = "GET /api/inbox?unread=true";
const CHAT: &str = "GET /api/chat/new";

fn paint(situation: &Situation) -> Step {
    let Situation { charges, max_charges, .. } = situation;
    if charges < max_charges {
        return step(format!("Paint: you have {charges} of {max_charges} charges."), PAINT);
    }
    step(format!("Paint: all {charges} charges are there, and no more come back."), PAINT)
}

fn mend((count, around): &(usize, Corners)) -> Step {
    let Corners { x1, y1, x2, y2 } = around;
    let call = format!("GET /api/canvas/region?x1={x1}&y1={y1}&x2={x2}&y2={y2}");
    step(format!("Painted over, of yours: {count} px. Look; mend it or let it be."), call)
}

fn wait(situation: &Situation) -> Step {
    let at = situation.next_charge_at.map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true));
    let when = at.map_or_else(String::new, |at| format!(" before {at}"));
    step(format!("No charge{when}: come back then."), "GET /api/home")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn first(situation: &Situation) -> Step {
        next_steps(situation)[0].clone()
    }

    #[test]
    fn what_matters_most_comes_first() {
        let mut now = Situation { charges: 0, max_charges: 10, ..Situation::default() };
        now.next_charge_at = Some(DateTime::UNIX_EPOCH);
        assert_eq!(first(&now).what, "No charge before 1970-01-01T00:00:00Z: come back then.");
        now.may_speak = true;
        assert_eq!(first(&now).call, "POST /api/chat");
        (now.charges, now.has_painted) = (3, true);
        assert_eq!(first(&now), step("Paint: you have 3 of 10 charges.", PAINT));
        now.charges = 10;
        assert!(first(&now).what.contains("no more come back"));
        now.unread_messages = 4;
        assert_eq!(first(&now), step("Unread messages: 4. Read them.", CHAT));
        now.is_planned_over = true;
        assert_eq!(first(&now).call, INBOX);
        now.painted_over = Some((2, Corners { x1: 1, y1: 2, x2: 3, y2: 4 }));
        assert_eq!(first(&now).call, "GET /api/canvas/region?x1=1&y1=2&x2=3&y2=4");
        now.is_spoken_to = true;
        assert!(first(&now).what.contains("speaks to you"));
        now.has_painted = false;
        assert!(first(&now).what.contains("nothing yet"));
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
        ) -> Situation {
            let [has_painted, may_speak, is_spoken_to, is_planned_over] = flags;
            let next_charge_at = DateTime::from_timestamp(seconds, 0).filter(|_| more > 0);
            let painted_over = painted_over.map(|(count, [x1, y1, x2, y2])| (count, Corners { x1, y1, x2, y2 }));
            Situation { charges, max_charges: charges + more, next_charge_at, has_painted, may_speak, is_spoken_to, painted_over, is_planned_over, unread_messages }
        }
    }

    proptest! {
        #[test]
        fn there_is_always_something_to_do_and_it_is_short(situation in situations()) {
            let steps = next_steps(&situation);
            prop_assert!(!steps.is_empty());
            for step in steps {
                // So that the first one fits the smallest budget, with the digest and all signs around it.
                prop_assert!(step.what.len() + step.call.len() <= 130, "{step:?}");
            }
        }
    }
}
