//! Checks of nouns above the log: what they receive of the replayed log, and their form. The log runs them
//! without knowing their names.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::report::CheckReport;
use crate::sql_future::SqlFuture;

/// The totals of one painter.
#[derive(Clone, Copy, Debug, Default)]
pub struct PainterTotals {
    pub pixels: i64,
    /// The number of the newest placement, and its time.
    pub newest_placement_seq: Seq,
    pub newest_placement_at: DateTime<Utc>,
    /// The number of placements that earned no credit.
    pub without_credit: i64,
}

/// The replayed log, as the checks of nouns see it.
#[derive(Debug)]
pub struct CheckedLog {
    /// The totals by the painter's number. A check may remove those that it has compared.
    pub painters: HashMap<AccountNo, PainterTotals>,
    /// The number of all events.
    pub event_count: i64,
    /// The number of events of each kind that nouns have.
    pub(super) counts_by_kind: HashMap<&'static str, i64>,
}

impl CheckedLog {
    /// Returns the number of events of a noun's kind.
    pub fn count(&self, kind: &str) -> i64 {
        self.counts_by_kind.get(kind).copied().unwrap_or_default()
    }
}

/// Compares the rows of one noun with the log, and adds the differences to the report.
pub type NounCheck = Box<
    dyn for<'a> Fn(&'a mut PgConnection, &'a mut CheckedLog, &'a mut CheckReport) -> SqlFuture<'a, ()>
        + Send
        + Sync,
>;
