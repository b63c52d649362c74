//! The summary at the end, for people and as JSON, and whether it is good news.

use std::{path::Path, time::Duration};

use serde::Serialize;

use crate::{
    args::Args,
    ledger::Ledger,
    load::Punctuality,
    tally::{self, Row, Tally},
    verify::Verdict,
};

/// More faults than this are only counted.
const SHOWN: usize = 10;

#[derive(Serialize)]
pub struct Report {
    ok: bool,
    seconds: f64,
    servers: Vec<String>,
    agents: usize,
    rate: Option<f64>,
    /// Only with a timetable.
    timetable: Option<Timetable>,
    requests: Vec<Row>,
    #[serde(flatten)]
    verdict: Verdict,
    unsettled_pixels: u64,
    unsettled_messages: u64,
    left_early: Vec<String>,
}

#[derive(Serialize)]
struct Timetable {
    jobs: u64,
    unsent: u64,
    skipped: u64,
    latest_ms: f64,
}

/// How the day went, before anything was examined.
pub struct Day {
    pub lasted: Duration,
    pub agents: usize,
    pub left_early: Vec<String>,
    pub punctuality: Option<Punctuality>,
    /// Without what the examination asks afterwards.
    pub requests: Vec<Row>,
}

impl Report {
    pub fn new(args: &Args, day: Day, mut verdict: Verdict, ledger: &Ledger, tally: &Tally) -> Self {
        let mut faults = ledger.faults();
        faults.append(&mut verdict.faults);
        let garbled = tally.garbled();
        if garbled > 0 {
            faults
                .push(format!("{garbled} answers were not what the contract promises (`unreadable` above)"));
        }
        verdict.faults = faults;
        let unsettled = ledger.unsettled_by_agent();
        let timetable = day.punctuality.map(|kept| Timetable {
            jobs: kept.jobs,
            unsent: kept.unsent,
            skipped: kept.skipped,
            latest_ms: kept.latest.as_secs_f64() * 1_000.0,
        });
        Report {
            ok: verdict.faults.is_empty(),
            seconds: day.lasted.as_secs_f64(),
            servers: args.servers.clone(),
            agents: day.agents,
            rate: args.rate,
            timetable,
            requests: day.requests,
            verdict,
            unsettled_pixels: unsettled.values().map(|open| open.pixels).sum(),
            unsettled_messages: unsettled.values().map(|open| open.messages).sum(),
            left_early: day.left_early,
        }
    }

    pub fn is_good(&self) -> bool {
        self.ok
    }

    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        std::fs::write(path, serde_json::to_vec_pretty(self)?)
    }

    pub fn print(&self) {
        println!("\n{}", tally::table(&self.requests));
        self.print_timetable();
        self.print_pixels();
        for stream in &self.verdict.streams {
            println!("stream          {stream}");
        }
        print_some("left early", &self.left_early);
        print_some("FAULT", &self.verdict.faults);
        if self.is_good() {
            println!(
                "\nok: everything acknowledged was streamed, and is on the canvas or was painted over later"
            );
        } else {
            println!("\nFAILED: {} faults", self.verdict.faults.len());
        }
    }

    fn print_timetable(&self) {
        let Some(Timetable { jobs, unsent, skipped, latest_ms }) = &self.timetable else { return };
        let rate = *jobs as f64 / self.seconds.max(0.001);
        println!(
            "timetable       {jobs} requests, {rate:.1}/s; the latest left {latest_ms:.1} ms after its time"
        );
        if *unsent > 0 {
            println!("unsent          {unsent} requests that were due before the end, and late");
        }
        if *skipped > 0 {
            println!("skipped         {skipped} lines of the recording: not a placement on this canvas");
        }
    }

    fn print_pixels(&self) {
        let v = &self.verdict;
        let rate = v.acknowledged as f64 / self.seconds.max(0.001);
        println!("acknowledged    {} pixels at {} places, {rate:.1}/s", v.acknowledged, v.places);
        println!("                {} messages", v.messages);
        println!("standing        {} ({} looked up one by one)", v.standing, v.looked_up);
        println!("painted over    {} by later placements", v.painted_over);
        println!("accounts        {} checked", v.accounts);
        println!("spectators      {} drew the canvas as it is, {} resets", v.pictures, v.resets);
        if self.unsettled_pixels + self.unsettled_messages > 0 {
            let (pixels, messages) = (self.unsettled_pixels, self.unsettled_messages);
            println!(
                "unsettled       {pixels} pixels and {messages} messages whose request was never answered"
            );
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
