//! The crew of a timetable: does its jobs, and keeps a digest at hand.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::time::Instant;

use super::job::{Job, What};
use crate::{
    client::Call,
    failure::Failure,
    route::Route,
    stop::pause,
    wire::{Account, Digest, Speech},
    world::World,
};

/// How often the chat's digest is asked for; it lives much longer.
const REREAD: Duration = Duration::from_secs(5);
const BEFORE_RETRY: Duration = Duration::from_millis(250);

pub struct Crew {
    world: Arc<World>,
    accounts: Vec<Account>,
    digest: Mutex<Option<String>>,
}

impl Crew {
    pub fn new(world: Arc<World>, accounts: Vec<Account>) -> Self {
        Crew { world, accounts, digest: Mutex::new(None) }
    }

    /// The digest that nobody could paint without.
    pub async fn first_reading(&self) {
        while !self.read().await && pause(&self.world.stop, BEFORE_RETRY).await {}
    }

    /// Runs until it is aborted.
    pub async fn keep_reading(self: Arc<Self>) {
        loop {
            tokio::time::sleep(REREAD).await;
            self.read().await;
        }
    }

    /// False when it should be tried again; a server without a chat wants no digest.
    async fn read(&self) -> bool {
        match self.world.client.once::<Digest>(&Call::new(Route::Digest)).await {
            Ok(answer) => {
                *self.digest.lock() = Some(answer.body.digest);
                true
            }
            Err(failure) => failure.code() == "chat_disabled",
        }
    }

    /// Refusals are what they are: the tally has them.
    pub async fn perform(&self, job: Job, number: u64, planned: Instant) {
        let Some(account) = self.accounts.get(job.agent) else { return };
        if let Err(Failure::Garbled(why)) = self.attempt(job, account, number, planned).await {
            self.world.ledger.fault(format!("{}: {why}", account.name));
        }
    }

    async fn attempt(
        &self,
        Job { agent, what, .. }: Job,
        account: &Account,
        number: u64,
        planned: Instant,
    ) -> Result<(), Failure> {
        let prepared = |call: Call| call.key(&account.api_key).planned(planned);
        let key = format!("swarm-{:x}-{number}", self.world.seed);
        match what {
            What::Paint(dots) => {
                let digest = self.digest.lock().clone();
                let call = prepared(Call::placement(&dots, digest.as_deref())?).idempotency(key);
                // The ledger has what became of it, or that this is unknown.
                let _ = self.world.place(agent, account, &call, &dots).await;
            }
            What::Say(content) => {
                let speech = Speech { content: &content, kind: "message", ..Speech::default() };
                let call = prepared(Call::new(Route::Say)).idempotency(key).body(&speech)?;
                let _ = self.world.say(agent, &call).await;
            }
            // A read that fails is not repeated: another one comes anyway.
            What::Look(route) => {
                let call = prepared(Call::new(route).query(self.query(route, number)));
                self.world.client.body(&call).await?;
            }
        }
        Ok(())
    }

    fn query(&self, route: Route, number: u64) -> String {
        let (width, height) = (self.world.canvas.width, self.world.canvas.height);
        let (x, y) = (number % u64::from(width), number % u64::from(height));
        match route {
            Route::Region => format!("?x1=0&y1=0&x2={x}&y2={y}"),
            Route::Inspect => format!("?x={x}&y={y}"),
            _ => String::new(),
        }
    }
}
