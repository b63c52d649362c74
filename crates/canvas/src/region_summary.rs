//! Encodes a region of the canvas so that it fits a reader's token budget: row by row, as runs of one colour,
//! or as a summary of blocks.

use std::iter::successors;

use rules::grid::Size;
use rules::numbers::Seq;
use rules::palette::{PALETTE, Swatch};
use rules::token_budget::TokenBudget;
use serde::Serialize;
use utoipa::ToSchema;

use super::formats::{CanvasRegion, LogPosition, RegionOptions, hex_digit};
use super::labels::labelled_len;

/// The encoding of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegionEncoding {
    /// Every pixel, as in `rows`.
    Rows,
    /// Every pixel, as in `runs`.
    Runs,
    /// The most frequent colour of each block, as in `summary`.
    Summary,
}

/// A region of the canvas in the most exact encoding that fits the budget.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RegionSummary {
    pub width: u16,
    pub height: u16,
    pub x1: i64,
    pub y1: i64,
    pub x2: i64,
    pub y2: i64,
    /// Sequence number of the last event that changed a pixel.
    #[schema(value_type = i64)]
    pub version: Seq,
    pub form: RegionEncoding,
    /// `season_…`; left out if the budget is too small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub season: Option<String>,
    /// The requested point in time; absent for the current canvas, or if the budget is too small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<LogPosition>,
    /// One lowercase hex digit per pixel, one string per row; with `labels=true`, with a ruler and the y of
    /// each row, as in GET /api/canvas/region without `max_tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<String>>,
    /// Rows with the same colours, by their y, and their colours from left to right, each with its number of
    /// pixels: `4-6: 0*10 5*3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<BlockSummary>,
    /// Left out if the budget is too small, and with `palette=false`.
    #[schema(value_type = Option<Vec<Swatch>>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub palette: Option<&'static [Swatch]>,
}

/// A region of the canvas, reduced to blocks.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BlockSummary {
    /// Width and height of the block that each digit of `rows` stands for, in pixels.
    pub block: usize,
    /// The most frequent colour of each block, one lowercase hex digit.
    pub rows: Vec<String>,
    /// Number of pixels of each colour, the most frequent first; left out if the budget is too small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colors: Option<Vec<ColorCount>>,
}

/// The number of pixels of one colour.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ColorCount {
    /// Index into the palette.
    pub color: usize,
    pub count: usize,
}

/// The combinations of optional fields that are tried, the fullest first.
const OPTIONAL_FIELDS: [(bool, bool); 3] = [(true, true), (true, false), (false, false)];

/// Returns the region in the first encoding that fits, without labels and with the palette.
pub fn summarize_region(region: &CanvasRegion, budget: TokenBudget) -> RegionSummary {
    summarize_region_as(region, RegionOptions::default(), budget)
}

/// Returns the region in the first encoding that fits: rows, runs, or the summary with the smallest blocks.
pub fn summarize_region_as(
    region: &CanvasRegion,
    options: RegionOptions,
    budget: TokenBudget,
) -> RegionSummary {
    let as_rows = || {
        Some(RegionSummary {
            rows: Some(encode_rows(region, options.labels, budget)?),
            ..empty_summary(region, RegionEncoding::Rows)
        })
    };
    let as_runs = || {
        Some(RegionSummary {
            runs: Some(encode_runs(region, budget)?),
            ..empty_summary(region, RegionEncoding::Runs)
        })
    };
    let with_optional_fields =
        |summary: RegionSummary| summary.with_optional_fields(region, options.palette, budget);
    let exact = as_rows().and_then(with_optional_fields);
    let exact = exact.or_else(|| as_runs().and_then(with_optional_fields));
    exact.unwrap_or_else(|| finest_block_summary(region, budget))
}

impl RegionSummary {
    /// Adds as many optional fields as fit. Returns `None` if the region does not fit even without them.
    fn with_optional_fields(
        mut self,
        region: &CanvasRegion,
        wants_palette: bool,
        budget: TokenBudget,
    ) -> Option<Self> {
        for (season, palette) in OPTIONAL_FIELDS {
            self = self.with_season(region, season);
            self.palette = (palette && wants_palette).then_some(&PALETTE);
            if budget.has_room_for(json_len(&self)) {
                return Some(self);
            }
        }
        None
    }

    /// Adds or removes the season and the point in time.
    fn with_season(self, region: &CanvasRegion, is_included: bool) -> Self {
        let season = is_included.then(|| region.season().to_owned());
        Self { season, at: region.position().filter(|_| is_included), ..self }
    }
}

fn empty_summary(region: &CanvasRegion, encoding: RegionEncoding) -> RegionSummary {
    let Size { width, height } = region.size();
    let origin = region.top_left();
    let x1 = i64::from(origin.x);
    let y1 = i64::from(origin.y);
    RegionSummary {
        width,
        height,
        x1,
        y1,
        x2: x1 + i64::from(width) - 1,
        y2: y1 + i64::from(height) - 1,
        version: region.version(),
        form: encoding,
        season: None,
        at: None,
        rows: None,
        runs: None,
        summary: None,
        palette: None,
    }
}

