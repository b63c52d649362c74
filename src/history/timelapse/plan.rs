//! What a timelapse shows, checked and bounded before anything is drawn.

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};

use super::super::point_in_time::{PointInTime, times_between};
use super::super::{History, store};
use crate::log::world::Season;
use crate::refusal::Refusal;

/// Frames in a second, the most that the cost allows. Each lasts whole hundredths of a second, as GIF counts them.
const FRAME_RATES: [u32; 5] = [10, 5, 4, 2, 1];
/// Image pixels of all frames together.
const MAX_TOTAL_PIXELS: u64 = 128 << 20;
const DEFAULT_SECONDS: u32 = 20;
/// Image pixels of the longer side, about.
const DEFAULT_SIDE: u16 = 512;
const MAX_SCALE: u16 = 8;
/// How far back it goes when nobody says otherwise.
const DEFAULT_SPAN: TimeDelta = TimeDelta::hours(24);
/// Whoever says nothing of its end gets the same as all in this minute.
const DEFAULT_END_STEP: TimeDelta = TimeDelta::minutes(1);

/// How an animation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimelapseFormat {
    Gif,
    Apng,
}

/// What someone asks for.
#[derive(Clone, Copy, Debug)]
pub struct TimelapseRequest {
    pub format: TimelapseFormat,
    pub from: Option<PointInTime>,
    pub to: Option<PointInTime>,
    pub seconds: Option<u32>,
    pub scale: Option<u16>,
}

impl TimelapseRequest {
    /// Whether it leaves all open, as most do.
    fn is_default(&self) -> bool {
        self.from.is_none() && self.to.is_none() && self.seconds.is_none() && self.scale.is_none()
    }
}

/// Why it cannot be had.
#[derive(Clone, Debug)]
pub enum TimelapseError {
    /// This end has not come yet.
    InFuture(&'static str),
    /// It would end before it begins.
    EndBeforeStart,
    /// It would begin in a season and end in another.
    CrossesSeasons,
    /// Too many frames of too many pixels.
    TooLarge,
    Refused(Refusal),
}

impl From<Refusal> for TimelapseError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<sqlx::Error> for TimelapseError {
    fn from(error: sqlx::Error) -> Self {
        Self::Refused(error.into())
    }
}

/// Where a timelapse begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimelapseBound {
    /// The newest event until then.
    pub seq: i64,
    pub time: DateTime<Utc>,
}

/// What will be shown.
#[derive(Clone, Debug)]
pub struct TimelapsePlan {
    pub format: TimelapseFormat,
    /// Whether nothing in particular was asked for.
    pub is_default: bool,
    pub season: Season,
    pub from: TimelapseBound,
    pub to: TimelapseBound,
    pub seconds: u32,
    /// Image pixels for each pixel, each way.
    pub scale: u16,
    /// Frames in a second.
    pub frame_rate: u32,
}

/// What tells one plan from another. The usual one is kept apart, as it is drawn apart.
pub(super) type TimelapseKey = (bool, TimelapseFormat, i64, TimelapseBound, TimelapseBound, u32, u16);

impl TimelapsePlan {
    pub(super) fn key(&self) -> TimelapseKey {
        (self.is_default, self.format, self.season.seq, self.from, self.to, self.seconds, self.scale)
    }

    /// How many frames there are: one more than steps between them.
    pub fn frame_count(&self) -> u32 {
        self.seconds * self.frame_rate + 1
    }

    /// The times of all frames but the first and the last, at equal steps.
    pub fn frame_times(&self) -> Vec<DateTime<Utc>> {
        times_between(self.from.time, self.to.time, self.frame_count() as usize - 1)
    }
}

