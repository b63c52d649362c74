//! The parts of a run that its tasks share.

use rand::{rngs::StdRng, seq::IndexedRandom};
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use crate::{
    args::Args,
    client::{Answer, Call, Client},
    failure::Failure,
    ledger::{Ledger, Unsettled},
    wire::{Account, Canvas, Dot, Placed, Said},
};

pub struct World {
    pub client: Client,
    pub ledger: Ledger,
    /// Time is up: nothing new is begun.
    pub stop: CancellationToken,
    /// Until then what was begun is sent again, so that its fate is known.
    pub last_call: CancellationToken,
    /// Until then the streams are followed: longer than `stop`, so that the last placements are still seen.
    pub watching: CancellationToken,
    pub args: Args,
    pub seed: u64,
    /// The canvas as it was at the start.
    pub canvas: Canvas,
}

impl World {
    /// Sends a placement of one of the agents until its outcome is known, and writes it down.
    pub async fn place(
        &self,
        agent: usize,
        account: &Account,
        call: &Call,
        dots: &[Dot],
    ) -> Result<Answer<Placed>, Failure> {
        let pixels = dots.len() as u64;
        let placed: Answer<Placed> = self.write(agent, call, Unsettled { pixels, messages: 0 }).await?;
        self.ledger.placed(agent, &account.name, dots, &placed.body);
        Ok(placed)
    }

    /// Sends a message of one of the agents until its outcome is known, and writes it down.
    pub async fn say(&self, agent: usize, call: &Call) -> Result<Said, Failure> {
        let said: Said = self.write(agent, call, Unsettled { pixels: 0, messages: 1 }).await?.body;
        self.ledger.said(agent, &said);
        Ok(said)
    }

    async fn write<T: DeserializeOwned>(
        &self,
        agent: usize,
        call: &Call,
        asked: Unsettled,
    ) -> Result<Answer<T>, Failure> {
        let answer = self.client.patiently(call, &self.last_call).await;
        if answer.as_ref().is_err_and(Failure::is_unknown) {
            self.ledger.unsettled(agent, asked);
        }
        answer
    }

    pub fn color_name(&self, index: u8) -> Option<&str> {
        self.canvas.palette.iter().find(|swatch| swatch.index == index).map(|swatch| swatch.name.as_str())
    }

    /// The index of any colour.
    pub fn random_color(&self, rng: &mut StdRng) -> u8 {
        self.canvas.palette.choose(rng).map_or(0, |swatch| swatch.index)
    }

    /// Any colour's name but that one.
    pub fn any_color(&self, but: &str, rng: &mut StdRng) -> String {
        let names = self.canvas.palette.iter().map(|swatch| swatch.name.as_str());
        let others: Vec<&str> = names.filter(|name| *name != but).collect();
        others.choose(rng).copied().unwrap_or(but).to_owned()
    }
}
