//! A spectator per instance: follows `/api/events` through the run, resuming where it was cut off.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use tokio::time;

use crate::{
    client::Client,
    stop::Stop,
    stream::{Cutter, Story},
};

/// The server sends a comment every 15 seconds; longer silence is a dead connection.
const SILENCE: Duration = Duration::from_secs(40);
const BEFORE_RETRY: Duration = Duration::from_millis(500);

pub struct Watcher {
    pub base: String,
    story: Arc<Mutex<Story>>,
}

impl Watcher {
    /// Starts following; `stop` should outlive the agents, so that their last strokes are still seen.
    pub fn start(client: Arc<Client>, base: String, stop: Stop) -> Watcher {
        let story = Arc::new(Mutex::new(Story::default()));
        let watcher = Watcher { base: base.clone(), story: story.clone() };
        tokio::spawn(async move {
            while !stop.called() {
                let follow = follow(&client, &base, &story);
                if let Some(Err(error)) = until(&stop, follow).await {
                    note(&story, &error);
                }
                stop.sleep(BEFORE_RETRY).await;
            }
        });
        watcher
    }

    pub fn story(&self) -> MutexGuard<'_, Story> {
        lock(&self.story)
    }
}

async fn until<T>(stop: &Stop, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        done = work => Some(done),
        () = stop.heard() => None,
    }
}

/// Returns only with an error: a stream has no end of its own.
async fn follow(client: &Client, base: &str, story: &Mutex<Story>) -> Result<()> {
    let mut request = client.http().get(format!("{base}/api/events"));
    let resume = {
        let story = lock(story);
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
            lock(story).tell(&frame)?;
        }
    }
}

/// The connection ended, which is nobody's fault: the stream is resumed.
#[derive(Debug)]
struct Cut;

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the stream was cut")
    }
}

impl std::error::Error for Cut {}

fn note(story: &Mutex<Story>, error: &anyhow::Error) {
    let mut story = lock(story);
    match error.downcast_ref::<Cut>() {
        Some(Cut) => story.reconnects += 1,
        None => story.faults.push(format!("the stream: {error:#}")),
    }
}

fn lock(story: &Mutex<Story>) -> MutexGuard<'_, Story> {
    story.lock().unwrap_or_else(PoisonError::into_inner)
}
