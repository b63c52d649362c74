//! Agents claim pixels of a plan, and find out when it is finished.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::{
    agent::Agent,
    api_types::{PixelInput, Single},
    assignment::Assignment,
    client::{ApiRequest, ApiResponse},
    failure::Failure,
    plans::{
        PlanRun, PlanWork, Target,
        api_types::{ClaimResponse, Plan, PlanState},
    },
};

/// Time before the stated end of a claim from which another agent may be offered its pixels: `Date` has whole
/// seconds, and the request takes time.
const EXPIRY_MARGIN: Duration = Duration::from_secs(2);

impl Agent {
    /// Claims as many pixels as the agent can place now, from the first plan that offers some. Ends the run
    /// if no plan is open, and no question either.
    pub(crate) async fn claim_pixels(&mut self, run: &PlanRun) -> Result<(), Failure> {
        let count = self.quota.available_charges(Instant::now()).min(self.context.args.batch);
        if count == 0 {
            return Ok(());
        }
        let crew = self.plans.as_ref().and_then(|share| share.crew);
        for plan in run.open_plans(self.index, crew) {
            match self.claim_from(run, plan, count).await {
                Ok(pixels) if !pixels.is_empty() => {
                    self.assignment = Assignment::new(pixels);
                    self.set_claimed_plan(Some(plan.id.clone()));
                    return Ok(());
                }
                Ok(_) => {}
                Err(failure) if matches!(failure.code(), "closed" | "not_found") => {}
                Err(failure) => return Err(failure),
            }
            *plan.state.lock() = self.fetch_plan_state(&plan.id).await?;
        }
        self.set_claimed_plan(None);
        if run.is_finished() && !self.has_open_questions() {
            self.context.stop.cancel();
        }
        Ok(())
    }

    /// Returns true if the run has plans and all of them are finished.
    pub(crate) fn is_picture_finished(&self) -> bool {
        self.plans.as_ref().is_some_and(|share| share.run.is_finished())
    }

    fn has_open_questions(&self) -> bool {
        self.crew.as_ref().is_some_and(|share| share.run.ledger.has_open_questions(Instant::now()))
    }

    fn set_claimed_plan(&mut self, plan_id: Option<String>) {
        if let Some(share) = &mut self.plans {
            share.plan_id = plan_id;
        }
    }

    async fn claim_from(
        &self,
        run: &PlanRun,
        plan: &PlanWork,
        count: u32,
    ) -> Result<Vec<PixelInput>, Failure> {
        run.claims.lock().release(self.index);
        let request = ApiRequest::post("/api/plans/{id}/claims", &json!({"n": count})).with_id(&plan.id);
        let response = self.fetch::<ClaimResponse>(request).await?;
        self.record_claim(run, plan, count, &response);
        Ok(response.body.pixels)
    }

    /// Records a claim, and a fault if the response is wrong.
    fn record_claim(
        &self,
        run: &PlanRun,
        plan: &PlanWork,
        count: u32,
        response: &ApiResponse<ClaimResponse>,
    ) {
        let pixels = &response.body.pixels;
        {
            let mut counts = run.counts.lock();
            counts.claims += 1;
            counts.claimed_pixels += pixels.len();
            counts.empty_claims += usize::from(pixels.is_empty());
        }
        let now = response.received_at;
        let expires_at = response.body.claims_expire_at;
        let expires_at = expires_at.map_or(now, |at| response.instant_at(at) - EXPIRY_MARGIN);
        let overlaps = run.claims.lock().record(self.index, pixels, now, expires_at);
        let name = &self.account.name;
        if !overlaps.is_empty() {
            let fault =
                format!("{name}: claimed {overlaps:?} of {}, which another agent has claimed", plan.id);
            self.context.ledger.record_fault(fault);
        }
        if let Some(fault) = find_violation(&plan.target, count, pixels) {
            self.context.ledger.record_fault(format!("{name}: a claim of {}: {fault}", plan.id));
        }
    }

    async fn fetch_plan_state(&self, id: &str) -> Result<PlanState, Failure> {
        match self.fetch::<Single<Plan>>(ApiRequest::get("/api/plans/{id}").with_id(id)).await {
            Ok(response) => Ok(response.body.item.state),
            Err(failure) if failure.code() == "not_found" => Ok(PlanState::Closed),
            Err(failure) => Err(failure),
        }
    }
}

/// Returns the fault unless the claimed pixels have another colour than the plan wants, and at most `count`
/// are claimed.
fn find_violation(target: &Target, count: u32, pixels: &[PixelInput]) -> Option<String> {
    if pixels.len() > count as usize {
        return Some(format!("{} pixels instead of at most {count}", pixels.len()));
    }
    let is_wrong = |pixel: &&PixelInput| {
        let wanted = target.get(&(pixel.x, pixel.y));
        wanted != Some(&pixel.color) || pixel.expected_color.is_none_or(|color| color == pixel.color)
    };
    pixels.iter().find(is_wrong).map(|pixel| format!("{pixel:?} is not left to paint"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claimed_pixels_must_be_left_to_paint() {
        let target = Target::from([((1, 2), 5)]);
        let pixel = PixelInput { x: 1, y: 2, color: 5, expected_color: Some(0) };
        assert_eq!(find_violation(&target, 1, &[pixel]), None);
        let wrong = [
            PixelInput { x: 2, ..pixel },
            PixelInput { color: 6, ..pixel },
            PixelInput { expected_color: Some(5), ..pixel },
            PixelInput { expected_color: None, ..pixel },
        ];
        assert!(wrong.iter().all(|pixel| find_violation(&target, 1, &[*pixel]).is_some()));
        assert!(find_violation(&target, 0, &[pixel]).is_some());
    }
}
