//! The probe that writes to the database when nothing else does, to show that it can be written.

use std::sync::Arc;
use std::time::Duration;

use platform::clock::new_id;
use rules::numbers::Seq;
use sqlx::{ConnectOptions as _, PgConnection, PgPool};
use tokio::sync::Mutex;

use super::timeout::with_step_timeout;
use super::write_health::{ATTEMPT_INTERVAL, Unwritable, WRITE_TIMEOUT, WriteHealth};
use super::{EventLog, store};

/// The interval between probes of an idle server.
pub const PROBE_INTERVAL: Duration = ATTEMPT_INTERVAL;
/// The time that a caller waits for the first probe, or if it must know the newest result: longer than the
/// probe's own timeout.
pub const PROBE_TIMEOUT: Duration = Duration::from_millis(WRITE_TIMEOUT.as_millis() as u64 + 500);

/// Writes rows for the health checks of one instance, on a connection of its own: a pool whose connections
/// are all in use must not look like a database that cannot be written.
pub(super) struct WriteProbe {
    pool: PgPool,
    /// Identifies this instance's row.
    instance: String,
    state: Mutex<ProbeState>,
}

#[derive(Default)]
struct ProbeState {
    connection: Option<PgConnection>,
    /// The number of the newest event at the last probe.
    head: Option<Seq>,
}

impl WriteProbe {
    /// Returns a probe that has written nothing yet.
    pub(super) fn new(pool: PgPool) -> Self {
        Self { pool, instance: new_id("instance"), state: Mutex::default() }
    }

    /// Writes and commits this instance's row. If the log has no new event since the last probe, it also
    /// locks the head for a moment, because a lock that somebody else holds looks the same.
    async fn write(&self, head: Seq) -> Result<(), sqlx::Error> {
        let mut state = self.state.lock().await;
        let is_quiet = state.head.replace(head) == Some(head);
        // After an error or a timeout the connection is closed.
        let mut connection = match state.connection.take() {
            Some(connection) => connection,
            None => self.pool.connect_options().connect().await?,
        };
        store::write_probe(&mut connection, &self.instance).await?;
        if is_quiet {
            store::try_lock_head(&mut connection).await?;
        }
        state.connection = Some(connection);
        Ok(())
    }
}

/// Starts an attempt to write, if one is due. `head` is the number of the newest event.
fn start_attempt(health: &Arc<WriteHealth>, probe: &Arc<WriteProbe>, head: Seq) {
    if !health.begin_attempt() {
        return;
    }
    // The attempt is a task of its own: if the caller is dropped, it must still end.
    let health = health.clone();
    let probe = probe.clone();
    tokio::spawn(async move {
        let result = with_step_timeout(probe.write(head)).await;
        let was_failing = health.end_attempt(result.as_ref().copied().map_err(Unwritable::from));
        match result {
            Err(error) if was_failing => error.count_in_metrics(),
            Err(error) => error.report("attempt to write failed"),
            Ok(()) => {}
        }
    });
}

impl EventLog {
    /// Starts a probe if nothing was written for a second.
    pub fn probe_if_idle(&self) {
        let head = self.projector.world.read().head;
        start_attempt(&self.write_health, &self.write_probe, head);
    }

    /// Checks that a row was written within the last two seconds. If a probe is due or running, waits for it,
    /// at most for `timeout`.
    ///
    /// # Errors
    /// The reason why nothing can be written.
    pub async fn check_writable(&self, timeout: Duration) -> Result<(), Unwritable> {
        self.probe_if_idle();
        self.write_health.wait_for_attempt(timeout, PROBE_TIMEOUT).await;
        self.write_health.check(self.is_overloaded())
    }

    /// Checks the same without a probe.
    ///
    /// # Errors
    /// The reason why nothing can be written.
    pub fn writable(&self) -> Result<(), Unwritable> {
        self.write_health.check(self.is_overloaded())
    }

    /// Closes the connection of the probes.
    pub(crate) async fn stop_probing(&self) {
        self.write_probe.state.lock().await.connection = None;
    }
}
