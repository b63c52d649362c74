//! The Markdown table of a run's results.

use crate::samples::Samples;

/// The measured rows.
#[derive(Default)]
pub struct Table(Vec<Row>);

/// A measurement with its baseline.
pub struct Row {
    pub name: String,
    /// The unit.
    pub unit: String,
    /// The baseline's name and results; `None` if the threshold is a number.
    pub baseline: Option<(String, Samples)>,
    pub samples: Samples,
    pub threshold: Threshold,
    /// Latency, CPU time and other details.
    pub notes: String,
}

/// The threshold that a row must meet.
#[derive(Clone, Copy)]
pub enum Threshold {
    /// At least this share of the baseline.
    Ratio(f64),
    /// At least this value.
    AtLeast(f64),
    /// At most this value.
    AtMost(f64),
}

impl Table {
    /// Adds a row and prints it immediately.
    pub fn add(&mut self, row: Row) {
        eprintln!("  {}", row.to_markdown());
        self.0.push(row);
    }

    /// Returns true if every row meets its threshold.
    pub fn is_met(&self) -> bool {
        self.0.iter().all(Row::is_met)
    }

    /// Prints all rows.
    pub fn print(&self) {
        println!("| measurement | median (range) | baseline | ratio | limit | | notes |");
        println!("|---|---|---|---|---|---|---|");
        self.0.iter().for_each(|row| println!("{}", row.to_markdown()));
    }
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        self.baseline.as_ref().map(|(_, baseline)| self.samples.median() / baseline.median())
    }

    fn is_met(&self) -> bool {
        match self.threshold {
            Threshold::Ratio(min) => self.ratio().is_some_and(|ratio| ratio >= min),
            Threshold::AtLeast(min) => self.samples.median() >= min,
            Threshold::AtMost(max) => self.samples.median() <= max,
        }
    }

    fn to_markdown(&self) -> String {
        let baseline = self
            .baseline
            .as_ref()
            .map_or_else(|| "–".to_owned(), |(name, samples)| format!("{name}: {}", format_range(samples)));
        let ratio = self.ratio().map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
        let threshold = match self.threshold {
            Threshold::Ratio(min) => format!("≥ {min:.2}"),
            Threshold::AtLeast(min) => format!("≥ {}", format_number(min)),
            Threshold::AtMost(max) => format!("≤ {}", format_number(max)),
        };
        let result = if self.is_met() { "met" } else { "**not met**" };
        let Self { name, unit, notes, .. } = self;
        format!(
            "| {name} | {} {unit} | {baseline} | {ratio} | {threshold} | {result} | {notes} |",
            format_range(&self.samples)
        )
    }
}

fn format_range(samples: &Samples) -> String {
    let (min, max) = samples.range();
    format!("{} ({}–{})", format_number(samples.median()), format_number(min), format_number(max))
}

/// Formats a number with three significant digits.
pub fn format_number(value: f64) -> String {
    match value.abs() {
        large if large >= 1_000.0 => {
            let unit = 10f64.powf(large.log10().floor() - 2.0).max(1.0);
            let rounded = ((value / unit).round() * unit) as i64;
            let (thousands, rest) = (rounded / 1_000, rounded % 1_000);
            format!("{thousands} {rest:03}")
        }
        small if small >= 100.0 => format!("{value:.0}"),
        small if small >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
