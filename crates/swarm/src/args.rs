//! The command line.
#![allow(clippy::doc_markdown, reason = "--help prints these comments verbatim")]

use std::{path::PathBuf, time::Duration};

use clap::Parser;

use crate::{load::mix::RequestMix, plans::PictureSource};

const EXAMPLES: &str = "\
Examples:
  swarm                                         fifty agents paint a picture for a minute
  swarm --server URL --server URL --agents 200  the same, through two instances
  swarm --rate 2000 --mix pixel=8,canvas.bin=2  2000 requests a second, whether or not the server keeps up
  swarm --recording day.csv --speed 20          a recorded day, 20 times as fast
  swarm --agents 20 --plan 32x32                twenty agents claim and paint the pixels of one plan
  swarm --agents 20 --crews 2 --plan 48x32       two crews that split the picture
  swarm --spectators 500 --json report.json     500 streams, each checked number by number

Kinds for --mix: pixel pixels say (writes), canvas canvas.bin canvas.png region inspect recent chat digest
stats me (reads).

Checked during the run and at its end: every acknowledged placement and message was streamed under its
number, and is on the canvas or was painted over later; every stream sent every number once, in order; the
canvas built from each stream equals canvas.bin; every account's pixels, messages, credits and charges add up; no pixel
of a plan is offered to two agents at once or after it is right, and each plan's progress equals the canvas; every
member of a crew or a conversation reads every acknowledged private message once and in order, and nobody else can;
each question has the state that its answers give it.

For load, start the server with CARAPLACE_REQUESTS_PER_MINUTE=0, CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY=0,
CARAPLACE_STREAMS_PER_IP=0, CARAPLACE_CHARGE_SECONDS=0 and CARAPLACE_MESSAGE_SECONDS=0.";

/// Simulates agents and spectators, and checks the guarantees of a Caraplace server.
///
/// Without --rate or --recording, agents follow the rules of the server and paint one picture together. With
/// one of these options, requests follow a timetable, and latencies count from each request's planned time.
/// Ctrl-C ends a run early, with its result.
///
/// Exit code: 0 if all checks passed, 1 if the server broke a guarantee (a missing pixel, a gap in a stream
/// …), 2 if the run could not be completed.
#[derive(Parser, Debug, Clone)]
#[command(name = "swarm", version, after_help = EXAMPLES)]
pub struct Args {
    /// Server to send requests to; repeat it to use several instances in turn
    #[arg(long = "server", alias = "url", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub servers: Vec<String>,

    /// Server to watch; repeat it for several [default: the servers that requests go to]
    #[arg(long, value_name = "URL")]
    pub watch: Vec<String>,

    /// Number of streams to open, spread over the servers [default: one per server]
    #[arg(long, value_name = "N")]
    pub spectators: Option<usize>,

    /// Number of agents to register
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub agents: u32,

    /// Duration of the run [default: 60; a recording runs to its end]
    #[arg(long)]
    pub seconds: Option<u64>,

    /// Requests per second, sent by a timetable that does not wait for responses
    #[arg(long, value_name = "PER_SECOND", value_parser = parse_positive, conflicts_with = "recording")]
    pub rate: Option<f64>,

