//! Measures the classes and prints a table of the results.

use std::fmt;
use std::time::{Duration, Instant};

use text_filters::content::clean;

use crate::classes::{CaseClass, CorpusSet, FilterCase, Threshold};

/// Maximum 99th percentile of the time per message, checked in release builds only.
const MAX_P99_DURATION: Duration = Duration::from_millis(2);
/// Maximum length of a part of a secret that may remain.
const MAX_LEFT_CHARS: usize = 6;

/// The result of one class.
pub struct ClassResult {
    name: String,
    threshold: Threshold,
    cases: usize,
    hits: usize,
    exact: usize,
    p50: Duration,
    p99: Duration,
    wrong: Vec<String>,
}

/// The results of all classes.
pub struct ResultTable(pub Vec<ClassResult>);

/// Maximum number of runs of a case that takes too long, because the processor may be busy with other work.
const MAX_RUNS: usize = 3;

/// Runs the chain on all cases of a class.
pub fn measure(corpus_set: CorpusSet, class: &CaseClass) -> ClassResult {
    let mut times = Vec::new();
    let mut hits = 0;
    let mut exact = 0;
    let mut wrong = Vec::new();
    for case in &class.cases {
        let (shown, duration) = measure_case(class, case);
        times.push(duration);
        let hit = is_hit(case, &shown);
        hits += usize::from(hit);
        let is_exact_result = is_exact(case, &(class.filter)(&case.text));
        exact += usize::from(hit && is_exact_result);
        if !is_exact_result || hit != matches!(class.threshold, Threshold::MinCaughtPercent(_)) {
            wrong.push(format!("{}  =>  {shown}", case.text));
        }
    }
    times.sort();
    let percentile = |share: usize| times[(times.len() - 1) * share / 100];
    let name = format!("{}{}", class.name, if corpus_set == CorpusSet::HeldOut { " (held out)" } else { "" });
    ClassResult {
        name,
        threshold: class.threshold,
        cases: class.cases.len(),
        hits,
        exact,
        p50: percentile(50),
        p99: percentile(99),
        wrong,
    }
}

/// Runs the chain on a case. Returns the message as it is shown, and the shortest time that it took.
#[allow(clippy::disallowed_methods, reason = "the time per message needs a real clock")]
fn measure_case(class: &CaseClass, case: &FilterCase) -> (String, Duration) {
    let run = || {
        let start = Instant::now();
        let shown = (class.filters)(&case.text);
        (shown, start.elapsed())
    };
    let (shown, mut duration) = run();
    for _ in 1..MAX_RUNS {
        if duration > MAX_P99_DURATION {
            duration = duration.min(run().1);
        }
    }
    (shown, duration)
}

/// Returns true if the bad part is gone, or, in a case without one, if the text was changed.
pub fn is_hit(case: &FilterCase, shown: &str) -> bool {
    let Some(bad) = &case.bad else { return shown != clean(&case.text).unwrap() };
    let replaced = shown.contains("[redacted]") || shown.contains("[link removed]") || shown.contains('*');
    let replaced = replaced || shown.contains("[contact removed]");
    let pieces: Vec<char> = clean(bad).unwrap().chars().collect();
    let piece_len = MAX_LEFT_CHARS.min(pieces.len());
    let is_left = pieces.windows(piece_len).any(|piece| shown.contains(&piece.iter().collect::<String>()));
    replaced && (pieces.len() < MAX_LEFT_CHARS && shown != clean(&case.text).unwrap() || !is_left)
}

/// Returns true if the text around the bad part is unchanged.
fn is_exact(case: &FilterCase, shown: &str) -> bool {
    let Some(bad) = &case.bad else { return true };
    let cleaned = clean(&case.text).unwrap();
    cleaned.split(&clean(bad).unwrap()).all(|part| shown.contains(part.trim()))
}

impl ClassResult {
    fn rate(&self) -> f64 {
        100.0 * self.hits as f64 / self.cases as f64
    }

    fn passes(&self) -> bool {
        let is_fast = cfg!(debug_assertions) || self.p99 <= MAX_P99_DURATION;
        is_fast
            && match self.threshold {
                Threshold::MinCaughtPercent(least) => self.rate() >= least,
                Threshold::MaxChangedPercent(most) => self.rate() <= most,
            }
    }
}

impl ResultTable {
    pub fn passes(&self) -> bool {
        self.0.iter().all(ClassResult::passes)
    }
}

impl fmt::Display for ResultTable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "{:<32} {:>6} {:>6} {:>7} {:>7} {:>9} {:>8} {:>8}  verdict",
            "class", "cases", "hits", "exact", "rate", "limit", "p50 µs", "p99 µs"
        )?;
        for row in &self.0 {
            let bar = match row.threshold {
                Threshold::MinCaughtPercent(least) => format!(">= {least} %"),
                Threshold::MaxChangedPercent(most) => format!("<= {most} %"),
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
        let selected = std::env::var("FILTERS_SHOW").unwrap_or_default();
        for row in self
            .0
            .iter()
            .filter(|row| !selected.is_empty() && selected.split('+').any(|shown| row.name == shown))
        {
            row.wrong.iter().try_for_each(|wrong| writeln!(f, "{}: {wrong}", row.name))?;
        }
        Ok(())
    }
}
