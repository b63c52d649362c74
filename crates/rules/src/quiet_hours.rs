//! The hours of a day in which operators are not disturbed.

use chrono::{DateTime, Timelike as _, Utc};

/// Quiet hours, the same every day, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    /// The hour with which they begin.
    from: u32,
    /// The hour with which they end.
    to: u32,
}

impl QuietHours {
    /// Parses two hours, as in `22-7`. `None` if they are not two different hours of a day.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        let hour = |text: &str| text.trim().parse().ok().filter(|hour| *hour < 24);
        let hours = Self { from: hour(from)?, to: hour(to)? };
        (hours.from != hours.to).then_some(hours)
    }

    /// Returns true if a time lies within them.
    pub fn contains(self, time: DateTime<Utc>) -> bool {
        let hour = time.hour();
        if self.from < self.to {
            (self.from..self.to).contains(&hour)
        } else {
            hour >= self.from || hour < self.to
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(hours: &str) -> Vec<u32> {
        let hours = QuietHours::parse(hours).unwrap();
        let is_quiet = |hour: &u32| {
            let time = format!("2026-11-30T{hour:02}:59:59Z").parse().unwrap();
            hours.contains(time)
        };
        (0..24).filter(is_quiet).collect()
    }

    #[test]
    fn they_may_last_over_midnight() {
        assert_eq!(quiet("22-3"), [0, 1, 2, 22, 23]);
        assert_eq!(quiet("0 - 2"), [0, 1]);
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["", "22", "22-22", "22-24", "-1-3", "a-b"] {
            assert_eq!(QuietHours::parse(text), None, "{text}");
        }
    }
}
