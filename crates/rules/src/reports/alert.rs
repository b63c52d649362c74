//! Alerts: reports that impose nothing by themselves, but whose number or origin operators should know of.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};

use super::{ENOUGH, FULL, Voice, together};

/// Number of reports against one account within [`MANY_WITHIN`] above which an alert is raised.
pub const MANY: usize = 10;
/// Time within which reports are counted for [`MANY`].
pub const MANY_WITHIN: TimeDelta = TimeDelta::hours(1);

/// Reason for an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertCause {
    /// More than [`MANY`] reports within [`MANY_WITHIN`].
    Many,
    /// Enough reports for a shadow-ban if each counted in full, but they do not: they share networks, come in one burst,
    /// from reporters of little trust, concern a name, or an operator has rejected the like.
    Discounted,
}

impl AlertCause {
    /// Returns the name under which it is stored and counted.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Many => "many",
            Self::Discounted => "discounted",
        }
    }
}

/// Returns the alert that the open reports against one account call for; `None` if there are few, or if they are enough
/// for a shadow-ban.
pub fn alert_cause(reports: &[Voice], now: DateTime<Utc>) -> Option<AlertCause> {
    if together(reports) >= ENOUGH {
        return None;
    }
    let recent = reports.iter().filter(|report| report.at > now - MANY_WITHIN).count();
    if recent > MANY {
        return Some(AlertCause::Many);
    }
    let mut trust: HashMap<&[u8], i64> = HashMap::new();
    for report in reports {
        let known = trust.entry(&report.reporter).or_default();
        *known = report.trust.min(FULL).max(*known);
    }
    (trust.values().sum::<i64>() >= ENOUGH).then_some(AlertCause::Discounted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(at: DateTime<Utc>) -> Voice {
        let (owner, reporter) = (vec![1], vec![1]);
        Voice { at, owner, reporter, networks: Vec::new(), trust: 0, weight: 0, counts: true }
    }

    #[test]
    fn more_than_ten_reports_within_an_hour_are_many() {
        let now = DateTime::UNIX_EPOCH;
        let ten: Vec<Voice> = (0..10).map(|_| report(now)).collect();
        assert_eq!(alert_cause(&ten, now), None);
        let recent = [ten.clone(), vec![report(now - MANY_WITHIN + TimeDelta::seconds(1))]].concat();
        assert_eq!(alert_cause(&recent, now), Some(AlertCause::Many));
        let old = [ten, vec![report(now - MANY_WITHIN)]].concat();
        assert_eq!(alert_cause(&old, now), None);
    }

    #[test]
    fn alert_reasons_have_distinct_stored_names() {
        assert_eq!(
            [AlertCause::Many, AlertCause::Discounted].map(AlertCause::as_str),
            ["many", "discounted"]
        );
    }
}