fn json_len(summary: &RegionSummary) -> usize {
    serde_json::to_vec(summary).map_or(usize::MAX, |json| json.len())
}

/// The quotes and the comma around each string.
const STRING_OVERHEAD_BYTES: usize = 3;

/// Returns the region row by row, or `None` if the rows cannot fit.
fn encode_rows(region: &CanvasRegion, labels: bool, budget: TokenBudget) -> Option<Vec<String>> {
    let Size { width, height } = region.size();
    let width = usize::from(width);
    let height = usize::from(height);
    let digits_len = if labels { labelled_len(region.top_left(), width, height) } else { width * height };
    budget.has_room_for(digits_len + height * STRING_OVERHEAD_BYTES).then(|| region.text_rows(labels))
}

/// Returns the region as runs, or `None` if the runs cannot fit.
fn encode_runs(region: &CanvasRegion, mut budget: TokenBudget) -> Option<Vec<String>> {
    let rows: Vec<&[u8]> = region.rows().collect();
    let mut y = usize::from(region.top_left().y);
    let mut lines = Vec::new();
    for equal_rows in rows.chunk_by(|one, other| one == other) {
        let last = y + equal_rows.len() - 1;
        let rows = if last > y { format!("{y}-{last}") } else { y.to_string() };
        let runs = equal_rows[0].chunk_by(|one, other| one == other);
        let runs: Vec<String> = runs.map(|run| format!("{}*{}", hex_digit(run[0]), run.len())).collect();
        let line = format!("{rows}: {}", runs.join(" "));
        if !budget.spend(line.len() + STRING_OVERHEAD_BYTES) {
            return None;
        }
        lines.push(line);
        y = last + 1;
    }
    Some(lines)
}

/// Returns the summary with the smallest blocks that fits. The largest block covers the whole region, and its
/// summary fits the smallest budget.
fn finest_block_summary(region: &CanvasRegion, budget: TokenBudget) -> RegionSummary {
    let Size { width, height } = region.size();
    let width = usize::from(width);
    let height = usize::from(height);
    let coarsest = width.max(height).next_power_of_two().max(2);
    let blocks = successors(Some(2), |block| Some(block * 2)).take_while(|block| *block <= coarsest);
    // Only block sizes whose digits alone fit the budget are worth encoding.
    let may_fit = |block: &usize| {
        budget.has_room_for(height.div_ceil(*block) * (width.div_ceil(*block) + STRING_OVERHEAD_BYTES))
    };
    let candidates = blocks.filter(may_fit).flat_map(|block| OPTIONAL_FIELDS.map(|extras| (block, extras)));
    let mut summaries =
        candidates.map(|(block, (season, colors))| block_summary(region, block, season, colors));
    let finest = summaries.find(|summary| budget.has_room_for(json_len(summary)));
    finest.unwrap_or_else(|| block_summary(region, coarsest, false, false))
}

fn block_summary(region: &CanvasRegion, block: usize, season: bool, colors: bool) -> RegionSummary {
    let all_rows: Vec<&[u8]> = region.rows().collect();
    let row = |rows: &[&[u8]]| -> String {
        let width = rows[0].len();
        let colors = |x: usize| rows.iter().flat_map(move |row| row[x..width.min(x + block)].iter().copied());
        (0..width).step_by(block).map(|x| hex_digit(most_frequent(colors(x)))).collect()
    };
    let counts = colors.then(|| color_counts(all_rows.iter().flat_map(|row| row.iter().copied())));
    let summary = BlockSummary { block, rows: all_rows.chunks(block).map(row).collect(), colors: counts };
    RegionSummary { summary: Some(summary), ..empty_summary(region, RegionEncoding::Summary) }
        .with_season(region, season)
}

fn count_by_color(colors: impl Iterator<Item = u8>) -> [usize; PALETTE.len()] {
    let mut counts = [0; PALETTE.len()];
    colors.for_each(|color| counts[usize::from(color) % PALETTE.len()] += 1);
    counts
}

/// Returns the most frequent colour. Of equally frequent ones the last, because the first colour is blank.
fn most_frequent(colors: impl Iterator<Item = u8>) -> u8 {
    let counts = count_by_color(colors);
    (0..PALETTE.len()).max_by_key(|color| counts[*color]).unwrap_or_default() as u8
}

fn color_counts(colors: impl Iterator<Item = u8>) -> Vec<ColorCount> {
    let counts = count_by_color(colors).into_iter().enumerate().filter(|(_, count)| *count > 0);
    let mut counts: Vec<_> = counts.map(|(color, count)| ColorCount { color, count }).collect();
    counts.sort_by_key(|one| std::cmp::Reverse(one.count));
    counts
}

