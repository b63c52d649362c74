//! The state that all tasks of a run share.

use std::time::Duration;

use rand::{rngs::StdRng, seq::IndexedRandom};
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use crate::{
    api_types::{Account, Canvas, MessageResponse, Page, PixelInput, PlacementResponse, Single},
    args::Args,
    client::{ApiRequest, ApiResponse, Client},
    crews::api_types::PrivateMessageResponse,
    failure::Failure,
    ledger::{Ledger, Unsettled},
    stop::pause,
};

/// Maximum number of requests that create one object.
const MAX_ATTEMPTS: u32 = 40;
/// Pause before an object whose request got no response is looked up.
const LOOKUP_DELAY: Duration = Duration::from_millis(500);

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

    /// Sends a request until its outcome is known or the run ends.
    pub async fn fetch<T: DeserializeOwned>(&self, request: &ApiRequest) -> Result<ApiResponse<T>, Failure> {
        self.client.send_with_retries(request, &self.stop).await
    }

    /// Creates an object with the request of each attempt, of which the first one is 0. A request whose
    /// outcome is unknown may have created it, so it is looked up in a list before the next attempt.
    pub async fn create<T: DeserializeOwned>(
        &self,
        mut next_request: impl FnMut(u32) -> ApiRequest,
        list: &ApiRequest,
        is_own: impl Fn(&T) -> bool,
    ) -> Result<T, Failure> {
        let mut attempts = 0;
        loop {
            let failure = match self.client.send_once::<Single<T>>(&next_request(attempts)).await {
                Ok(response) => return Ok(response.body.item),
                Err(failure) => failure,
            };
            let may_retry = failure.is_transient() || failure.is_name_refused();
            let delay = failure.retry_delay().min(LOOKUP_DELAY);
            if attempts + 1 == MAX_ATTEMPTS || !may_retry || !pause(&self.stop, delay).await {
                return Err(failure);
            }
            attempts += 1;
            let page = self.fetch::<Page<T>>(list).await?.body;
            if let Some(own) = page.items.into_iter().find(&is_own) {
                return Ok(own);
            }
        }
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
