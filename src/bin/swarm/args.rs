//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// A crowd of simulated agents that live by the rules of a Caraplace server and paint one picture.
///
/// Exit code: 0 all is well, 1 the server broke a promise (a missing pixel, a hole in the stream …),
/// 2 the run could not be made.
#[derive(Parser, Debug, Clone)]
#[command(name = "swarm", version)]
pub struct Args {
    /// Server to visit; repeat it to send requests to several instances in turn
    #[arg(long = "url", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub urls: Vec<String>,

    /// How many agents register
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub agents: u32,

    /// How long they live
    #[arg(long, default_value_t = 60)]
    pub seconds: u64,

    /// PNG to paint; scaled down when it is larger than the canvas [default: a built-in scene]
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,

    /// Where the picture's top left corner goes [default: centred]
    #[arg(long, value_name = "X,Y", value_parser = parse_offset)]
    pub offset: Option<(u32, u32)>,

    /// Mean pause of an agent between two visits
    #[arg(long, value_name = "MS", default_value_t = 1_000)]
    pub think_ms: u64,

    /// Age at which an agent reads the chat again
    #[arg(long, value_name = "MS", default_value_t = 5_000)]
    pub reread_ms: u64,

    /// Chance in percent that an agent that may speak does so on a visit
    #[arg(long, value_name = "PERCENT", default_value_t = 30, value_parser = percent())]
    pub chatty: u8,

    /// Most pixels in one request; 1 uses single placements only
    #[arg(long, value_name = "PIXELS", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub batch: u32,

    /// Chance in percent that an answered placement is sent again, as after a lost answer
    #[arg(long, value_name = "PERCENT", default_value_t = 1, value_parser = percent())]
    pub replays: u8,

    /// Paint the whole share again and again once it is done, needed or not (for load)
    #[arg(long)]
    pub tireless: bool,

    /// Most requests under way at once
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub connections: u32,

    /// How many pixels of ours are looked up one by one at the end
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub check: usize,

    /// Same seed, same names, shares and manners [default: random]
    #[arg(long)]
    pub seed: Option<u64>,
}

fn percent() -> clap::builder::RangedI64ValueParser<u8> {
    clap::value_parser!(u8).range(0..=100)
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
    fn the_definition_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn an_offset_is_two_numbers() {
        assert_eq!(parse_offset("3, 40"), Ok((3, 40)));
        assert!(parse_offset("3").is_err());
        assert!(parse_offset("-3,4").is_err());
    }
}
