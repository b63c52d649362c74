//! Accounting of a plan run: placements that were needed, and those that were not.

use std::collections::HashSet;

use serde::Serialize;

use crate::{
    api_types::Canvas,
    ledger::AckedPlacement,
    plans::{PlanCounts, PlanRun, Target},
};

/// The result of a plan run.
#[derive(Serialize)]
pub struct PlanSummary {
    pub plans: usize,
    /// Number of plans that are finished at the end.
    pub finished: usize,
    /// Number of pixels that the plans have a colour for.
    pub pixels: usize,
    /// Number of these that had another colour at the start.
    pub needed: usize,
    /// Number of these that have another colour at the end.
    pub wrong: usize,
    pub placements: usize,
    pub wasted: usize,
    pub wasted_percent: f64,
    #[serde(flatten)]
    pub counts: PlanCounts,
}

impl PlanSummary {
    /// Returns the summary of a run that began with one canvas and ended with another.
    pub fn new(
        run: &PlanRun,
        finished: usize,
        acks: &[AckedPlacement],
        start: &Canvas,
        end: &Canvas,
    ) -> Self {
        let target: Target = run.targets().collect();
        let wasted = count_wasted(&target, start, acks);
        PlanSummary {
            plans: run.plans.len(),
            finished,
            pixels: target.len(),
            needed: count_wrong(&target, start),
            wrong: count_wrong(&target, end),
            placements: acks.len(),
            wasted,
            wasted_percent: 100.0 * wasted as f64 / acks.len().max(1) as f64,
            counts: *run.counts.lock(),
        }
    }
}

/// Returns the number of pixels that do not have their wanted colour.
pub fn count_wrong(target: &Target, canvas: &Canvas) -> usize {
    target.iter().filter(|((x, y), color)| canvas.color_at(*x, *y) != Some(**color)).count()
}

/// Returns the number of placements that were not needed: all but one of the wanted colour for each pixel
/// that did not have it at the start.
fn count_wasted(target: &Target, start: &Canvas, acks: &[AckedPlacement]) -> usize {
    let is_needed = |ack: &&AckedPlacement| {
        let is_wanted = target.get(&(ack.x, ack.y)) == Some(&ack.color);
        is_wanted && start.color_at(ack.x, ack.y) != Some(ack.color)
    };
    let points: HashSet<(u32, u32)> = acks.iter().filter(is_needed).map(|ack| (ack.x, ack.y)).collect();
    acks.len() - points.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canvas(row: &str) -> Canvas {
        Canvas { width: 4, height: 1, palette: vec![], version: 0, rows: vec![row.to_owned()] }
    }

    #[test]
    fn right_repeated_wrong_and_outside_placements_are_wasted() {
        let target = Target::from([((0, 0), 1), ((1, 0), 2), ((2, 0), 3)]);
        let start = canvas("0030");
        let ack = |x, color| AckedPlacement { seq: 1, x, y: 0, color, agent: 0 };
        assert_eq!(count_wrong(&target, &start), 2);
        assert_eq!(count_wasted(&target, &start, &[ack(0, 1), ack(1, 2)]), 0);
        for wasted in [ack(2, 3), ack(0, 1), ack(1, 9), ack(3, 1)] {
            assert_eq!(
                count_wasted(&target, &start, &[ack(0, 1), wasted.clone(), ack(1, 2)]),
                1,
                "{wasted:?}"
            );
        }
    }
}
