//! The summary at the end, and whether it is good news.

use std::time::Duration;

use crate::{ledger::Ledger, tally::Tally, verify::Verdict};

/// More faults than this are only counted.
const SHOWN: usize = 10;

pub struct Report {
    pub lasted: Duration,
    pub left_early: Vec<String>,
    pub verdict: Verdict,
    faults: Vec<String>,
    unsettled: usize,
    table: String,
}

impl Report {
    pub fn new(
        lasted: Duration,
        left_early: Vec<String>,
        mut verdict: Verdict,
        ledger: &Ledger,
        tally: &Tally,
    ) -> Self {
        let mut faults = ledger.faults();
        faults.append(&mut verdict.faults);
        let garbled = tally.garbled();
        if garbled > 0 {
            faults
                .push(format!("{garbled} answers were not what the contract promises (`unreadable` above)"));
        }
        Report {
            lasted,
            left_early,
            verdict,
            faults,
            unsettled: ledger.unsettled_count(),
            table: tally.table(),
        }
    }

    pub fn is_good(&self) -> bool {
        self.faults.is_empty()
    }

    pub fn print(&self) {
        println!("\n{}", self.table);
        self.print_pixels();
        for stream in &self.verdict.streams {
            println!("stream          {stream}");
        }
        print_some("left early", &self.left_early);
        print_some("FAULT", &self.faults);
        if self.is_good() {
            println!("\nok: everything acknowledged is on the canvas or was painted over later");
        } else {
            println!("\nFAILED: {} faults", self.faults.len());
        }
    }

    fn print_pixels(&self) {
        let v = &self.verdict;
        let rate = v.acknowledged as f64 / self.lasted.as_secs_f64().max(0.001);
        println!("acknowledged    {} pixels at {} places, {rate:.1}/s", v.acknowledged, v.places);
        println!("standing        {} ({} looked up one by one)", v.standing, v.looked_up);
        println!("painted over    {} by later placements", v.painted_over);
        if self.unsettled > 0 {
            println!("unsettled       {} pixels whose request was never answered", self.unsettled);
        }
    }
}

fn print_some(title: &str, lines: &[String]) {
    for line in lines.iter().take(SHOWN) {
        println!("{title:<15} {line}");
    }
    if lines.len() > SHOWN {
        println!("{title:<15} … and {} more", lines.len() - SHOWN);
    }
}
