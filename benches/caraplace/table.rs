//! The table that a run prints, in Markdown.

use crate::figures::Figures;

/// Rows as they were measured.
#[derive(Default)]
pub struct Table(Vec<Row>);

/// One measured thing beside its baseline.
pub struct Row {
    pub what: String,
    /// For people, with its unit.
    pub here: String,
    /// The baseline's name and figure; none where the bar is a number.
    pub baseline: Option<(String, Figures)>,
    pub figures: Figures,
    pub bar: Bar,
    /// Latency, cost, or whatever else belongs to it.
    pub notes: String,
}

/// What a row must reach.
#[derive(Clone, Copy)]
pub enum Bar {
    /// At least this share of the baseline.
    Ratio(f64),
    /// At least this many.
    AtLeast(f64),
    /// At most this many.
    AtMost(f64),
}

impl Table {
    /// Adds a row, and tells it at once.
    pub fn add(&mut self, row: Row) {
        eprintln!("  {}", row.line());
        self.0.push(row);
    }

    /// Whether every row reaches its bar.
    pub fn is_met(&self) -> bool {
        self.0.iter().all(Row::is_met)
    }

    /// Prints all rows.
    pub fn print(&self) {
        println!("| what | median (range) | baseline | ratio | bar | | notes |");
        println!("|---|---|---|---|---|---|---|");
        self.0.iter().for_each(|row| println!("{}", row.line()));
    }
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        self.baseline.as_ref().map(|(_, baseline)| self.figures.median() / baseline.median())
    }

    fn is_met(&self) -> bool {
        match self.bar {
            Bar::Ratio(least) => self.ratio().is_some_and(|ratio| ratio >= least),
            Bar::AtLeast(least) => self.figures.median() >= least,
            Bar::AtMost(most) => self.figures.median() <= most,
        }
    }

    fn line(&self) -> String {
        let baseline = self
            .baseline
            .as_ref()
            .map_or_else(|| "–".to_owned(), |(name, figures)| format!("{name}: {}", spread(figures)));
        let ratio = self.ratio().map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
        let bar = match self.bar {
            Bar::Ratio(least) => format!("≥ {least:.2}"),
            Bar::AtLeast(least) => format!("≥ {}", number(least)),
            Bar::AtMost(most) => format!("≤ {}", number(most)),
        };
        let met = if self.is_met() { "met" } else { "**not met**" };
        let Self { what, here, notes, .. } = self;
        format!(
            "| {what} | {} {here} | {baseline} | {ratio} | {bar} | {met} | {notes} |",
            spread(&self.figures)
        )
    }
}

fn spread(figures: &Figures) -> String {
    let (least, most) = figures.range();
    format!("{} ({}–{})", number(figures.median()), number(least), number(most))
}

/// Three digits that matter.
pub fn number(value: f64) -> String {
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
