//! A spectator: follows `/api/events` through the run, resuming where it was cut off, and draws what it is told.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result, bail};
use parking_lot::{Mutex, MutexGuard};
use tokio::time;

use crate::{
    client::{Body, Call},
    copy::Copy,
    route::Route,
    stop::pause,
    stream::{Cutter, Story},
    world::World,
};

/// The server sends a comment every 15 seconds; longer silence is a dead connection.
const SILENCE: Duration = Duration::from_secs(40);
const BEFORE_RETRY: Duration = Duration::from_millis(500);

/// Between two looks at a canvas that is older than the stream.
const BEFORE_LOOK: Duration = Duration::from_millis(100);
const LOOKS: u32 = 50;

pub struct Watcher {
    world: Arc<World>,
    /// Which of the client's servers.
    pub server: usize,
    pub base: String,
    story: Mutex<Story>,
}

impl Watcher {
    /// Starts following one of the client's servers.
    pub fn start(world: Arc<World>, server: usize, story: Story) -> Arc<Watcher> {
        let base = world.client.bases.get(server).cloned().unwrap_or_default();
        let watcher = Arc::new(Watcher { world, server, base, story: Mutex::new(story) });
        tokio::spawn(watcher.clone().follow_until_the_end());
        watcher
    }

    pub fn story(&self) -> MutexGuard<'_, Story> {
        self.story.lock()
    }

    async fn follow_until_the_end(self: Arc<Self>) {
        let end = &self.world.watching;
        while !end.is_cancelled() {
            if let Some(Err(error)) = end.run_until_cancelled(self.follow()).await {
                self.note(&error);
            }
            pause(end, BEFORE_RETRY).await;
        }
    }

    fn note(&self, error: &anyhow::Error) {
        let mut story = self.story();
        match error.downcast_ref::<Cut>() {
            Some(Cut) => story.reconnects += 1,
            None => story.faults.push(format!("the stream: {error:#}")),
        }
    }

    /// Returns only with an error: a stream has no end of its own.
    async fn follow(&self) -> Result<()> {
        let mut request = self.world.client.http.get(format!("{}/api/events", self.base));
        let resume = {
            let story = self.story();
            story.from.map(|_| story.last)
        };
        if let Some(last) = resume {
            request = request.header("Last-Event-ID", last);
        }
        let mut response = request.send().await.context(Cut)?.error_for_status().context(Cut)?;
        let mut cutter = Cutter::default();
        loop {
            let chunk = time::timeout(SILENCE, response.chunk()).await.context(Cut)?.context(Cut)?;
            let Some(chunk) = chunk else { bail!(Cut) };
            for frame in cutter.feed(&chunk) {
                self.story().tell(&frame)?;
                self.look().await?;
            }
        }
    }

    /// Loads the canvas where there is none yet to draw on.
    async fn look(&self) -> Result<()> {
        let wanted = {
            let story = self.story();
            story.copy.is_none().then_some(story.wanted)
        };
        if let Some(wanted) = wanted {
            let body = self.canvas(wanted).await?;
            self.story().copy = Copy::new(self.world.canvas.width, body);
        }
        Ok(())
    }

    /// Bodies may come from a cache that is a moment behind the stream.
    async fn canvas(&self, wanted: u64) -> Result<Body> {
        for _ in 0..LOOKS {
            let call = Call::new(Route::Bytes).server(self.server);
            let body = self.world.client.body(&call).await.context(Cut)?;
            if body.version.is_some_and(|version| version >= wanted) {
                return Ok(body);
            }
            time::sleep(BEFORE_LOOK).await;
        }
        bail!("canvas.bin never reached version {wanted}, which the stream had told")
    }
}

/// The connection ended, which is nobody's fault: the stream is resumed.
#[derive(Debug, thiserror::Error)]
#[error("the stream was cut")]
struct Cut;
