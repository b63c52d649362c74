//! The parts of a run that its tasks share.

use rand::{rngs::StdRng, seq::IndexedRandom};
use tokio_util::sync::CancellationToken;

use crate::{args::Args, client::Client, ledger::Ledger, wire::Canvas};

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
