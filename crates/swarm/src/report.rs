//! The summary at the end, for people and as JSON, and whether it is good news.

use std::path::Path;

use serde::Serialize;

use crate::{
    load::Punctuality,
    tally::{self, Row},
    verify::Verdict,
    world::World,
};

/// More faults than this are only counted.
const SHOWN: usize = 10;

#[derive(Serialize)]
pub struct Report {
    pub ok: bool,
    servers: Vec<String>,
    rate: Option<f64>,
    #[serde(flatten)]
    day: Day,
    #[serde(flatten)]
    verdict: Verdict,
    unsettled_pixels: u64,
    unsettled_messages: u64,
}

/// How the day went, before anything was examined.
#[derive(Serialize)]
pub struct Day {
    pub seconds: f64,
    pub agents: usize,
    pub left_early: Vec<String>,
    /// `None` if the run has no timetable.
    pub timetable: Option<Punctuality>,
    /// Without what the examination asks afterwards.
    pub requests: Vec<Row>,
}

impl Report {
    pub fn new(world: &World, day: Day, mut verdict: Verdict) -> Self {
        let ledger = &world.ledger;
        verdict.faults.splice(0..0, ledger.faults());
        let garbled = world.client.tally.garbled();
        if garbled > 0 {
            verdict
                .faults
                .push(format!("{garbled} answers were not what the contract promises (`unreadable` above)"));
        }
        let unsettled = ledger.unsettled_by_agent();
        Report {
            ok: verdict.faults.is_empty(),
            servers: world.args.servers.clone(),
            rate: world.args.rate,
            day,
            verdict,
            unsettled_pixels: unsettled.values().map(|open| open.pixels).sum(),
            unsettled_messages: unsettled.values().map(|open| open.messages).sum(),
        }
    }

    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        std::fs::write(path, serde_json::to_vec_pretty(self)?)
    }

    pub fn print(&self) {
        println!("\n{}", tally::table(&self.day.requests));
        self.print_timetable();
        self.print_pixels();
        for stream in &self.verdict.streams {
            println!("stream          {stream}");
        }
        print_some("left early", &self.day.left_early);
        print_some("FAULT", &self.verdict.faults);
        if self.ok {
            println!(
                "\nok: everything acknowledged was streamed, and is on the canvas or was painted over later"
            );
        } else {
            println!("\nFAILED: {} faults", self.verdict.faults.len());
        }
    }

    fn print_timetable(&self) {
        let Some(Punctuality { jobs, unsent, skipped, latest_ms }) = &self.day.timetable else { return };
        let rate = *jobs as f64 / self.day.seconds.max(0.001);
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
        let rate = v.acknowledged as f64 / self.day.seconds.max(0.001);
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