impl History {
    /// Resolves what someone asks for.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub async fn plan_timelapse(&self, request: TimelapseRequest) -> Result<TimelapsePlan, TimelapseError> {
        let to = match request.to {
            Some(point) => self.resolve_bound("to", point).await?,
            None => self.default_end().await?,
        };
        let season = self.season_at(to.seq).await?;
        let from = match request.from {
            Some(point) => self.resolve_bound("from", point).await?,
            None => self.bound_at((to.time - DEFAULT_SPAN).max(season.opened_at.min(to.time))).await?,
        };
        if from.time > to.time || from.seq > to.seq {
            return Err(TimelapseError::EndBeforeStart);
        }
        if self.season_at(from.seq).await?.seq != season.seq {
            return Err(TimelapseError::CrossesSeasons);
        }
        let (scale, seconds, rate) = choose_dimensions(&season, &request).ok_or(TimelapseError::TooLarge)?;
        Ok(TimelapsePlan {
            format: request.format,
            is_default: request.is_default(),
            season,
            from,
            to,
            seconds,
            scale,
            frame_rate: rate,
        })
    }

    async fn resolve_bound(
        &self,
        name: &'static str,
        point: PointInTime,
    ) -> Result<TimelapseBound, TimelapseError> {
        let seq = self.last_event_at(point).await?.ok_or(TimelapseError::InFuture(name))?;
        let time = match point {
            PointInTime::Time(time) => time,
            PointInTime::Seq(event_seq) => {
                let mut connection = self.state.pool.acquire().await?;
                let time = store::event_time(&mut connection, event_seq).await?;
                time.unwrap_or(self.season_at(event_seq).await?.opened_at)
            }
        };
        Ok(TimelapseBound { seq, time })
    }

    async fn bound_at(&self, time: DateTime<Utc>) -> Result<TimelapseBound, TimelapseError> {
        Ok(TimelapseBound { seq: self.last_event_until(time).await?, time })
    }

    async fn default_end(&self) -> Result<TimelapseBound, TimelapseError> {
        let (now, opened_at) =
            (self.state.clock.now(), self.state.read_world(|world| world.season.opened_at));
        self.bound_at(now.duration_trunc(DEFAULT_END_STEP).unwrap_or(now).max(opened_at)).await
    }
}

/// Scale, seconds and frames in a second; none where that is too much.
fn choose_dimensions(season: &Season, request: &TimelapseRequest) -> Option<(u16, u32, u32)> {
    let longest = season.size.width.max(season.size.height);
    let scale = request.scale.unwrap_or((DEFAULT_SIDE / longest).clamp(1, MAX_SCALE));
    let pixels_per_frame = season.size.area() as u64 * u64::from(scale).pow(2);
    let max_frames = (MAX_TOTAL_PIXELS / pixels_per_frame).saturating_sub(1) as u32;
    let seconds = request.seconds.unwrap_or(DEFAULT_SECONDS.min(max_frames.max(1)));
    let rate = FRAME_RATES.into_iter().find(|rate| seconds * rate <= max_frames)?;
    Some((scale, seconds, rate))
}

#[cfg(test)]
mod tests {
    use rules::grid::Size;

    use super::*;

    fn dimensions(side: u16, seconds: Option<u32>, scale: Option<u16>) -> Option<(u16, u32, u32)> {
        let season = Season {
            id: "season_a".into(),
            title: "One".into(),
            size: Size { width: side, height: side },
            seq: 1,
            opened_at: DateTime::UNIX_EPOCH,
        };
        choose_dimensions(
            &season,
            &TimelapseRequest { format: TimelapseFormat::Gif, from: None, to: None, seconds, scale },
        )
    }

    #[test]
    fn larger_timelapses_have_fewer_frames_up_to_a_limit() {
        assert_eq!(dimensions(128, None, None), Some((4, 20, 10)));
        assert_eq!(dimensions(128, Some(60), None), Some((4, 60, 5)));
        assert_eq!(dimensions(128, Some(60), Some(8)), Some((8, 60, 2)));
        assert_eq!(dimensions(8, None, None), Some((8, 20, 10)));
        assert_eq!(dimensions(1_000, None, None), Some((1, 20, 5)));
        assert_eq!(dimensions(1_000, Some(60), Some(2)), None);
        assert_eq!(dimensions(4_096, None, None), Some((1, 7, 1)), "as long as it may be");
        assert_eq!(dimensions(4_096, Some(20), None), None);
    }
}
