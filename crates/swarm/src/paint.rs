//! Painting: agents place as many pixels as they have charges, and record the acknowledgements.

use std::time::Duration;

use rand::RngExt;
use tokio::time::Instant;

use crate::{
    agent::Agent,
    api_types::{Canvas, PixelInput, PlacementResponse},
    client::{ApiRequest, ApiResponse},
    failure::Failure,
};

/// Interval at which an agent that is done checks for pixels that were painted over.
const RECHECK_INTERVAL: Duration = Duration::from_secs(10);

impl Agent {
    pub(crate) async fn paint(&mut self) -> Result<(), Failure> {
        if self.assignment.is_done() {
            match self.plans.as_ref().map(|share| share.run.clone()) {
                Some(run) => self.claim_pixels(&run).await?,
                None => self.recheck_region().await?,
            }
        }
        let pixels = self.next_pixels();
        if pixels.is_empty() {
            return Ok(());
        }
        match self.place(&pixels).await {
            Err(failure) => self.handle_failure(failure, pixels.len()).await,
            Ok(()) => Ok(()),
        }
    }

    /// Returns the next pixels to place: a single one in a third of the rounds, otherwise as many as there
    /// are charges. Claimed pixels are always placed together, with their expected colours.
    fn next_pixels(&mut self) -> Vec<PixelInput> {
        let max_count = self.quota.available_charges(Instant::now()).min(self.context.args.batch) as usize;
        if self.plans.is_some() {
            return self.assignment.next_pixels(max_count);
        }
        let is_single = self.rng.random_ratio(1, 3);
        let mut pixels = self.assignment.next_pixels(if is_single { max_count.min(1) } else { max_count });
        if !self.sends_expected_color {
            pixels.iter_mut().for_each(|dot| dot.expected_color = None);
        }
        pixels
    }

    async fn place(&mut self, pixels: &[PixelInput]) -> Result<(), Failure> {
        let plan_id = self.plans.as_ref().and_then(|share| share.plan_id.as_deref());
        let request = ApiRequest::placement(pixels, plan_id, self.chat.digest.as_deref())
            .with_api_key(&self.account.api_key)
            .with_idempotency_key(self.next_idempotency_key());
        let response = self.context.place(self.index, &request, pixels).await?;
        self.apply_response(pixels.len(), &response);
        let seqs = |placed: &PlacementResponse| placed.placements().map(|p| p.seq).collect::<Vec<_>>();
        self.maybe_send_again(&request, |repeated| seqs(repeated) == seqs(&response.body)).await
    }

    fn apply_response(&mut self, count: usize, response: &ApiResponse<PlacementResponse>) {
        let placement = &response.body;
        self.quota.set(placement.charges, placement.next_charge_at.map(|at| response.instant_at(at)));
        self.credits = placement.chat_credits;
        self.note_waiting_questions(&placement.waiting);
        let placed_count = placement.placements().count();
        self.pixels_since_intent = self.pixels_since_intent.saturating_add(placed_count);
        let new_count = self.assignment.advance(count);
        if let Some(share) = &self.plans {
            share.run.add_unplaced(placement.skipped.len(), placement.already.len());
        }
        self.context.ledger.add_painted(if self.plans.is_some() { placed_count } else { new_count });
    }

    async fn handle_failure(&mut self, failure: Failure, count: usize) -> Result<(), Failure> {
        match failure.code() {
            "digest_stale" | "digest_invalid" | "digest_missing" => return self.refresh_digest().await,
            "no_charges" => self.quota.set_empty_until(Instant::now() + failure.retry_delay()),
            "pixel_changed" => self.assignment.clear_expected_colors(count),
            _ if failure.is_final() || failure.is_transient() => return Err(failure),
            // The server will never accept these, so they are dropped.
            _ => drop(self.assignment.advance(count)),
        }
        Ok(())
    }

    async fn recheck_region(&mut self) -> Result<(), Failure> {
        if self.context.args.tireless {
            self.assignment.restart();
            return Ok(());
        }
        let is_due = self.region_checked_at.is_none_or(|at| at.elapsed() >= RECHECK_INTERVAL);
        let Some(r) = self.assignment.region().filter(|_| is_due) else { return Ok(()) };
        let query = format!("?x1={}&y1={}&x2={}&y2={}", r.x1, r.y1, r.x2, r.y2);
        let region = self.fetch::<Canvas>(ApiRequest::get("/api/canvas/region").with_query(query)).await?;
        self.region_checked_at = Some(Instant::now());
        self.assignment.queue_overpainted(&region.body);
        Ok(())
    }
}
