//! The database as this instance sees it.

use chrono::{DateTime, Utc};
use prometheus::{Histogram, IntCounter, IntGauge};

use super::register::metrics;

metrics! {
    /// The metrics of the database.
    DatabaseMetrics {
        up: IntGauge = "caraplace_database_up"
            "Whether the log can be followed: 1 or 0.";
        last_success: IntGauge = "caraplace_database_last_success_timestamp_seconds"
            "When the database last answered the follower, in seconds since 1970.";
        pool_wait: Histogram = "caraplace_database_wait_seconds"
            "Seconds that the follower waits for a connection of the pool, about four times a second.";
        round_trip: Histogram = "caraplace_database_round_trip_seconds"
            "Seconds in which the database answers the follower's shortest question.";
        pool_max: IntGauge = "caraplace_database_connections_max"
            "Connections that the pool may have.";
        [pool_busy = "busy", pool_idle = "idle"]: IntGauge = "caraplace_database_connections" ["state"]
            "Connections of the pool of readers, by state; the writer and the migrations have their own.";
        [
            /// The connection broke, or could not be made.
            unreachable = "unreachable",
            /// No connection of the pool became free in time.
            no_connection = "no_connection",
            /// PostgreSQL answered, and said no.
            refused = "refused",
            other = "other"
        ]: IntCounter = "caraplace_database_errors_total" ["kind"]
            "Errors by kind: unreachable, no_connection (none of the pool's, or no answer, in time), refused (by PostgreSQL), other.";
    }
}

impl DatabaseMetrics {
    /// The database answered.
    pub fn record_success(&self, now: DateTime<Utc>) {
        self.up.set(1);
        self.last_success.set(now.timestamp());
    }

    /// Counts an error.
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