#[cfg(test)]
mod tests {
    use rules::token_budget::{MIN_TOKENS, count_tokens};

    use super::super::formats::tests::sample_region;
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const SIZE: Size = Size { width: 16, height: 12 };

    fn json(summary: &RegionSummary) -> String {
        serde_json::to_string(summary).unwrap()
    }

    /// Returns the pixels that runs stand for.
    fn decode_runs(runs: &[String]) -> Vec<u8> {
        let mut pixels = Vec::new();
        for line in runs {
            let (rows, runs) = line.split_once(": ").unwrap();
            let (first, last) = rows.split_once('-').unwrap_or((rows, rows));
            let count = last.parse::<usize>().unwrap() - first.parse::<usize>().unwrap() + 1;
            let row: Vec<u8> = runs
                .split(' ')
                .flat_map(|run| {
                    let (color, length) = run.split_once('*').unwrap();
                    vec![u8::from_str_radix(color, 16).unwrap(); length.parse().unwrap()]
                })
                .collect();
            pixels.extend(row.repeat(count));
        }
        pixels
    }

    #[test]
    fn uses_the_first_encoding_that_fits() {
        let mut pixels = vec![0; SIZE.area()];
        pixels[20..23].fill(11);
        let region = sample_region(3, 5, SIZE, pixels);
        let summarize = |tokens| summarize_region(&region, TokenBudget::from_tokens(tokens));
        assert!(summarize(2_000).palette.is_some() && summarize(2_000).rows.is_some());
        assert!(summarize(150).form == RegionEncoding::Rows && summarize(150).palette.is_none());
        let runs = summarize(MIN_TOKENS);
        assert_eq!(runs.form, RegionEncoding::Runs);
        assert_eq!(runs.runs.unwrap(), ["5: 0*16", "6: 0*4 b*3 0*9", "7-16: 0*16"]);
        let noise = (0..192).map(|index| (index * index / 3 % 16) as u8).collect();
        let summary =
            summarize_region(&sample_region(0, 0, SIZE, noise), TokenBudget::from_tokens(MIN_TOKENS))
                .summary
                .unwrap();
        assert_eq!((summary.block, summary.rows.len(), summary.rows[0].len()), (2, 6, 8));
    }

    #[test]
    fn labels_count_against_the_budget_and_the_palette_can_be_left_out() {
        let pixels = (0..SIZE.area()).map(|index| (index * 7 % 16) as u8).collect();
        let region = sample_region(3, 5, SIZE, pixels);
        let summarize = |labels, palette, tokens| {
            summarize_region_as(&region, RegionOptions { labels, palette }, TokenBudget::from_tokens(tokens))
        };
        let labelled = summarize(true, true, 2_000);
        assert!(labelled.palette.is_some() && labelled.form == RegionEncoding::Rows);
        assert_eq!(
            labelled.rows.unwrap()[..3],
            ["          111111111", "   3456789012345678", " 5 07e5c3a18f6d4b29"]
        );
        assert!(summarize(true, false, 2_000).palette.is_none());
        for tokens in MIN_TOKENS..300 {
            let [plain, labelled] = [false, true].map(|labels| summarize(labels, false, tokens));
            assert!(count_tokens(&json(&labelled)) <= tokens);
            assert!(plain.rows.is_some() || labelled.rows.is_none(), "labels need more room");
        }
    }

    proptest! {
        #[test]
        fn never_exceeds_budget_and_is_exact(
            width in 1_u16..40,
            height in 1_u16..40,
            colors in vec(0_u8..16, 1..5),
            turns in vec(0_usize..5, 1..200),
            max in MIN_TOKENS..900,
        ) {
            let size = Size { width, height };
            let color_at = |place: usize| colors[turns[place % turns.len()] % colors.len()];
            let pixels: Vec<u8> = (0..size.area()).map(color_at).collect();
            let region = sample_region(7, 4_000, size, pixels.clone());
            let summary = summarize_region(&region, TokenBudget::from_tokens(max));
            prop_assert!(count_tokens(&json(&summary)) <= max);
            let decode_rows = |rows: Vec<String>| {
                rows.concat().chars().map(|c| c.to_digit(16).unwrap() as u8).collect::<Vec<_>>()
            };
            let rows = summary.rows.map(decode_rows);
            let exact = rows.or(summary.runs.map(|runs| decode_runs(&runs)));
            match (summary.form, exact, summary.summary) {
                (RegionEncoding::Rows | RegionEncoding::Runs, Some(exact), None) => {
                    prop_assert_eq!(exact, pixels);
                }
                (RegionEncoding::Summary, None, Some(summary)) => {
                    prop_assert_eq!(summary.rows.len(), usize::from(height).div_ceil(summary.block));
                    let sum_counts = |colors: Vec<ColorCount>| colors.iter().map(|one| one.count).sum();
                    let counts: Option<usize> = summary.colors.map(sum_counts);
                    prop_assert!(counts.is_none_or(|sum| sum == size.area()));
                }
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
