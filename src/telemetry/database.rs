//! The database as this instance sees it.

use chrono::{DateTime, Utc};
use prometheus::{Histogram, IntCounter, IntGauge};

use super::register::{Register, SECONDS};

/// What is told of the database.
pub struct Database {
    pub up: IntGauge,
    last_success: IntGauge,
    /// How long a connection of the pool is waited for.
    pub waits: Histogram,
    /// How long the shortest question takes.
    pub round_trip: Histogram,
    pub pool_max: IntGauge,
    pub pool_busy: IntGauge,
    pub pool_idle: IntGauge,
    /// The connection broke, or could not be made.
    pub unreachable: IntCounter,
    /// No connection of the pool became free in time.
    pub no_connection: IntCounter,
    /// PostgreSQL answered, and said no.
    pub refused: IntCounter,
    pub other: IntCounter,
}

impl Database {
    pub(super) fn new(register: &Register<'_>) -> Self {
        let [unreachable, no_connection, refused, other] = register.counter_of_each(
            "caraplace_database_errors_total",
            "Errors by kind: unreachable, no_connection (none of the pool's, or no answer, in time), refused (by PostgreSQL), other.",
            ("kind", ["unreachable", "no_connection", "refused", "other"]),
        );
        let connections = register.gauges(
            "caraplace_database_connections",
            "Connections of the pool of readers, by state; the writer and the migrations have their own.",
            &["state"],
        );
        Self {
            up: register.gauge("caraplace_database_up", "Whether the log can be followed: 1 or 0."),
            last_success: register.gauge(
                "caraplace_database_last_success_timestamp_seconds",
                "When the database last answered the follower, in seconds since 1970.",
            ),
            waits: register.histogram(
                "caraplace_database_wait_seconds",
                "Seconds that the follower waits for a connection of the pool, about four times a second.",
                SECONDS,
            ),
            round_trip: register.histogram(
                "caraplace_database_round_trip_seconds",
                "Seconds in which the database answers the follower's shortest question.",
                SECONDS,
            ),
            pool_max: register
                .gauge("caraplace_database_connections_max", "Connections that the pool may have."),
            pool_busy: connections.with_label_values(&["busy"]),
            pool_idle: connections.with_label_values(&["idle"]),
            unreachable,
            no_connection,
            refused,
            other,
        }
    }

    /// The database answered.
    pub fn answered(&self, now: DateTime<Utc>) {
        self.up.set(1);
        self.last_success.set(now.timestamp());
    }

    /// Counts an error.
    pub fn failed(&self, error: &sqlx::Error) {
        use sqlx::Error::{Database, Io, PoolClosed, PoolTimedOut, Tls};
        match error {
            Io(_) | Tls(_) => self.unreachable.inc(),
            PoolTimedOut | PoolClosed => self.no_connection.inc(),
            Database(_) => self.refused.inc(),
            _ => self.other.inc(),
        }
    }
}
