//! The crew of a timetable: does its jobs, and keeps a digest at hand.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::time::Instant;

use super::job::{Job, What};
use crate::{
    client::Call,
    failure::Failure,
    ledger::Unsettled,
    route::Route,
    stop::pause,
    wire::{Account, Digest, Dot, ManyPixels, OnePixel, Placed, Said, Speech},
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
        let key = format!("swarm-{:x}-{number}", self.world.seed);
        let done = match job.what {
            What::Paint(dots) => self.paint(job.agent, account, &dots, key, planned).await,
            What::Say(content) => self.say(job.agent, account, &content, key, planned).await,
            What::Look(look) => self.look(account, look, number, planned).await,
        };
        if let Err(Failure::Garbled(why)) = done {
            self.world.ledger.fault(format!("{}: {why}", account.name));
        }
    }

    async fn paint(
        &self,
        agent: usize,
        account: &Account,
        dots: &[Dot],
        key: String,
        planned: Instant,
    ) -> Result<(), Failure> {
        let digest = self.digest.lock().clone();
        let chat_digest = digest.as_deref();
        let call = match *dots {
            [dot] => Call::new(Route::Pixel).body(&OnePixel { dot, chat_digest })?,
            _ => Call::new(Route::Pixels).body(&ManyPixels { pixels: dots, chat_digest })?,
        };
        let call = call.key(&account.api_key).idempotency(key).planned(planned);
        let pixels = dots.len() as u64;
        match self.world.client.patiently::<Placed>(&call, &self.world.last_call).await {
            Ok(placed) => self.world.ledger.placed(agent, &account.name, dots, &placed.body),
            Err(failure) => self.leave_open(agent, &failure, Unsettled { pixels, messages: 0 }),
        }
        Ok(())
    }

    async fn say(
        &self,
        agent: usize,
        account: &Account,
        content: &str,
        key: String,
        planned: Instant,
    ) -> Result<(), Failure> {
        let speech = Speech { content, kind: "message", ..Speech::default() };
        let call = Call::new(Route::Say).key(&account.api_key).idempotency(key).body(&speech)?;
        match self.world.client.patiently::<Said>(&call.planned(planned), &self.world.last_call).await {
            Ok(said) => self.world.ledger.said(agent, &said.body),
            Err(failure) => self.leave_open(agent, &failure, Unsettled { pixels: 0, messages: 1 }),
        }
        Ok(())
    }

    fn leave_open(&self, agent: usize, failure: &Failure, what: Unsettled) {
        if failure.is_unknown() {
            self.world.ledger.unsettled(agent, what);
        }
    }

    /// A read that fails is not repeated: another one comes anyway.
    async fn look(
        &self,
        account: &Account,
        look: Route,
        number: u64,
        planned: Instant,
    ) -> Result<(), Failure> {
        let (x, y) =
            (number % u64::from(self.world.canvas.width), number % u64::from(self.world.canvas.height));
        let query = match look {
            Route::Region => format!("?x1=0&y1=0&x2={x}&y2={y}"),
            Route::Inspect => format!("?x={x}&y={y}"),
            _ => String::new(),
        };
        let call = Call::new(look).query(query).key(&account.api_key).planned(planned);
        match self.world.client.body(&call).await {
            Err(failure @ Failure::Garbled(_)) => Err(failure),
            _ => Ok(()),
        }
    }
}
