//! The values of a heatmap, computed from the counted placements of each pixel.

use caraplace_log::season::Season;
use chrono::{DateTime, Utc};
use rules::grid::Size;

use super::pixel_stats::PixelStats;
use super::{Heatmap, HeatmapMetric};

impl Heatmap {
    /// Returns a heatmap without its agents, and their numbers with the number of pixels that each owns.
    pub(super) fn from_stats(
        stats: &PixelStats,
        season: &Season,
        metric: HeatmapMetric,
        now: DateTime<Utc>,
    ) -> (Self, Vec<(u32, u32)>) {
        let Size { width, height } = season.size;
        let owners = if metric == HeatmapMetric::Painter { stats.owners() } else { Vec::new() };
        let values = match metric {
            HeatmapMetric::Painter => owner_ranks(stats, &owners),
            HeatmapMetric::Age => ages(stats, now),
            HeatmapMetric::Contested => {
                stats.placement_counts.iter().map(|count| count.cast_signed()).collect()
            }
        };
        let heatmap = Self {
            width,
            height,
            version: stats.version,
            season: season.id.clone(),
            by: metric,
            agents: None,
            now: (metric == HeatmapMetric::Age).then_some(now),
            values,
        };
        (heatmap, owners)
    }
}

fn owner_ranks(stats: &PixelStats, owners: &[(u32, u32)]) -> Vec<i32> {
    let highest = owners.iter().map(|(painter, _)| *painter as usize).max().unwrap_or_default();
    let mut ranks = vec![0; highest + 1];
    for (rank, (painter, _)) in (1..).zip(owners) {
        ranks[*painter as usize] = rank;
    }
    stats.painters.iter().map(|painter| ranks[*painter as usize]).collect()
}

fn ages(stats: &PixelStats, now: DateTime<Utc>) -> Vec<i32> {
    let age = |(count, painted_at): (&u32, &u32)| match count {
        0 => -1,
        _ => (now.timestamp() - i64::from(*painted_at)).max(0) as i32,
    };
    stats.placement_counts.iter().zip(&stats.painted_at).map(age).collect()
}
