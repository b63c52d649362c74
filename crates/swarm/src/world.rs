//! What all agents of a run have in common.

use std::sync::Arc;

use rand::{rngs::StdRng, seq::IndexedRandom};
use tokio_util::sync::CancellationToken;

use crate::{args::Args, client::Client, ledger::Ledger, wire::Canvas};

pub struct World {
    pub client: Arc<Client>,
    pub ledger: Arc<Ledger>,
    /// Time is up: nothing new is begun.
    pub stop: CancellationToken,
    /// Until then what was begun is sent again, so that its fate is known.
    pub last_call: CancellationToken,
    pub args: Args,
    pub seed: u64,
    pub width: u32,
    pub height: u32,
    color_names: Vec<(u8, String)>,
}

impl World {
    pub fn new(
        client: Arc<Client>,
        ledger: Arc<Ledger>,
        (stop, last_call): (CancellationToken, CancellationToken),
        args: Args,
        seed: u64,
        canvas: &Canvas,
    ) -> Self {
        let (width, height) = (canvas.width, canvas.height);
        let color_names = canvas.palette.iter().map(|swatch| (swatch.index, swatch.name.clone())).collect();
        World { client, ledger, stop, last_call, args, seed, width, height, color_names }
    }

    pub fn color_name(&self, index: u8) -> Option<&str> {
        self.color_names.iter().find(|(own, _)| *own == index).map(|(_, name)| name.as_str())
    }

    /// The index of any colour.
    pub fn random_color(&self, rng: &mut StdRng) -> u8 {
        self.color_names.choose(rng).map_or(0, |(index, _)| *index)
    }

    /// Any colour's name but that one.
    pub fn any_color(&self, but: &str, rng: &mut StdRng) -> String {
        let names: Vec<&str> =
            self.color_names.iter().map(|(_, name)| name.as_str()).filter(|n| *n != but).collect();
        names.choose(rng).copied().unwrap_or(but).to_owned()
    }
}