    /// Kinds of these requests and their shares
    #[arg(
        long,
        value_name = "KIND=SHARE,…",
        default_value = "pixel=70,pixels=5,say=5,canvas.bin=10,chat=10"
    )]
    pub mix: RequestMix,

    /// Vary the time between requests randomly, as with independent callers
    #[arg(long)]
    pub bursty: bool,

    /// CSV with recorded placements to replay: ts,user,x,y,color, or timestamp,user_id,pixel_color,coordinate
    #[arg(long, value_name = "FILE")]
    pub recording: Option<PathBuf>,

    /// Factor by which the recording is replayed faster
    #[arg(long, value_name = "TIMES", default_value = "1", value_parser = parse_positive)]
    pub speed: f64,

    /// Time after the end in which unanswered writes are retried with their Idempotency-Key
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub settle: u64,

    /// File for the report as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// File for all acknowledged writes as CSV: seq,agent,x,y,color,message
    #[arg(long, value_name = "FILE")]
    pub acks: Option<PathBuf>,

    /// PNG to paint; scaled down if it is larger than the canvas [default: a built-in scene]
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,

    /// Post plans of the built-in landscape (WxH) or of a PNG, which all agents finish together; the run ends
    /// with the last plan
    #[arg(long, value_name = "WxH|FILE", conflicts_with_all = ["rate", "recording", "picture", "tireless"])]
    pub plan: Option<PictureSource>,

    /// Split the agents into crews, which post in their channels, ask each other questions by direct message,
    /// and each finish the plans of their part of the picture
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100), conflicts_with_all = ["rate", "recording"])]
    pub crews: Option<u32>,

    /// Tell agents of questions by webhooks, which a receiver in this program serves
    #[arg(long, requires = "crews")]
    pub webhooks: bool,

    /// Time that a question waits for its answer
    #[arg(long, value_name = "SECONDS", default_value_t = 65, value_parser = clap::value_parser!(u32).range(61..=604_800))]
    pub ask_seconds: u32,

    /// Position of the picture's top left corner [default: centred]
    #[arg(long, value_name = "X,Y", value_parser = parse_offset)]
    pub offset: Option<(u32, u32)>,

    /// Mean pause of an agent between two rounds
    #[arg(long, value_name = "MS", default_value_t = 1_000)]
    pub think_ms: u64,

    /// Time after which an agent reads the chat again
    #[arg(long, value_name = "MS", default_value_t = 5_000)]
    pub reread_ms: u64,

    /// Chance in percent that an agent posts a message in a round, if it may
    #[arg(long, value_name = "PERCENT", default_value_t = 30, value_parser = percent_parser())]
    pub chatty: u8,

    /// Maximum number of pixels in one request; 1 sends single placements only
    #[arg(long, value_name = "PIXELS", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub batch: u32,

    /// Chance in percent that an acknowledged placement is sent again, as after a lost response
    #[arg(long, value_name = "PERCENT", default_value_t = 1, value_parser = percent_parser())]
    pub replays: u8,

    /// Paint the whole picture again and again, also where it is complete (for load)
    #[arg(long)]
    pub tireless: bool,

    /// Maximum number of concurrent requests
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub connections: u32,

    /// Number of pixels and of accounts that are checked one by one at the end
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub check: usize,

    /// Seed for names, work and behaviour; the same seed gives the same run [default: random]
    #[arg(long)]
    pub seed: Option<u64>,
}

fn percent_parser() -> clap::builder::RangedI64ValueParser<u8> {
    clap::value_parser!(u8).range(0..=100)
}

impl Args {
    /// Returns the duration of the run; `None` if it ends with its recording.
    pub fn duration(&self) -> Option<Duration> {
        let has_own_end = self.recording.is_some();
        self.seconds.or((!has_own_end).then_some(60)).map(Duration::from_secs)
    }

    /// Returns the servers that spectators watch.
    pub fn watched_servers(&self) -> &[String] {
        if self.watch.is_empty() { &self.servers } else { &self.watch }
    }
}

fn parse_positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|error| format!("{error}"))?;
    let is_usable = number > 0.0 && number.is_finite();
    is_usable.then_some(number).ok_or_else(|| "it must be greater than 0".to_owned())
}

fn parse_offset(text: &str) -> Result<(u32, u32), String> {
    let (x, y) = text.split_once(',').ok_or("write it as X,Y")?;
    let number = |part: &str| part.trim().parse::<u32>().map_err(|e| e.to_string());
    Ok((number(x)?, number(y)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_definition_is_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn recording_runs_to_its_own_end() {
        let duration = |options: &[&str]| Args::parse_from([&["swarm"], options].concat()).duration();
        assert_eq!(duration(&[]), Some(Duration::from_mins(1)));
        assert_eq!(duration(&["--recording", "a.csv"]), None);
        assert_eq!(duration(&["--recording", "a.csv", "--seconds", "5"]), duration(&["--seconds", "5"]));
        for rate in ["0", "-1", "inf", "NaN"] {
            assert!(Args::try_parse_from(["swarm", &format!("--rate={rate}")]).is_err(), "{rate}");
        }
    }

    #[test]
    fn an_offset_is_two_numbers() {
        assert_eq!(parse_offset("3, 40"), Ok((3, 40)));
        assert!(parse_offset("3").is_err());
        assert!(parse_offset("-3,4").is_err());
    }
}
