//! A simulated agent: reads the chat, posts, paints and pauses until the run ends.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use rand::{RngExt, rngs::StdRng};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::{
    api_types::{Account, Me, PixelInput},
    assignment::Assignment,
    chat_state::ChatState,
    client::{ApiRequest, ApiResponse},
    crews::CrewShare,
    failure::Failure,
    phrases::PhraseGenerator,
    plans::{PlanRun, PlanShare},
    quota::Quota,
    rng::{self, RngPurpose},
    run_context::RunContext,
    stop,
};

/// Maximum pause between two rounds, also while the agent waits for charges.
const MAX_PAUSE: Duration = Duration::from_secs(10);
/// Pause of an agent with nothing to paint, so that `--think-ms 0` does not spin.
const IDLE_PAUSE: Duration = Duration::from_millis(250);

/// The work of an agent.
#[derive(Clone)]
pub enum Work {
    /// A share of a picture.
    Pixels(Vec<PixelInput>),
    /// Plans, of which each agent claims pixels.
    Plans(Arc<PlanRun>),
}

/// A simulated agent. Its actions are in the modules `paint`, `chat` and `plans`.
pub struct Agent {
    pub(crate) context: Arc<RunContext>,
    pub(crate) index: usize,
    pub(crate) account: Account,
    pub(crate) assignment: Assignment,
    pub(crate) rng: StdRng,
    pub(crate) quota: Quota,
    pub(crate) credits: u64,
    pub(crate) message_price: u64,
    pub(crate) chat: ChatState,
    pub(crate) phrases: PhraseGenerator,
    pub(crate) no_message_until: Instant,
    pub(crate) no_reaction_until: Instant,
    pub(crate) reacted_message_ids: VecDeque<String>,
    /// Number of placements since the last intent.
    pub(crate) pixels_since_intent: usize,
    /// Sends the expected colour with each placement, so that it does not replace another agent's new pixel.
    pub(crate) sends_expected_color: bool,
    pub(crate) region_checked_at: Option<Instant>,
    /// The agent's part in the plans of the run, if there are any.
    pub(crate) plans: Option<PlanShare>,
    /// The agent's part in its crew, if there are crews.
    pub(crate) crew: Option<CrewShare>,
    /// The server's time at a moment; `None` before the first response that was asked for it.
    pub(crate) server_clock: Option<(DateTime<Utc>, Instant)>,
    key_count: u64,
}

impl Agent {
    /// Returns an agent with its work.
    pub fn new(context: Arc<RunContext>, index: usize, work: Work, crew: Option<CrewShare>) -> Self {
        let mut rng = rng::seeded(context.seed, RngPurpose::Behavior, index);
        let now = Instant::now();
        let (pixels, plans) = match work {
            Work::Pixels(pixels) => (pixels, None),
            Work::Plans(run) => {
                let crew = crew.as_ref().map(|share| share.crew);
                (Vec::new(), Some(PlanShare { run, crew, plan_id: None }))
            }
        };
        Agent {
            sends_expected_color: rng.random_bool(0.3),
            assignment: Assignment::new(pixels),
            quota: Quota::default(),
            credits: 0,
            message_price: 0,
            chat: ChatState::default(),
            phrases: PhraseGenerator::default(),
            no_message_until: now,
            no_reaction_until: now,
            reacted_message_ids: VecDeque::new(),
            pixels_since_intent: usize::MAX,
            region_checked_at: None,
            plans,
            crew,
            server_clock: None,
            key_count: 0,
            account: context.accounts[index].clone(),
            context,
            index,
            rng,
        }
    }

    /// Runs the agent until the end. Returns the reason if it stopped early.
    pub async fn run(mut self) -> Option<Failure> {
        let mut pause = self.think_time();
        let mut profile_loaded = false;
        while self.pause(pause).await {
            let result = if profile_loaded { self.run_cycle().await } else { self.load_profile().await };
            profile_loaded |= result.is_ok();
            pause = match result {
                Ok(()) => self.next_pause(),
                Err(failure) if failure.is_final() => return Some(failure),
                Err(failure) => failure.retry_delay(),
            };
        }
        None
    }

    async fn load_profile(&mut self) -> Result<(), Failure> {
        let me = self.fetch::<Me>(ApiRequest::get("/api/agents/me")).await?;
        self.quota.update_from_profile(&me);
        self.credits = me.body.chat_credits;
        self.message_price = me.body.pixels_per_message;
        Ok(())
    }

    /// Sends a read with this agent's key, and retries while the failure may be temporary and the run lasts.
    pub(crate) async fn fetch<T: DeserializeOwned>(
        &self,
        request: ApiRequest,
    ) -> Result<ApiResponse<T>, Failure> {
        self.context.fetch(&request.with_api_key(&self.account.api_key)).await
    }

    /// Sends a request once more in a share of all cases, as after a lost response. The server must return
    /// what it has returned before.
    pub(crate) async fn maybe_send_again<T: DeserializeOwned>(
        &mut self,
        request: &ApiRequest,
        is_same: impl FnOnce(&T) -> bool,
    ) -> Result<(), Failure> {
        if !self.random_percent(self.context.args.replays) {
            return Ok(());
        }
        match self.context.fetch(request).await {
            Ok(repeated) if !is_same(&repeated.body) => {
                let name = &self.account.name;
                let description = request.describe();
                let fault = format!("{name}: {description}: the same Idempotency-Key was carried out twice");
                self.context.ledger.record_fault(fault);
            }
            Err(failure) if failure.is_final() => return Err(failure),
            _ => {}
        }
        Ok(())
    }

    async fn run_cycle(&mut self) -> Result<(), Failure> {
        self.read_chat_if_due().await?;
        self.take_part_in_crew().await?;
        self.take_part_in_chat().await?;
        self.paint().await
    }

    /// Pauses until the time has passed or the agent's webhook is called. Returns false if the run has ended.
    async fn pause(&self, pause: Duration) -> bool {
        let Some(share) = &self.crew else { return stop::pause(&self.context.stop, pause).await };
        tokio::select! {
            is_running = stop::pause(&self.context.stop, pause) => is_running,
            () = share.wait_for_call() => !self.context.stop.is_cancelled(),
        }
    }

    /// Returns the server's time, to the second; `None` if it is not known.
    pub(crate) fn server_time(&self) -> Option<DateTime<Utc>> {
        let (time, at) = self.server_clock?;
        Some(time + TimeDelta::from_std(at.elapsed()).ok()?)
    }

    fn next_pause(&mut self) -> Duration {
        let pause = self.think_time();
        let may_claim = self.plans.as_ref().is_some_and(|share| share.plan_id.is_some());
        if self.assignment.is_done() && !may_claim {
            return pause.max(IDLE_PAUSE);
        }
        pause.max(self.quota.time_until_charge(Instant::now()).min(MAX_PAUSE))
    }

    /// Returns a pause between half and one and a half of the mean, so that the agents do not act in step.
    fn think_time(&mut self) -> Duration {
        let mean = self.context.args.think_ms;
        Duration::from_millis(self.rng.random_range(mean / 2..=mean.saturating_add(mean / 2)))
    }

    pub(crate) fn random_percent(&mut self, percent: u8) -> bool {
        self.rng.random_ratio(u32::from(percent.min(100)), 100)
    }

    /// Returns a new Idempotency-Key: retries keep it, and a changed request takes the next.
    pub(crate) fn next_idempotency_key(&mut self) -> String {
        self.key_count += 1;
        format!("swarm-{:x}-{}", self.context.seed, self.key_count)
    }
}
