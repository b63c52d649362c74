//! Measures classes, and prints what came of it.

use std::fmt;
use std::time::{Duration, Instant};

use text_filters::content::clean;

use crate::chain;
use crate::classes::{Bar, Case, Class, Half};

/// The slowest that a message may be, of a hundred but one. Only what is built for release is held to it.
const P99: Duration = Duration::from_millis(2);
/// The longest piece of a secret that may be left.
const PIECE: usize = 6;

/// What came of one class.
pub struct Row {
    name: String,
    bar: Bar,
    cases: usize,
    hits: usize,
    exact: usize,
    p50: Duration,
    p99: Duration,
    wrong: Vec<String>,
}

/// What came of all.
pub struct Table(pub Vec<Row>);

/// Runs the chain over a class.
#[allow(clippy::disallowed_methods, reason = "what a message costs is told by a real clock")]
pub fn measure(half: Half, class: &Class) -> Row {
    let mut times = Vec::new();
    let (mut hits, mut exact, mut wrong) = (0, 0, Vec::new());
    for case in &class.cases {
        let start = Instant::now();
        let shown = chain::shown(&case.text);
        times.push(start.elapsed());
        let hit = is_hit(case, &shown);
        hits += usize::from(hit);
        let as_it_should = is_exact(case, &(class.stage)(&case.text));
        exact += usize::from(hit && as_it_should);
        if !as_it_should || hit != matches!(class.bar, Bar::Caught(_)) {
            wrong.push(format!("{}  =>  {shown}", case.text));
        }
    }
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    let name = format!("{}{}", class.name, if half == Half::HeldOut { " (held out)" } else { "" });
    Row { name, bar: class.bar, cases: class.cases.len(), hits, exact, p50: at(50), p99: at(99), wrong }
}

/// A case with something bad is hit when that is gone; one without when it was changed.
fn is_hit(case: &Case, shown: &str) -> bool {
    let Some(bad) = &case.bad else { return shown != clean(&case.text).unwrap() };
    let replaced = shown.contains("[redacted]") || shown.contains("[link removed]") || shown.contains('*');
    let pieces: Vec<char> = clean(bad).unwrap().chars().collect();
    let piece = PIECE.min(pieces.len());
    let is_left = pieces.windows(piece).any(|piece| shown.contains(&piece.iter().collect::<String>()));
    replaced && (pieces.len() < PIECE && shown != clean(&case.text).unwrap() || !is_left)
}

/// Whether what surrounds the bad part is still there.
fn is_exact(case: &Case, shown: &str) -> bool {
    let Some(bad) = &case.bad else { return true };
    let around = clean(&case.text).unwrap();
    around.split(&clean(bad).unwrap()).all(|part| shown.contains(part.trim()))
}

impl Row {
    fn rate(&self) -> f64 {
        100.0 * self.hits as f64 / self.cases as f64
    }

    fn passes(&self) -> bool {
        let is_fast = cfg!(debug_assertions) || self.p99 <= P99;
        is_fast
            && match self.bar {
                Bar::Caught(least) => self.rate() >= least,
                Bar::Changed(most) => self.rate() <= most,
            }
    }
}

impl Table {
    pub fn passes(&self) -> bool {
        self.0.iter().all(Row::passes)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "{:<32} {:>6} {:>6} {:>7} {:>7} {:>9} {:>8} {:>8}  verdict",
            "class", "cases", "hits", "exact", "rate", "bar", "p50 µs", "p99 µs"
        )?;
        for row in &self.0 {
            let bar = match row.bar {
                Bar::Caught(least) => format!(">= {least} %"),
                Bar::Changed(most) => format!("<= {most} %"),
            };
            writeln!(
                f,
                "{:<32} {:>6} {:>6} {:>7} {:>6.1}% {:>9} {:>8} {:>8}  {}",
                row.name,
                row.cases,
                row.hits,
                row.exact,
                row.rate(),
                bar,
                row.p50.as_micros(),
                row.p99.as_micros(),
                if row.passes() { "ok" } else { "SHORT" }
            )?;
        }
        let shown = std::env::var("FILTERS_SHOW").unwrap_or_default();
        for row in
            self.0.iter().filter(|row| !shown.is_empty() && shown.split('+').any(|shown| row.name == shown))
        {
            row.wrong.iter().try_for_each(|wrong| writeln!(f, "{}: {wrong}", row.name))?;
        }
        Ok(())
    }
}
