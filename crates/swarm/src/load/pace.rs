//! A timetable at a steady rate: who does what when, drawn from the seed.

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use rand::{RngExt, rngs::StdRng};
use tokio::sync::mpsc;

use super::{
    job::{Job, What},
    mix::Mix,
};
use crate::{
    luck::{self, Use},
    route::Route,
    wire::Dot,
    world::World,
};

/// Lays jobs out until nobody takes them any more.
pub async fn lay(world: Arc<World>, agents: usize, jobs: mpsc::Sender<Job>) -> Result<u64> {
    let Some(rate) = world.args.rate else { return Ok(0) };
    let mut rng = luck::source(world.seed, Use::Load, 0);
    let mut at = 0.0;
    for number in 0u64.. {
        let agent = rng.random_range(0..agents.max(1));
        let what = what(&world, &world.args.mix, number, &mut rng);
        if jobs.send(Job { at: Duration::from_secs_f64(at), agent, what }).await.is_err() {
            break;
        }
        at = if world.args.bursty { at + gap(rate, &mut rng) } else { (number + 1) as f64 / rate };
    }
    Ok(0)
}

/// Gaps as between independent callers: mostly short, sometimes long.
fn gap(rate: f64, rng: &mut StdRng) -> f64 {
    -(1.0 - rng.random::<f64>()).ln() / rate
}

fn what(world: &World, mix: &Mix, number: u64, rng: &mut StdRng) -> What {
    match mix.any(rng) {
        Route::Pixel => What::Paint(vec![dot(world, rng)]),
        Route::Pixels => {
            let count = rng.random_range(2..=world.args.batch.max(2));
            What::Paint((0..count).map(|_| dot(world, rng)).collect())
        }
        Route::Say => What::Say(format!("Line {number} of this sketch is under way.")),
        read => What::Look(read),
    }
}

fn dot(world: &World, rng: &mut StdRng) -> Dot {
    Dot {
        x: rng.random_range(0..world.canvas.width.max(1)),
        y: rng.random_range(0..world.canvas.height.max(1)),
        color: world.random_color(rng),
        expected_color: None,
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn gaps_are_as_long_as_the_rate_says_on_average() {
        let mut rng = StdRng::seed_from_u64(1);
        let gaps: Vec<f64> = (0..20_000).map(|_| gap(100.0, &mut rng)).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!((0.0095..0.0105).contains(&mean), "{mean}");
        assert!(gaps.iter().any(|gap| *gap > 0.03) && gaps.iter().all(|gap| *gap >= 0.0));
    }
}
