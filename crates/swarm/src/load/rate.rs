//! A timetable at a steady rate, generated from the seed.

use std::{collections::HashSet, sync::Arc, time::Duration};

use anyhow::Result;
use rand::{RngExt, rngs::StdRng};
use tokio::sync::mpsc;

use super::{
    job::{Job, JobKind},
    mix::{RequestKind, RequestMix},
};
use crate::{
    api_types::PixelInput,
    rng::{self, RngPurpose},
    run_context::RunContext,
};

/// Prepares jobs until the receiver is closed.
pub async fn generate_jobs(context: Arc<RunContext>, agents: usize, jobs: mpsc::Sender<Job>) -> Result<u64> {
    let Some(rate) = context.args.rate else { return Ok(0) };
    let mut rng = rng::seeded(context.seed, RngPurpose::Load, 0);
    let mut due_seconds = 0.0;
    for number in 0u64.. {
        let agent = rng.random_range(0..agents.max(1));
        let kind = random_job(&context, &context.args.mix, number, &mut rng);
        if jobs.send(Job { due: Duration::from_secs_f64(due_seconds), agent, kind }).await.is_err() {
            break;
        }
        due_seconds = if context.args.bursty {
            due_seconds + random_gap(rate, &mut rng)
        } else {
            (number + 1) as f64 / rate
        };
    }
    Ok(0)
}

/// Returns an exponentially distributed gap, as between independent callers.
fn random_gap(rate: f64, rng: &mut StdRng) -> f64 {
    -(1.0 - rng.random::<f64>()).ln() / rate
}

fn random_job(context: &RunContext, mix: &RequestMix, number: u64, rng: &mut StdRng) -> JobKind {
    match mix.random_kind(rng) {
        RequestKind::Pixel => JobKind::Paint(vec![random_pixel(context, rng)]),
        RequestKind::Pixels => {
            let count = rng.random_range(2..=context.args.batch.max(2));
            JobKind::Paint(distinct_pixels((0..count).map(|_| random_pixel(context, rng))))
        }
        RequestKind::Message => JobKind::PostMessage(format!("Line {number} of this sketch is under way.")),
        RequestKind::Read(path) => JobKind::Read(path),
    }
}

/// Returns these pixels without those at the points of earlier ones, which a request must not repeat.
fn distinct_pixels(pixels: impl Iterator<Item = PixelInput>) -> Vec<PixelInput> {
    let mut points = HashSet::new();
    pixels.filter(|pixel| points.insert((pixel.x, pixel.y))).collect()
}

fn random_pixel(context: &RunContext, rng: &mut StdRng) -> PixelInput {
    PixelInput {
        x: rng.random_range(0..context.canvas.width.max(1)),
        y: rng.random_range(0..context.canvas.height.max(1)),
        color: context.random_color(rng),
        expected_color: None,
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn repeated_points_are_left_out() {
        let pixel = |x, color| PixelInput { x, y: 0, color, expected_color: None };
        let distinct = distinct_pixels([pixel(1, 1), pixel(2, 2), pixel(1, 3)].into_iter());
        assert_eq!(distinct.iter().map(|pixel| (pixel.x, pixel.color)).collect::<Vec<_>>(), [(1, 1), (2, 2)]);
    }

    #[test]
    fn gaps_are_as_long_as_the_rate_says_on_average() {
        let mut rng = StdRng::seed_from_u64(1);
        let gaps: Vec<f64> = (0..20_000).map(|_| random_gap(100.0, &mut rng)).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!((0.0095..0.0105).contains(&mean), "{mean}");
        assert!(gaps.iter().any(|gap| *gap > 0.03) && gaps.iter().all(|gap| *gap >= 0.0));
    }
}
