//! What a timelapse shows, checked and bounded before anything is drawn.

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};

use super::super::moment::{Moment, times_between};
use super::super::{Past, store};
use crate::log::world::Season;
use crate::refusal::Refusal;

/// Frames in a second, the most that the cost allows. Each lasts whole hundredths of a second, as GIF counts them.
const RATES: [u32; 5] = [10, 5, 4, 2, 1];
/// Image pixels of all frames together.
const MOST_PIXELS: u64 = 128 << 20;
const USUAL_SECONDS: u32 = 20;
/// Image pixels of the longer side, about.
const USUAL_SIDE: u16 = 512;
const LARGEST_SCALE: u16 = 8;
/// How far back it goes when nobody says otherwise.
const USUAL_STRETCH: TimeDelta = TimeDelta::hours(24);
/// Whoever says nothing of its end gets the same as all in this minute.
const SHARED: TimeDelta = TimeDelta::minutes(1);

/// How an animation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    Gif,
    Apng,
}

/// What someone asks for.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub format: Format,
    pub from: Option<Moment>,
    pub to: Option<Moment>,
    pub seconds: Option<u32>,
    pub scale: Option<u16>,
}

impl Asked {
    /// Whether it leaves all open, as most do.
    fn is_usual(&self) -> bool {
        self.from.is_none() && self.to.is_none() && self.seconds.is_none() && self.scale.is_none()
    }
}

/// Why it cannot be had.
#[derive(Clone, Debug)]
pub enum Unfit {
    /// This end has not come yet.
    StillToCome(&'static str),
    /// It would end before it begins.
    Backwards,
    /// It would begin in a season and end in another.
    OtherSeason,
    /// Too many frames of too many pixels.
    TooMuch,
    Refused(Refusal),
}

impl From<Refusal> for Unfit {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<sqlx::Error> for Unfit {
    fn from(error: sqlx::Error) -> Self {
        Self::Refused(error.into())
    }
}

/// Where a timelapse begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct End {
    /// The newest event until then.
    pub seq: i64,
    pub time: DateTime<Utc>,
}

/// What will be shown.
#[derive(Clone, Debug)]
pub struct Plan {
    pub format: Format,
    /// Whether nothing in particular was asked for.
    pub usual: bool,
    pub season: Season,
    pub from: End,
    pub to: End,
    pub seconds: u32,
    /// Image pixels for each pixel, each way.
    pub scale: u16,
    /// Frames in a second.
    pub rate: u32,
}

/// What tells one plan from another. The usual one is kept apart, as it is drawn apart.
pub(super) type PlanKey = (bool, Format, i64, End, End, u32, u16);

impl Plan {
    pub(super) fn key(&self) -> PlanKey {
        (self.usual, self.format, self.season.seq, self.from, self.to, self.seconds, self.scale)
    }

    /// How many frames there are: one more than steps between them.
    pub fn frames(&self) -> u32 {
        self.seconds * self.rate + 1
    }

    /// The times of all frames but the first and the last, at equal steps.
    pub fn times(&self) -> Vec<DateTime<Utc>> {
        times_between(self.from.time, self.to.time, self.frames() as usize - 1)
    }
}

impl Past {
    /// Resolves what someone asks for.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub async fn plan(&self, asked: Asked) -> Result<Plan, Unfit> {
        let to = match asked.to {
            Some(moment) => self.end("to", moment).await?,
            None => self.shared_end().await?,
        };
        let season = self.season(to.seq).await?;
        let from = match asked.from {
            Some(moment) => self.end("from", moment).await?,
            None => self.end_at((to.time - USUAL_STRETCH).max(season.opened_at.min(to.time))).await?,
        };
        if from.time > to.time || from.seq > to.seq {
            return Err(Unfit::Backwards);
        }
        if self.season(from.seq).await?.seq != season.seq {
            return Err(Unfit::OtherSeason);
        }
        let (scale, seconds, rate) = measures(&season, &asked).ok_or(Unfit::TooMuch)?;
        Ok(Plan { format: asked.format, usual: asked.is_usual(), season, from, to, seconds, scale, rate })
    }

    async fn end(&self, name: &'static str, moment: Moment) -> Result<End, Unfit> {
        let seq = self.newest_at(moment).await?.ok_or(Unfit::StillToCome(name))?;
        let time = match moment {
            Moment::Time(time) => time,
            Moment::Number(number) => {
                let mut connection = self.state.pool.acquire().await?;
                let time = store::time_of(&mut connection, number).await?;
                time.unwrap_or(self.season(number).await?.opened_at)
            }
        };
        Ok(End { seq, time })
    }

    async fn end_at(&self, time: DateTime<Utc>) -> Result<End, Unfit> {
        Ok(End { seq: self.newest_until(time).await?, time })
    }

    async fn shared_end(&self) -> Result<End, Unfit> {
        let (now, opened_at) = (self.state.clock.now(), self.state.snapshot(|world| world.season.opened_at));
        self.end_at(now.duration_trunc(SHARED).unwrap_or(now).max(opened_at)).await
    }
}

/// Scale, seconds and frames in a second; none where that is too much.
fn measures(season: &Season, asked: &Asked) -> Option<(u16, u32, u32)> {
    let longest = season.size.width.max(season.size.height);
    let scale = asked.scale.unwrap_or((USUAL_SIDE / longest).clamp(1, LARGEST_SCALE));
    let frame = season.size.area() as u64 * u64::from(scale).pow(2);
    let frames = (MOST_PIXELS / frame).saturating_sub(1) as u32;
    let seconds = asked.seconds.unwrap_or(USUAL_SECONDS.min(frames.max(1)));
    let rate = RATES.into_iter().find(|rate| seconds * rate <= frames)?;
    Some((scale, seconds, rate))
}

#[cfg(test)]
mod tests {
    use rules::grid::Size;

    use super::*;

    fn measured(side: u16, seconds: Option<u32>, scale: Option<u16>) -> Option<(u16, u32, u32)> {
        let season = Season {
            id: "season_a".into(),
            title: "One".into(),
            size: Size { width: side, height: side },
            seq: 1,
            opened_at: DateTime::UNIX_EPOCH,
        };
        measures(&season, &Asked { format: Format::Gif, from: None, to: None, seconds, scale })
    }

    #[test]
    fn larger_timelapses_have_fewer_frames_up_to_a_limit() {
        assert_eq!(measured(128, None, None), Some((4, 20, 10)));
        assert_eq!(measured(128, Some(60), None), Some((4, 60, 5)));
        assert_eq!(measured(128, Some(60), Some(8)), Some((8, 60, 2)));
        assert_eq!(measured(8, None, None), Some((8, 20, 10)));
        assert_eq!(measured(1_000, None, None), Some((1, 20, 5)));
        assert_eq!(measured(1_000, Some(60), Some(2)), None);
        assert_eq!(measured(4_096, None, None), Some((1, 7, 1)), "as long as it may be");
        assert_eq!(measured(4_096, Some(20), None), None);
    }
}
