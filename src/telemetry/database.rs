//! Metrics of the database, as seen by this instance.

use chrono::{DateTime, Utc};
use prometheus::{Histogram, IntCounter, IntGauge};

use super::register::metrics;

metrics! {
    /// The metrics of the database.
    DatabaseMetrics {
        up: IntGauge = "caraplace_database_up"
            "1 if the follower can read the log, otherwise 0.";
        last_success: IntGauge = "caraplace_database_last_success_timestamp_seconds"
            "Time of the last answer to the follower, in seconds since 1970.";
        pool_wait: Histogram = "caraplace_database_wait_seconds"
            "Seconds that the follower waits for a pooled connection, about four times a second.";
        round_trip: Histogram = "caraplace_database_round_trip_seconds"
            "Seconds of the follower's shortest query.";
        pool_max: IntGauge = "caraplace_database_connections_max"
            "Maximum number of connections in the pool.";
        [pool_busy = "busy", pool_idle = "idle"]: IntGauge = "caraplace_database_connections" ["state"]
            "Connections of the readers' pool, by state. The writer and the migrations have connections of their own.";
        [
            /// The connection was lost or could not be opened.
            unreachable = "unreachable",
            /// No connection of the pool became free in time.
            no_connection = "no_connection",
            /// PostgreSQL returned an error.
            refused = "refused",
            other = "other"
        ]: IntCounter = "caraplace_database_errors_total" ["kind"]
            "Errors by kind: unreachable, no_connection (no pooled connection or no answer in time), refused (an error from PostgreSQL), other.";
    }
}

impl DatabaseMetrics {
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
