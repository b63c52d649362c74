//! The state that all tasks of a run share.

use rand::{rngs::StdRng, seq::IndexedRandom};
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use crate::{
    api_types::{Account, Canvas, MessageResponse, PixelInput, PlacementResponse},
    args::Args,
    client::{ApiRequest, ApiResponse, Client},
    crews::api_types::PrivateMessageResponse,
    failure::Failure,
    ledger::{Ledger, Unsettled},
};

/// The state of a run.
pub struct RunContext {
    pub client: Client,
    pub ledger: Ledger,
    /// Cancelled when the time is up: no new requests are started.
    pub stop: CancellationToken,
    /// Cancelled when pending requests are no longer retried.
    pub stop_retries: CancellationToken,
    /// Cancelled when the streams are no longer followed: after `stop`, so that the last placements are
    /// received.
    pub stop_spectators: CancellationToken,
    pub args: Args,
    pub seed: u64,
    /// The canvas at the start.
    pub canvas: Canvas,
    /// The accounts of the agents by their indices.
    pub accounts: Vec<Account>,
}

impl RunContext {
    /// Sends a placement of one agent until its outcome is known, and records it.
    pub async fn place(
        &self,
        agent: usize,
        request: &ApiRequest,
        pixels: &[PixelInput],
    ) -> Result<ApiResponse<PlacementResponse>, Failure> {
        let pixel_count = pixels.len() as u64;
        let response: ApiResponse<PlacementResponse> = self
            .send_write(agent, request, Unsettled { pixels: pixel_count, ..Unsettled::default() })
            .await?;
        self.ledger.record_placements(agent, &self.accounts[agent].name, pixels, &response.body);
        Ok(response)
    }

    /// Sends a message of one agent until its outcome is known, and records it.
    pub async fn post_message(&self, agent: usize, request: &ApiRequest) -> Result<MessageResponse, Failure> {
        let response: MessageResponse =
            self.send_write(agent, request, Unsettled { messages: 1, ..Unsettled::default() }).await?.body;
        self.ledger.record_message(agent, &response);
        Ok(response)
    }

    /// Sends a private message of one agent until its outcome is known.
    pub async fn post_private(
        &self,
        agent: usize,
        request: &ApiRequest,
    ) -> Result<ApiResponse<PrivateMessageResponse>, Failure> {
        self.send_write(agent, request, Unsettled { private_messages: 1, ..Unsettled::default() }).await
    }

    async fn send_write<T: DeserializeOwned>(
        &self,
        agent: usize,
        request: &ApiRequest,
        requested: Unsettled,
    ) -> Result<ApiResponse<T>, Failure> {
        let response = self.client.send_with_retries(request, &self.stop_retries).await;
        if response.as_ref().is_err_and(Failure::is_outcome_unknown) {
            self.ledger.record_unsettled(agent, requested);
        }
        response
    }

    /// Returns the name of a colour; `None` if it is outside the palette.
    pub fn color_name(&self, index: u8) -> Option<&str> {
        self.canvas.palette.iter().find(|swatch| swatch.index == index).map(|swatch| swatch.name.as_str())
    }

    /// Returns a random colour index.
    pub fn random_color(&self, rng: &mut StdRng) -> u8 {
        self.canvas.palette.choose(rng).map_or(0, |swatch| swatch.index)
    }

    /// Returns a random colour name other than `excluded`.
    pub fn other_color_name(&self, excluded: &str, rng: &mut StdRng) -> String {
        let names = self.canvas.palette.iter().map(|swatch| swatch.name.as_str());
        let others: Vec<&str> = names.filter(|name| *name != excluded).collect();
        others.choose(rng).copied().unwrap_or(excluded).to_owned()
    }
}
