//! `caraplace admin season`: opened, frozen, given an end.

use clap::{Args, Subcommand};
use rules::grid::Size;
use serde_json::json;

use super::arguments::{ReasonArgs, UntilArgs};
use super::context::{CliContext, CliOutput, CliOutputResult, format_table, format_time};
use crate::seasons::open::{self, SeasonRequest};
use crate::seasons::{SeasonRecord, freeze, query, schedule};

#[derive(Debug, Subcommand)]
pub(super) enum SeasonSubcommand {
    /// Lists seasons, oldest first.
    List,
    /// Opens the next season on a blank canvas.
    Open(OpenArgs),
    /// Lets nobody paint or speak any more.
    Freeze(ReasonArgs),
    /// Lets the season go on.
    Unfreeze(ReasonArgs),
    /// Says when it freezes by itself.
    Schedule(ScheduleArgs),
}

#[derive(Debug, Args)]
pub(super) struct ScheduleArgs {
    #[command(flatten)]
    why: ReasonArgs,
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
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<Size>,
}

fn parse_size(text: &str) -> Result<Size, &'static str> {
    let parse_side = |text: &str| Size::parse_side(text.parse().ok()?);
    let size = text
        .split_once('x')
        .and_then(|(width, height)| Some(Size { width: parse_side(width)?, height: parse_side(height)? }));
    size.ok_or("write it as in 256x128, each side from 8 to 4096")
}

impl SeasonSubcommand {
    /// Does it.
    pub(super) async fn run(self, context: &CliContext) -> CliOutputResult {
        match self {
            Self::List => list(context).await,
            Self::Open(args) => open(args, context).await,
            Self::Freeze(args) => Ok(season_output(
                "is frozen",
                &freeze::freeze(&context.state, &args.audit_reason(context)?).await?,
            )),
            Self::Unfreeze(args) => Ok(season_output(
                "goes on",
                &freeze::unfreeze(&context.state, &args.audit_reason(context)?).await?,
            )),
            Self::Schedule(args) => {
                let (cause, ends_at) = (args.why.audit_reason(context)?, args.until.until);
                Ok(season_output(
                    "has another end",
                    &schedule::reschedule(&context.state, &cause, ends_at).await?,
                ))
            }
        }
    }
}

fn season_output(change: &str, season: &SeasonRecord) -> CliOutput {
    CliOutput::new(format!("Season {}, {}, {change}.", season.number, season.title), season)
}

async fn open(args: OpenArgs, context: &CliContext) -> CliOutputResult {
    let OpenArgs { schedule: ScheduleArgs { why, until }, after, title, size } = args;
    let (width, height) = size.map(|size| (size.width.into(), size.height.into())).unzip();
    let request = SeasonRequest { after, title, width, height, ends_at: until.until };
    Ok(season_output(
        "is open",
        &open::open_next(&context.state, &why.audit_reason(context)?, request).await?,
    ))
}

async fn list(context: &CliContext) -> CliOutputResult {
    let seasons = query::list(&context.state).await?;
    let row = |season: &SeasonRecord| {
        let size = format!("{}x{}", season.width, season.height);
        let state = json!(season.state).as_str().unwrap_or_default().to_owned();
        [season.number.to_string(), state, size, format_time(season.opened_at), season.title.clone()]
    };
    let text = format_table(["N", "STATE", "SIZE", "OPENED", "TITLE"], seasons.iter().map(row));
    Ok(CliOutput::new(text, &json!({"seasons": seasons})))
}
