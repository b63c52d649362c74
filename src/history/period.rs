//! The activity on the canvas in a part of the log.

use chrono::{DateTime, TimeDelta, Utc};
use rules::grid::Corners;
use rules::plan::PlanState;

use super::store::period;
use super::{History, store};
use crate::concurrency::join;
use crate::refusal::Refusal;

/// The maximum number of events that are counted, because each of them is read.
pub const MAX_PERIOD_EVENTS: i64 = 500_000;
/// The width and height of the places that are compared, in pixels.
pub const PLACE_SIDE: u16 = 16;

/// The part of the log to summarize, and how.
#[derive(Clone, Copy, Debug)]
pub struct PeriodQuery {
    /// The event before the first.
    pub after: i64,
    /// The last event.
    pub up_to: i64,
    /// The event that opened the season whose places are compared.
    pub season: i64,
    /// The length of the steps in which placements are counted.
    pub step: TimeDelta,
    /// The maximum number of painters, of places and of plans.
    pub limit: i64,
}

/// The activity on the canvas in a part of the log.
#[derive(Debug)]
pub struct PeriodActivity {
    /// The event before the first that was counted.
    pub after: i64,
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
    /// True if the plan was opened in this part of the log.
    pub is_new: bool,
    pub state: PlanState,
    /// The number of the event.
    pub seq: i64,
}

impl History {
    /// Returns what happened in a part of the log; in its last [`MAX_PERIOD_EVENTS`] events if it has more.
    ///
    /// # Errors
    /// Returns `Overloaded` if too many requests wait, or the error of the database.
    pub async fn period_activity(&self, query: PeriodQuery) -> Result<PeriodActivity, Refusal> {
        let permit = self.acquire_read_permit().await?;
        let pool = self.state.pool.clone();
        let query = PeriodQuery { after: query.after.max(query.up_to - MAX_PERIOD_EVENTS), ..query };
        let task = self.runtime.spawn(async move {
            let activity = period::read_activity(&pool, query).await;
            drop(permit);
            activity
        });
        Ok(join("reading the activity of a period", task).await??)
    }

    /// Returns the time of an event, or `None` if there is no such event.
    ///
    /// # Errors
    /// Returns the error of the database.
    pub async fn time_of(&self, seq: i64) -> Result<Option<DateTime<Utc>>, Refusal> {
        Ok(store::event_time(&mut *self.state.pool.acquire().await?, seq).await?)
    }
}
