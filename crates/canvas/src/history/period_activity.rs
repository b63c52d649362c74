//! The activity on the canvas in a period, and the query for it.

use chrono::{DateTime, TimeDelta, Utc};
use rules::grid::Corners;
use rules::numbers::Seq;
use rules::plan::PlanState;

use super::point_in_time::PointInTime;

/// The maximum number of events that are counted, because each of them is read.
pub const MAX_PERIOD_EVENTS: i64 = 500_000;
/// The width and height of the places that are compared, in pixels.
pub const PLACE_SIDE: u16 = 16;

/// An end of a period: an event, and its time or that which was asked for.
#[derive(Clone, Copy, Debug)]
pub struct PeriodBound {
    pub seq: Seq,
    pub time: DateTime<Utc>,
}

/// A period as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AskedPeriod {
    /// The start; `None` for a day before the end.
    pub from: Option<PointInTime>,
    /// The end; `None` for now.
    pub to: Option<PointInTime>,
    /// The maximum number of painters, of places and of plans.
    pub limit: i64,
}

/// The period to summarize, and how.
#[derive(Clone, Copy, Debug)]
pub struct PeriodQuery {
    pub asked: AskedPeriod,
    pub from: PeriodBound,
    pub to: PeriodBound,
    /// The event that opened the season whose places are compared.
    pub season: Seq,
    /// The length of the steps in which placements are counted.
    pub step: TimeDelta,
}

impl PeriodQuery {
    /// Returns the event before the first to count.
    pub(super) fn after(&self) -> Seq {
        self.from.seq.previous().max(self.to.seq.minus(MAX_PERIOD_EVENTS))
    }
}

/// The activity on the canvas in a period.
#[derive(Debug)]
pub struct PeriodActivity {
    /// The ends of the period. They are up to ten seconds before those that were asked for if it is long.
    pub from: PeriodBound,
    pub to: PeriodBound,
    /// The time at which it was read: what operators have hidden since is still in it.
    pub read_at: DateTime<Utc>,
    /// The event before the first that was counted.
    pub after: Seq,
    /// The steps with placements, oldest first.
    pub steps: Vec<StepActivity>,
    /// The agents with the most placements, the most first.
    pub painters: Vec<PainterActivity>,
    /// The number of all agents with placements.
    pub painter_count: i64,
    /// The places with the most placements, the most first.
    pub places: Vec<BusyPlace>,
    /// The plans that everyone can see and that were opened or changed their state, the latest first.
    pub plans: Vec<PlanActivity>,
    /// The number of messages that everyone can see.
    pub messages: i64,
}

impl PeriodActivity {
    /// Returns the number of placements.
    pub fn placements(&self) -> i64 {
        self.steps.iter().map(|step| step.placements).sum()
    }
}

/// The placements in a step of time.
#[derive(Debug)]
pub struct StepActivity {
    /// The start of the step.
    pub from: DateTime<Utc>,
    pub placements: i64,
}

/// The placements of an agent.
#[derive(Debug)]
pub struct PainterActivity {
    /// `agent_…`.
    pub id: String,
    pub name: String,
    pub placements: i64,
}

/// The placements on a square of [`PLACE_SIDE`] pixels, which may reach over the edge of the canvas.
#[derive(Debug)]
pub struct BusyPlace {
    pub corners: Corners,
    pub placements: i64,
}

/// The newest event of a plan.
#[derive(Debug)]
pub struct PlanActivity {
    /// `plan_…`.
    pub id: String,
    pub title: String,
    /// True if the plan was opened in the period.
    pub is_new: bool,
    pub state: PlanState,
    pub seq: Seq,
}
