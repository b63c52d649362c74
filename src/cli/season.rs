//! `caraplace admin season`: opened, frozen, given an end.

use clap::{Args, Subcommand};
use rules::grid::Size;
use serde_json::json;

use super::arguments::{UntilArgs, WhyArgs};
use super::desk::{Desk, Done, Said, table, time};
use crate::seasons::open::{self, SeasonRequest};
use crate::seasons::{Recorded, freeze, read, schedule};

#[derive(Debug, Subcommand)]
pub(super) enum SeasonVerb {
    /// Lists seasons, oldest first.
    List,
    /// Opens the next season on a blank canvas.
    Open(OpenArgs),
    /// Lets nobody paint or speak any more.
    Freeze(WhyArgs),
    /// Lets the season go on.
    Unfreeze(WhyArgs),
    /// Says when it freezes by itself.
    Schedule(ScheduleArgs),
}

#[derive(Debug, Args)]
pub(super) struct ScheduleArgs {
    #[command(flatten)]
    why: WhyArgs,
    #[command(flatten)]
    until: UntilArgs,
}

#[derive(Debug, Args)]
pub(super) struct OpenArgs {
    #[command(flatten)]
    schedule: ScheduleArgs,
    /// The number of the season that it follows
    #[arg(long)]
    after: i64,
    /// What it is called; left out, its number
    #[arg(long)]
    title: Option<String>,
    /// As in 256x128; left out, as the settings say
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<Size>,
}

fn size(text: &str) -> Result<Size, &'static str> {
    let side = |text: &str| Size::parse_side(text.parse().ok()?);
    let size = text
        .split_once('x')
        .and_then(|(width, height)| Some(Size { width: side(width)?, height: side(height)? }));
    size.ok_or("write it as in 256x128, each side from 8 to 4096")
}

impl SeasonVerb {
    /// Does it.
    pub(super) async fn run(self, desk: &Desk) -> Done {
        match self {
            Self::List => list(desk).await,
            Self::Open(asked) => open(asked, desk).await,
            Self::Freeze(why) => {
                Ok(told("is frozen", &freeze::freeze(&desk.state, &why.cause(desk)?).await?))
            }
            Self::Unfreeze(why) => {
                Ok(told("goes on", &freeze::unfreeze(&desk.state, &why.cause(desk)?).await?))
            }
            Self::Schedule(asked) => {
                let (cause, ends_at) = (asked.why.cause(desk)?, asked.until.until);
                Ok(told("has another end", &schedule::reschedule(&desk.state, &cause, ends_at).await?))
            }
        }
    }
}

fn told(what: &str, season: &Recorded) -> Said {
    Said::new(format!("Season {}, {}, {what}.", season.number, season.title), season)
}

async fn open(asked: OpenArgs, desk: &Desk) -> Done {
    let OpenArgs { schedule: ScheduleArgs { why, until }, after, title, size } = asked;
    let (width, height) = size.map(|size| (size.width.into(), size.height.into())).unzip();
    let request = SeasonRequest { after, title, width, height, ends_at: until.until };
    Ok(told("is open", &open::open_next(&desk.state, &why.cause(desk)?, request).await?))
}

async fn list(desk: &Desk) -> Done {
    let seasons = read::all(&desk.state).await?;
    let row = |season: &Recorded| {
        let size = format!("{}x{}", season.width, season.height);
        let state = json!(season.state).as_str().unwrap_or_default().to_owned();
        [season.number.to_string(), state, size, time(season.opened_at), season.title.clone()]
    };
    let text = table(["N", "STATE", "SIZE", "OPENED", "TITLE"], seasons.iter().map(row));
    Ok(Said::new(text, &json!({"seasons": seasons})))
}
