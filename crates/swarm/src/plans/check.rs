//! The final checks of plans: progress equals a recount of the canvas, and the streams told their states.

use std::collections::HashMap;

use crate::{
    api_types::{Canvas, Single},
    client::ApiRequest,
    failure::Failure,
    ledger::AckedPlacement,
    plans::{
        PlanRun, PlanSummary, PlanWork,
        accounting::count_wrong,
        api_types::{Plan, PlanState},
    },
    stop::Polling,
    stream_state::StreamState,
    verify::{SETTLE_TIMEOUT, Verdict, Verifier},
};

impl Verifier<'_> {
    /// Checks the plans of the run, and adds their summary.
    pub(crate) async fn check_plans(
        &self,
        acks: &[AckedPlacement],
        verdict: &mut Verdict,
    ) -> Result<(), Failure> {
        let Some(run) = self.plans else { return Ok(()) };
        let mut polling = Polling::new(SETTLE_TIMEOUT);
        loop {
            let canvas = self.fetch_json::<Canvas>(ApiRequest::get("/api/canvas")).await?;
            let plans = self.fetch_plans(run).await?;
            let faults = self.find_plan_faults(run, &plans, &canvas);
            if faults.is_empty() || !polling.wait().await {
                let finished = plans.values().filter(|plan| plan.state == PlanState::Finished).count();
                let start = &self.context.canvas;
                verdict.plans = Some(PlanSummary::new(run, finished, acks, start, &canvas));
                verdict.faults.extend(faults);
                return Ok(());
            }
        }
    }

    async fn fetch_plans(&self, run: &PlanRun) -> Result<HashMap<String, Plan>, Failure> {
        let mut plans = HashMap::new();
        for PlanWork { id, .. } in &run.plans {
            match self.fetch_json::<Single<Plan>>(ApiRequest::get("/api/plans/{id}").with_id(id)).await {
                Ok(response) => drop(plans.insert(id.clone(), response.item)),
                Err(failure) if failure.code() == "not_found" => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(plans)
    }

    fn find_plan_faults(&self, run: &PlanRun, plans: &HashMap<String, Plan>, canvas: &Canvas) -> Vec<String> {
        let mut faults = Vec::new();
        for work in &run.plans {
            let Some(plan) = plans.get(&work.id) else {
                faults.push(format!("plan {} is not found", work.id));
                continue;
            };
            faults.extend(progress_fault(plan, count_wrong(&work.target, canvas)));
            let states = self.spectators.iter().map(|spectator| spectator.state());
            faults.extend(states.filter_map(|state| event_fault(plan, &state)));
        }
        faults
    }
}

/// Returns the fault if the progress of a plan that has not ended differs from the canvas. A finished plan
/// stays finished.
fn progress_fault(plan: &Plan, wrong: usize) -> Option<String> {
    let has_ended = matches!(plan.state, PlanState::Closed | PlanState::Expired);
    let is_finished = plan.state == PlanState::Finished;
    let progress = plan.progress;
    let is_right =
        progress.left == wrong && progress.total == progress.done + wrong && (is_finished || wrong > 0);
    (!has_ended && !is_right).then(|| {
        format!(
            "plan {}: {:?} with {progress:?}, but the canvas has {wrong} wrong pixels",
            plan.id, plan.state
        )
    })
}

/// Returns the fault if a stream that was never reset did not tell that the plan was opened, or what it is
/// now. A plan with nothing to paint is finished when it is opened.
fn event_fault(plan: &Plan, state: &StreamState) -> Option<String> {
    let record = state.record.as_ref().filter(|_| state.resets == 0)?;
    let states = record.plan_states.get(&plan.id).map_or(&[][..], Vec::as_slice);
    let is_opened = states.first() == Some(&PlanState::Open) || states == [PlanState::Finished];
    let is_right = is_opened && states.last() == Some(&plan.state);
    (!is_right).then(|| format!("stream: plan {} is {:?}, received {states:?}", plan.id, plan.state))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{plans::api_types::PlanProgress, stream_state::StreamRecord};

    fn plan(state: PlanState, left: usize) -> Plan {
        let progress = PlanProgress { total: 9, done: 9 - left, left };
        Plan { id: "plan_a".into(), title: String::new(), crew_id: None, state, progress }
    }

    #[test]
    fn progress_must_equal_the_canvas() {
        assert_eq!(progress_fault(&plan(PlanState::Open, 2), 2), None);
        assert_eq!(progress_fault(&plan(PlanState::Finished, 0), 0), None);
        assert_eq!(progress_fault(&plan(PlanState::Expired, 2), 5), None, "ended plans keep their progress");
        assert!(progress_fault(&plan(PlanState::Open, 2), 1).is_some());
        assert!(progress_fault(&plan(PlanState::Open, 0), 0).is_some());
        assert_eq!(progress_fault(&plan(PlanState::Finished, 1), 1), None, "damaged plans stay finished");
        assert!(progress_fault(&plan(PlanState::Finished, 0), 1).is_some());
    }

    #[test]
    fn stream_must_tell_first_and_last_state() {
        let state = |states: &[PlanState]| {
            let mut record = StreamRecord::default();
            record.plan_states.insert("plan_a".into(), states.to_vec());
            StreamState { record: Some(record), ..StreamState::default() }
        };
        let finished = plan(PlanState::Finished, 0);
        assert_eq!(event_fault(&finished, &state(&[PlanState::Open, PlanState::Finished])), None);
        assert!(event_fault(&finished, &state(&[PlanState::Open])).is_some());
        assert_eq!(event_fault(&finished, &state(&[PlanState::Finished])), None);
        assert!(event_fault(&finished, &state(&[PlanState::Closed, PlanState::Finished])).is_some());
        assert_eq!(event_fault(&finished, &StreamState::default()), None, "not recorded");
    }
}
