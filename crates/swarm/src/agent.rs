//! One agent's life: read the chat, join in, paint, pause, until the run ends.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use rand::{RngExt, rngs::StdRng};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::{
    client::{Answer, Call},
    failure::Failure,
    luck::{self, Use},
    purse::Purse,
    reading::Reading,
    route::Route,
    share::Share,
    stop,
    voice::Voice,
    wire::{Account, Dot, Me},
    world::World,
};

/// An agent looks in at least this often, even while it waits for charges.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// A pause of an agent with nothing to paint, so that `--think-ms 0` does not spin.
const IDLE_PAUSE: Duration = Duration::from_millis(250);

/// `paint` and `talk` hold its deeds.
pub struct Agent {
    pub(crate) world: Arc<World>,
    pub(crate) index: usize,
    pub(crate) account: Account,
    pub(crate) share: Share,
    pub(crate) rng: StdRng,
    pub(crate) purse: Purse,
    pub(crate) credits: u64,
    pub(crate) message_price: u64,
    pub(crate) reading: Reading,
    pub(crate) voice: Voice,
    pub(crate) quiet_until: Instant,
    pub(crate) no_reaction_until: Instant,
    pub(crate) reacted: VecDeque<String>,
    /// Strokes since the last intent.
    pub(crate) unannounced: usize,
    /// Sends the colour it has seen along, so as not to paint over a newcomer unawares.
    pub(crate) polite: bool,
    pub(crate) looked_at: Option<Instant>,
    requests: u64,
}

impl Agent {
    pub fn new(world: Arc<World>, index: usize, account: Account, dots: Vec<Dot>) -> Self {
        let mut rng = luck::source(world.seed, Use::Life, index);
        let now = Instant::now();
        Agent {
            polite: rng.random_bool(0.3),
            share: Share::new(dots),
            purse: Purse::default(),
            credits: 0,
            message_price: 0,
            reading: Reading::default(),
            voice: Voice::default(),
            quiet_until: now,
            no_reaction_until: now,
            reacted: VecDeque::new(),
            unannounced: usize::MAX,
            looked_at: None,
            requests: 0,
            world,
            index,
            account,
            rng,
        }
    }

    /// Returns why the agent left before the end, if it did.
    pub async fn live(mut self) -> Option<Failure> {
        let mut pause = self.think();
        let mut introduced = false;
        while stop::pause(&self.world.stop, pause).await {
            let done = if introduced { self.visit().await } else { self.introduce().await };
            introduced |= done.is_ok();
            pause = match done {
                Ok(()) => self.pause(),
                Err(failure) if failure.is_final() => return Some(failure),
                Err(failure) => failure.wait(),
            };
        }
        None
    }

    async fn introduce(&mut self) -> Result<(), Failure> {
        let me = self.ask::<Me>(Call::new(Route::Me)).await?;
        self.purse.learn(&me);
        self.credits = me.body.chat_credits;
        self.message_price = me.body.pixels_per_message;
        Ok(())
    }

    /// Sends a read with this agent's key, again as long as its failure may pass and the run lasts.
    pub(crate) async fn ask<T: DeserializeOwned>(&self, call: Call) -> Result<Answer<T>, Failure> {
        self.world.client.patiently(&call.key(&self.account.api_key), &self.world.stop).await
    }

    async fn visit(&mut self) -> Result<(), Failure> {
        self.read_when_due().await?;
        self.mingle().await?;
        self.paint().await
    }

    fn pause(&mut self) -> Duration {
        let think = self.think();
        if self.share.is_done() {
            return think.max(IDLE_PAUSE);
        }
        think.max(self.purse.wait(Instant::now()).min(LONGEST_PAUSE))
    }

    /// Between half and one and a half of the mean, so that the crowd does not march in step.
    fn think(&mut self) -> Duration {
        let mean = self.world.args.think_ms;
        Duration::from_millis(self.rng.random_range(mean / 2..=mean.saturating_add(mean / 2)))
    }

    pub(crate) fn chance(&mut self, percent: u8) -> bool {
        self.rng.random_ratio(u32::from(percent.min(100)), 100)
    }

    /// One key per thing wanted: retries keep it, a changed request takes the next.
    pub(crate) fn next_key(&mut self) -> String {
        self.requests += 1;
        format!("swarm-{:x}-{}", self.world.seed, self.requests)
    }
}
