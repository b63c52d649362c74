//! Latency histogram with buckets at most 1/32 as wide as their value.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a bucket is a small number, and a rank is at most the count"
)]

use std::time::Duration;

/// Below this, each microsecond has its own bucket.
const EXACT_BUCKETS: u64 = 64;
/// Number of buckets per doubling above `EXACT_BUCKETS`.
const BUCKETS_PER_DOUBLING: u64 = EXACT_BUCKETS / 2;

/// A histogram of times in microseconds.
#[derive(Clone, Default)]
pub struct Histogram {
    buckets: Vec<u64>,
    count: u64,
    max: u64,
}

impl Histogram {
    /// Adds a time.
    pub fn add(&mut self, elapsed: Duration) {
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let bucket = bucket_index(micros);
        if self.buckets.len() <= bucket {
            self.buckets.resize(bucket + 1, 0);
        }
        if let Some(count) = self.buckets.get_mut(bucket) {
            *count += 1;
        }
        self.count += 1;
        self.max = self.max.max(micros);
    }

    /// Returns the number of times.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the quantile `share` in milliseconds, rounded up to the end of its bucket.
    pub fn percentile_ms(&self, share: f64) -> f64 {
        let rank = ((share * self.count as f64).ceil() as u64).max(1);
        let mut counted = 0;
        let bucket = self.buckets.iter().position(|count| {
            counted += count;
            counted >= rank
        });
        let micros = bucket.map_or(0, |bucket| bucket_upper_bound(bucket).min(self.max));
        micros as f64 / 1_000.0
    }
}

fn bucket_index(micros: u64) -> usize {
    if micros < EXACT_BUCKETS {
        return micros as usize;
    }
    let shift = u64::from(micros.ilog2() - EXACT_BUCKETS.ilog2() + 1);
    let step = (micros >> shift) - BUCKETS_PER_DOUBLING;
    (EXACT_BUCKETS + (shift - 1) * BUCKETS_PER_DOUBLING + step) as usize
}

/// Returns the largest time in a bucket.
fn bucket_upper_bound(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < EXACT_BUCKETS {
        return bucket;
    }
    let (shift, step) = (
        (bucket - EXACT_BUCKETS) / BUCKETS_PER_DOUBLING + 1,
        (bucket - EXACT_BUCKETS) % BUCKETS_PER_DOUBLING,
    );
    // The last bucket ends at the largest number.
    ((u128::from(BUCKETS_PER_DOUBLING + step + 1) << shift) - 1).try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram_of(times: impl IntoIterator<Item = u64>) -> Histogram {
        let mut histogram = Histogram::default();
        times.into_iter().for_each(|micros| histogram.add(Duration::from_micros(micros)));
        histogram
    }

    #[test]
    fn percentiles_take_the_nearest_rank() {
        let histogram = histogram_of((1..=100).map(|n| n * 1_000));
        for (share, exact) in [(0.5, 50.0), (0.99, 99.0), (1.0, 100.0)] {
            let reported = histogram.percentile_ms(share);
            assert!((exact..=exact * 1.04).contains(&reported), "{share}: {reported}");
        }
        assert_eq!(histogram_of([7_001]).percentile_ms(0.5), 7.001, "never beyond the longest");
        assert_eq!(histogram_of([]).percentile_ms(0.5), 0.0);
    }

    #[test]
    fn every_time_lies_in_its_bucket() {
        for micros in (0..5_000).chain([u64::MAX, u64::MAX / 3, 1 << 40, (1 << 40) - 1]) {
            let bucket = bucket_index(micros);
            assert!(micros <= bucket_upper_bound(bucket), "{micros}");
            assert!(bucket == 0 || micros > bucket_upper_bound(bucket - 1), "{micros}");
        }
    }
}
