//! The tool that tells what happened in a period.

use caraplace_canvas::history::period_activity::{AskedPeriod, PeriodActivity, PeriodBound, PeriodQuery};
use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_canvas::seasons::query;
use chrono::{DateTime, TimeDelta, Utc};
use platform::input;
use platform::refusal::Refusal;
use rules::numbers::Seq;
use serde::Deserialize;
use utoipa::ToSchema;

use super::timeline_text::{TimelineFacts, describe};
use super::{messages_up_to, moment};
use crate::tools::call::{ToolCall, ToolResult};

/// The length of the period if its start is left out.
const DEFAULT_PERIOD: TimeDelta = TimeDelta::hours(24);
/// The maximum number of steps in which placements are counted, with the one that begins before the period.
const MAX_STEPS: i64 = 25;
/// The steps, in hours, of which the shortest that fits is chosen. Longer ones are whole days.
const STEP_HOURS: [i64; 8] = [1, 2, 3, 4, 6, 8, 12, 24];
const HOURS_PER_DAY: i64 = 24;
const MINUTES_PER_HOUR: i64 = 60;
/// The numbers of painters, places, plans and messages in a response.
const DEFAULT_LIMIT: i64 = 8;
const MAX_LIMIT: i64 = 20;

/// The period.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TimelineArguments {
    /// The number of an event or a time in RFC 3339, as to; 24 hours before its end by default.
    #[serde(default, deserialize_with = "moment::deserialize")]
    pub from: Option<String>,
    /// Now by default.
    #[serde(default, deserialize_with = "moment::deserialize")]
    pub to: Option<String>,
    /// The number of painters, places, plans and messages to list.
    #[schema(minimum = 1, maximum = 20)]
    pub limit: Option<i64>,
}

/// Tells what happened in a period.
///
/// # Errors
/// `Input` for wrong arguments, or `Overloaded`.
pub async fn timeline(call: ToolCall) -> ToolResult {
    let TimelineArguments { from, to, limit } = call.parse_arguments()?;
    let limit = input::check_range("limit", limit.unwrap_or(DEFAULT_LIMIT), 1..=MAX_LIMIT)?;
    let parse = |name, text: Option<String>| text.map(|text| moment::parse(name, &text)).transpose();
    let asked = AskedPeriod { from: parse("from", from)?, to: parse("to", to)?, limit };
    let (from, to) = find_period(&call, asked).await?;
    let history = &call.app().history;
    let season = history.season_at(to.seq).await?;
    let step = choose_step(to.time - from.time);
    let query = PeriodQuery { asked, from, to, season: season.seq, step };
    let activity = history.period_activity(&call.caller.work, query).await?;
    let PeriodActivity { from, to, .. } = *activity;
    let messages = messages_up_to(&call, from.seq.previous(), to.seq, limit).await?;
    let seasons = query::list(&call.app().state).await?;
    let is_in_period = |seq: Seq| (from.seq..=to.seq).contains(&seq);
    let facts = TimelineFacts {
        step,
        activity,
        messages,
        seasons: seasons.into_iter().filter(|season| is_in_period(season.first)).collect(),
    };
    Ok(super::output(describe(&facts)))
}

/// Returns the first and the last event of a period. A time in the future ends it now.
async fn find_period(call: &ToolCall, asked: AskedPeriod) -> Result<(PeriodBound, PeriodBound), Refusal> {
    let history = &call.app().history;
    let now = call.app().state.clock.now();
    let to = match asked.to {
        Some(PointInTime::Time(time)) if time < now => PointInTime::Time(time),
        None | Some(PointInTime::Time(_)) => PointInTime::Time(now),
        Some(PointInTime::Seq(seq)) => PointInTime::Seq(seq),
    };
    let last = history.last_event_at(to).await?.ok_or_else(|| in_future("to"))?;
    let last = PeriodBound { seq: last, time: time_at(call, to, last).await? };
    let from = asked.from.unwrap_or(PointInTime::Time(last.time - DEFAULT_PERIOD));
    let first = history.first_event_from(from).await?.ok_or_else(|| in_future("from"))?;
    let first = PeriodBound { seq: first, time: time_at(call, from, first).await? };
    // There may be no event in a period; its first is then right after its last.
    if first.time > last.time || first.seq > last.seq.next() {
        return Err(Refusal::invalid("to", "to must not be before from."));
    }
    Ok((first, last))
}

async fn time_at(call: &ToolCall, asked: PointInTime, seq: Seq) -> Result<DateTime<Utc>, Refusal> {
    match asked {
        PointInTime::Time(time) => Ok(time),
        PointInTime::Seq(_) => {
            Ok(call.app().history.time_of(seq).await?.unwrap_or_else(|| call.app().state.clock.now()))
        }
    }
}

fn in_future(name: &'static str) -> Refusal {
    Refusal::invalid(name, format!("{name} is in the future. Send an earlier moment, or leave it out."))
}

/// Returns the length of the steps of a period, so that there are few enough.
fn choose_step(length: TimeDelta) -> TimeDelta {
    let hours = ((length.num_minutes() + MINUTES_PER_HOUR - 1) / MINUTES_PER_HOUR).max(1);
    let fits = |step: &&i64| hours <= **step * (MAX_STEPS - 1);
    let days = || ((hours - 1) / (HOURS_PER_DAY * (MAX_STEPS - 1)) + 1) * HOURS_PER_DAY;
    TimeDelta::hours(STEP_HOURS.iter().find(fits).copied().unwrap_or_else(days))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_whole_hours_and_few() {
        let step = |length| choose_step(length).num_hours();
        assert_eq!(step(TimeDelta::minutes(5)), 1);
        assert_eq!(step(TimeDelta::hours(24)), 1);
        assert_eq!(step(TimeDelta::minutes(24 * 60 + 1)), 2);
        assert_eq!(step(TimeDelta::days(7)), 8);
        assert_eq!(step(TimeDelta::days(90)), 4 * 24);
        for days in 0..400 {
            let length = TimeDelta::days(days);
            assert!(length.num_hours() / step(length) < MAX_STEPS, "{days}");
        }
    }
}
