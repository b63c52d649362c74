//! The final report, for people and as JSON.

use std::path::Path;

use serde::Serialize;

use crate::{
    load::TimetableStats,
    plans::PlanCounts,
    request_stats::{self, RequestStatsRow},
    run_context::RunContext,
    verify::Verdict,
};

/// Maximum number of faults that are listed.
const MAX_SHOWN_LINES: usize = 10;

/// The complete report.
#[derive(Serialize)]
pub struct Report {
    pub ok: bool,
    servers: Vec<String>,
    rate: Option<f64>,
    #[serde(flatten)]
    summary: RunSummary,
    #[serde(flatten)]
    verdict: Verdict,
    unsettled_pixels: u64,
    unsettled_messages: u64,
    unsettled_private_messages: u64,
}

/// The results of the run before the final checks.
#[derive(Serialize)]
pub struct RunSummary {
    pub seconds: f64,
    pub agents: usize,
    pub left_early: Vec<String>,
    /// The statistics of the timetable; `None` if the run has none.
    pub timetable: Option<TimetableStats>,
    /// Statistics per request and response, without the requests of the final checks.
    pub requests: Vec<RequestStatsRow>,
}

impl Report {
    /// Returns the report of a run. Invalid responses become a fault.
    pub fn new(context: &RunContext, summary: RunSummary, mut verdict: Verdict) -> Self {
        let ledger = &context.ledger;
        verdict.faults.splice(0..0, ledger.faults());
        let invalid_count = context.client.stats.invalid_response_count();
        if invalid_count > 0 {
            verdict.faults.push(format!(
                "{invalid_count} responses did not match the API contract (`unreadable` above)"
            ));
        }
        let unsettled = ledger.unsettled_by_agent();
        Report {
            ok: verdict.faults.is_empty(),
            servers: context.args.servers.clone(),
            rate: context.args.rate,
            summary,
            verdict,
            unsettled_pixels: unsettled.values().map(|open| open.pixels).sum(),
            unsettled_messages: unsettled.values().map(|open| open.messages).sum(),
            unsettled_private_messages: unsettled.values().map(|open| open.private_messages).sum(),
        }
    }

    /// Writes the report as JSON.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        std::fs::write(path, serde_json::to_vec_pretty(self)?)
    }

    /// Prints the report.
    pub fn print(&self) {
        println!("\n{}", request_stats::table(&self.summary.requests));
        self.print_timetable();
        self.print_plans();
        if let Some(crews) = &self.verdict.crews {
            crews.print();
        }
        self.print_pixels();
        for stream in &self.verdict.streams {
            println!("stream          {stream}");
        }
        print_lines("left early", &self.summary.left_early);
        print_lines("FAULT", &self.verdict.faults);
        if self.ok {
            println!(
                "\nok: every acknowledged write was streamed, and is on the canvas or was painted over later"
            );
        } else {
            println!("\nFAILED: {} faults", self.verdict.faults.len());
        }
    }

    fn print_timetable(&self) {
        let Some(TimetableStats { jobs, unsent, skipped, latest_ms }) = &self.summary.timetable else {
            return;
        };
        let rate = *jobs as f64 / self.summary.seconds.max(0.001);
        println!("timetable       {jobs} requests, {rate:.1}/s; the latest was sent {latest_ms:.1} ms late");
        if *unsent > 0 {
            println!("unsent          {unsent} requests were due before the end and were not sent");
        }
        if *skipped > 0 {
            println!("skipped         {skipped} lines of the recording are not a placement on this canvas");
        }
    }

    fn print_plans(&self) {
        let Some(plans) = &self.verdict.plans else { return };
        let PlanCounts { claims, empty_claims, conflicts, already, .. } = plans.counts;
        println!(
            "plans           {} of {} finished, {} pixels are wrong",
            plans.finished, plans.plans, plans.wrong
        );
        println!(
            "                {} placements for {} pixels, {} wasted ({:.1} %)",
            plans.placements, plans.needed, plans.wasted, plans.wasted_percent
        );
        println!(
            "                {claims} claims ({empty_claims} empty), {conflicts} conflicts, {already} pixels right before"
        );
        println!("                {:.1} s, {} messages", self.summary.seconds, self.verdict.messages);
    }

    fn print_pixels(&self) {
        let verdict = &self.verdict;
        let rate = verdict.acknowledged as f64 / self.summary.seconds.max(0.001);
        println!("acknowledged    {} pixels at {} points, {rate:.1}/s", verdict.acknowledged, verdict.places);
        println!("                {} messages", verdict.messages);
        println!("visible         {} ({} checked one by one)", verdict.standing, verdict.looked_up);
        println!("painted over    {} by later placements", verdict.painted_over);
        println!("accounts        {} checked", verdict.accounts);
        println!("spectators      {} have the server's canvas, {} resets", verdict.pictures, verdict.resets);
        let messages = self.unsettled_messages + self.unsettled_private_messages;
        if self.unsettled_pixels + messages > 0 {
            let pixels = self.unsettled_pixels;
            println!("unsettled       {pixels} pixels and {messages} messages whose request got no response");
        }
    }
}

fn print_lines(title: &str, lines: &[String]) {
    for line in lines.iter().take(MAX_SHOWN_LINES) {
        println!("{title:<15} {line}");
    }
    if lines.len() > MAX_SHOWN_LINES {
        println!("{title:<15} … and {} more", lines.len() - MAX_SHOWN_LINES);
    }
}
