//! Metrics of the database, as seen by this instance.

use chrono::{DateTime, Utc};
use prometheus::{Gauge, Histogram, IntCounter, IntGauge};

use super::register::metrics;

metrics! {
    /// The metrics of the database.
    DatabaseMetrics {
        up: IntGauge = "caraplace_database_up"
            "1 if the follower can read the log, otherwise 0.";
        writable: IntGauge = "caraplace_writable"
            "1 if this instance wrote a row within the last two seconds, otherwise 0.";
        data_free: Gauge = "caraplace_data_free_bytes"
            "Free bytes on the disk of the private PostgreSQL; zero if the database is another one.";
        data_size: Gauge = "caraplace_data_size_bytes"
            "Size of the disk of the private PostgreSQL in bytes; zero if the database is another one.";
        last_success: IntGauge = "caraplace_database_last_success_timestamp_seconds"
            "Time of the last answer to the follower, in seconds since 1970.";
        clock_lead: Gauge = "caraplace_clock_lead_seconds"
            "Seconds by which the database's clock is ahead of the time that is used, after it was set \
             forward.";
        pool_wait: Histogram = "caraplace_database_wait_seconds"
            "Seconds that the follower waits for a pooled connection, about four times a second.";
        round_trip: Histogram = "caraplace_database_round_trip_seconds"
            "Seconds of the follower's shortest query.";
        pool_max: IntGauge = "caraplace_database_connections_max"
            "Maximum number of connections in the pool.";
        [head_locked = "head_locked", read_only = "read_only", queue_full = "queue_full",
         disk_full = "disk_full", no_answer = "no_answer"]: IntGauge = "caraplace_unwritable" ["reason"]
            "1 for the reason why nothing can be written, otherwise 0; /readyz tells the same reason.";
        [clock_set_forward = "forward", clock_set_back = "back"]: IntCounter =
            "caraplace_clock_jumps_total" ["direction"]
            "Times that the database's clock was set by more than a second, by direction.";
        [pool_busy = "busy", pool_idle = "idle"]: IntGauge = "caraplace_database_connections" ["state"]
            "Connections of the readers' pool, by state. The writer and the migrations have connections of \
             their own.";
        [
            /// The connection was lost or could not be opened.
            unreachable = "unreachable",
            /// No connection of the pool became free in time.
            no_connection = "no_connection",
            /// PostgreSQL returned an error.
            refused = "refused",
            other = "other"
        ]: IntCounter = "caraplace_database_errors_total" ["kind"]
            "Errors by kind: unreachable, no_connection (no pooled connection or no answer in time), refused \
             (an error from PostgreSQL), other.";
    }
}

impl DatabaseMetrics {
    /// Records whether something can be written, or the name of the reason why not.
    pub fn set_writable(&self, reason: Option<&str>) {
        self.writable.set(reason.is_none().into());
        let reasons = [
            (&self.head_locked, "head_locked"),
            (&self.read_only, "read_only"),
            (&self.queue_full, "queue_full"),
            (&self.disk_full, "disk_full"),
            (&self.no_answer, "no_answer"),
        ];
        reasons.iter().for_each(|(gauge, name)| gauge.set((reason == Some(*name)).into()));
    }

    /// Records an answer of the database.
    pub fn record_success(&self, now: DateTime<Utc>) {
        self.up.set(1);
        self.last_success.set(now.timestamp());
    }

    /// Counts an error by its kind.
    pub fn record_error(&self, error: &sqlx::Error) {
        use sqlx::Error::{Database, Io, PoolClosed, PoolTimedOut, Tls};
        match error {
            Io(_) | Tls(_) => self.unreachable.inc(),
            PoolTimedOut | PoolClosed => self.no_connection.inc(),
            Database(_) => self.refused.inc(),
            _ => self.other.inc(),
        }
    }
}
