//! Alerts: reports that impose nothing by themselves, but whose number or origin operators should know of.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};

use crate::named::named;

use super::{ACTION_THRESHOLD, FULL_WEIGHT, WeightedReport, combined_weight};

/// Number of reports against one account within [`MANY_REPORTS_WINDOW`] above which an alert is raised.
pub const MANY_REPORTS: usize = 10;
/// Time within which reports are counted for [`MANY_REPORTS`].
pub const MANY_REPORTS_WINDOW: TimeDelta = TimeDelta::hours(1);

/// The reason for an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertReason {
    /// More than [`MANY_REPORTS`] reports within [`MANY_REPORTS_WINDOW`].
    Many,
    /// Enough reports for a shadow-ban if each counted in full. They do not, because they share networks,
    /// come in one burst or from reporters of low trust, concern a name, or are covered by an operator's
    /// rejection.
    Discounted,
}

named!(AlertReason { Many = "many", Discounted = "discounted" });

/// Returns the reason to raise an alert for the open reports against one account; `None` if there are few, or
/// if they are enough for a shadow-ban.
pub fn alert_reason(reports: &[WeightedReport], now: DateTime<Utc>) -> Option<AlertReason> {
    if combined_weight(reports) >= ACTION_THRESHOLD {
        return None;
    }
    let recent = reports.iter().filter(|report| report.at > now - MANY_REPORTS_WINDOW).count();
    if recent > MANY_REPORTS {
        return Some(AlertReason::Many);
    }
    let mut trust_by_reporter: HashMap<&[u8], i64> = HashMap::new();
    for report in reports {
        let highest = trust_by_reporter.entry(&report.reporter).or_default();
        *highest = report.trust.min(FULL_WEIGHT).max(*highest);
    }
    (trust_by_reporter.values().sum::<i64>() >= ACTION_THRESHOLD).then_some(AlertReason::Discounted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(at: DateTime<Utc>) -> WeightedReport {
        let owner = vec![1];
        let reporter = vec![1];
        WeightedReport { at, owner, reporter, networks: Vec::new(), trust: 0, weight: 0, is_counted: true }
    }

    #[test]
    fn more_than_ten_reports_within_an_hour_are_many() {
        let now = DateTime::UNIX_EPOCH;
        let ten: Vec<WeightedReport> = (0..10).map(|_| report(now)).collect();
        assert_eq!(alert_reason(&ten, now), None);
        let recent = [ten.clone(), vec![report(now - MANY_REPORTS_WINDOW + TimeDelta::seconds(1))]].concat();
        assert_eq!(alert_reason(&recent, now), Some(AlertReason::Many));
        let old = [ten, vec![report(now - MANY_REPORTS_WINDOW)]].concat();
        assert_eq!(alert_reason(&old, now), None);
    }

    #[test]
    fn alert_reasons_have_distinct_stored_names() {
        assert_eq!(AlertReason::ALL.map(AlertReason::name), ["many", "discounted"]);
    }
}
