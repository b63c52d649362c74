//! The specification of a timelapse, validated and limited before anything is rendered.

use caraplace_log::season::Season;
use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use platform::refusal::Refusal;
use rules::numbers::Seq;

use super::super::point_in_time::{PointInTime, times_between};
use super::super::{History, store};

/// The frame rates in frames per second, the highest first. All give a delay in whole hundredths of a second,
/// as GIF requires.
const FRAME_RATES: [u32; 5] = [10, 5, 4, 2, 1];
/// The maximum number of image pixels in all frames together.
const MAX_TOTAL_PIXELS: u64 = 128 << 20;
/// The length of a timelapse without one, unless it would have too many pixels.
pub const DEFAULT_SECONDS: u32 = 20;
/// The approximate length of the longer side, in image pixels.
const DEFAULT_SIDE: u16 = 512;
const MAX_SCALE: u16 = 8;
/// The time span of a timelapse without a start.
const DEFAULT_SPAN: TimeDelta = TimeDelta::hours(24);
/// The step to which the end of a timelapse without one is rounded, so that requests within a minute share an
/// animation.
const DEFAULT_END_STEP: TimeDelta = TimeDelta::minutes(1);

/// The file format of an animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimelapseFormat {
    Gif,
    Apng,
}

/// A client's request for a timelapse.
#[derive(Clone, Copy, Debug)]
pub struct TimelapseRequest {
    pub format: TimelapseFormat,
    pub from: Option<PointInTime>,
    pub to: Option<PointInTime>,
    pub seconds: Option<u32>,
    pub scale: Option<u16>,
}

impl TimelapseRequest {
    /// Returns true if the request leaves all options open, as most do.
    fn is_default(&self) -> bool {
        self.from.is_none() && self.to.is_none() && self.seconds.is_none() && self.scale.is_none()
    }
}

/// An error of a request for a timelapse.
#[derive(Clone, Debug)]
pub enum TimelapseError {
    /// This bound is in the future.
    InFuture(&'static str),
    /// The end is before the start.
    EndBeforeStart,
    /// Start and end are in different seasons.
    CrossesSeasons,
    /// The frames have too many pixels in all.
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

/// The start or the end of a timelapse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimelapseBound {
    /// The newest event up to the time.
    pub seq: Seq,
    pub time: DateTime<Utc>,
}

/// A validated request for a timelapse.
#[derive(Clone, Debug)]
pub struct TimelapseSpec {
    pub format: TimelapseFormat,
    /// True if the request left all options open.
    pub is_default: bool,
    pub season: Season,
    pub from: TimelapseBound,
    pub to: TimelapseBound,
    pub seconds: u32,
    /// The width and height of a canvas pixel, in image pixels.
    pub scale: u16,
    /// Frames per second.
    pub frame_rate: u32,
}

/// The cache key of a specification. Default timelapses are cached separately, because they have a queue of
/// their own.
pub(super) type TimelapseKey = (bool, TimelapseFormat, Seq, TimelapseBound, TimelapseBound, u32, u16);

impl TimelapseSpec {
    /// Returns the key under which the animation is cached.
    pub(super) fn key(&self) -> TimelapseKey {
        (self.is_default, self.format, self.season.seq, self.from, self.to, self.seconds, self.scale)
    }

    /// Returns the number of frames, which is one more than the number of steps between them.
    pub(crate) fn frame_count(&self) -> u32 {
        self.seconds * self.frame_rate + 1
    }

    /// Returns the times of all frames but the first and the last, at equal intervals.
    pub(crate) fn frame_times(&self) -> Vec<DateTime<Utc>> {
        times_between(self.from.time, self.to.time, self.frame_count() as usize - 1)
    }
}

impl History {
    /// Validates a client's request.
    ///
    /// # Errors
    /// Returns the first option that cannot be met.
    pub async fn check_timelapse(&self, request: TimelapseRequest) -> Result<TimelapseSpec, TimelapseError> {
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
        Ok(TimelapseSpec {
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
        let now = self.state.clock.now();
        let opened_at = self.state.read_world(|world| world.season.opened_at);
        self.bound_at(now.duration_trunc(DEFAULT_END_STEP).unwrap_or(now).max(opened_at)).await
    }
}

/// Returns scale, seconds and frames per second, or `None` if there would be too many pixels.
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
            seq: Seq(1),
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
        assert_eq!(dimensions(4_096, None, None), Some((1, 7, 1)), "the longest that fits");
        assert_eq!(dimensions(4_096, Some(20), None), None);
    }
}
