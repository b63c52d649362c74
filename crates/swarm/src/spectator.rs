//! A spectator: follows `/api/events` through the run, resumes after a disconnect, and maintains a replica of
//! the canvas.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result, bail};
use parking_lot::{Mutex, MutexGuard};
use tokio::time;

use crate::{
    canvas_replica::CanvasReplica,
    client::{ApiRequest, CanvasBody},
    run_context::RunContext,
    stop::pause,
    stream_state::{FrameParser, StreamState},
};

/// Read timeout of the stream. The server sends a comment every 15 seconds.
const READ_TIMEOUT: Duration = Duration::from_secs(40);
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Pause before the canvas is loaded again if it is older than the stream.
const CANVAS_RETRY_DELAY: Duration = Duration::from_millis(100);
const MAX_CANVAS_ATTEMPTS: u32 = 50;

/// A spectator and the state of its stream.
pub struct Spectator {
    context: Arc<RunContext>,
    /// The index of the server.
    pub server_index: usize,
    pub base_url: String,
    state: Mutex<StreamState>,
}

impl Spectator {
    /// Starts following a server's stream.
    pub fn start(context: Arc<RunContext>, server_index: usize, state: StreamState) -> Arc<Spectator> {
        let base_url = context.client.base_urls.get(server_index).cloned().unwrap_or_default();
        let spectator = Arc::new(Spectator { context, server_index, base_url, state: Mutex::new(state) });
        tokio::spawn(spectator.clone().run());
        spectator
    }

    /// Locks and returns the state of the stream.
    pub fn state(&self) -> MutexGuard<'_, StreamState> {
        self.state.lock()
    }

    async fn run(self: Arc<Self>) {
        let stop = &self.context.stop_spectators;
        while !stop.is_cancelled() {
            if let Some(Err(error)) = stop.run_until_cancelled(self.follow_stream()).await {
                self.record_error(&error);
            }
            pause(stop, RETRY_DELAY).await;
        }
    }

    fn record_error(&self, error: &anyhow::Error) {
        let mut state = self.state();
        match error.downcast_ref::<Disconnected>() {
            Some(Disconnected) => state.reconnects += 1,
            None => state.faults.push(format!("the stream: {error:#}")),
        }
    }

    /// Follows the stream. Returns only with an error, because a stream has no end.
    async fn follow_stream(&self) -> Result<()> {
        let mut request = self.context.client.http.get(format!("{}/api/events", self.base_url));
        let resume_after = {
            let state = self.state();
            state.first_seq.map(|_| state.last_seq)
        };
        if let Some(last_seq) = resume_after {
            request = request.header("Last-Event-ID", last_seq);
        }
        let mut response =
            request.send().await.context(Disconnected)?.error_for_status().context(Disconnected)?;
        let mut parser = FrameParser::default();
        loop {
            let chunk = time::timeout(READ_TIMEOUT, response.chunk())
                .await
                .context(Disconnected)?
                .context(Disconnected)?;
            let Some(chunk) = chunk else { bail!(Disconnected) };
            for frame in parser.feed(&chunk) {
                self.state().apply_frame(&frame)?;
                self.load_canvas_if_missing().await?;
            }
        }
    }

    /// Loads the canvas if there is no replica yet.
    async fn load_canvas_if_missing(&self) -> Result<()> {
        let min_version = {
            let state = self.state();
            state.replica.is_none().then_some(state.min_version)
        };
        if let Some(min_version) = min_version {
            let body = self.fetch_canvas(min_version).await?;
            self.state().replica = CanvasReplica::new(self.context.canvas.width, body);
        }
        Ok(())
    }

    /// Loads a canvas of at least this version. A cached body may be slightly behind the stream.
    async fn fetch_canvas(&self, min_version: u64) -> Result<CanvasBody> {
        for _ in 0..MAX_CANVAS_ATTEMPTS {
            let server = Some(self.server_index);
            let request = ApiRequest { server, ..ApiRequest::get("/api/canvas.bin") };
            let body = self.context.client.fetch_canvas(&request).await.context(Disconnected)?;
            if body.version.is_some_and(|version| version >= min_version) {
                return Ok(body);
            }
            time::sleep(CANVAS_RETRY_DELAY).await;
        }
        bail!("canvas.bin never reached version {min_version}, which the stream announced")
    }
}

/// The end of the connection. It is not a fault, because the stream is resumed.
#[derive(Debug, thiserror::Error)]
#[error("the stream was cut")]
struct Disconnected;
