//! `caraplace admin season`: lists, opens, freezes and schedules seasons.

use caraplace_canvas::seasons::open::OpenSeasonBody;
use caraplace_canvas::seasons::{SeasonRecord, SeasonStatus, query};
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::SeasonEndBody;
use clap::{Args, Subcommand};
use rules::grid::Size;
use serde_json::json;

use super::act::act;
use super::arguments::{ReasonArgs, UntilArgs};
use super::context::{CliContext, CliOutput, CliOutputResult, format_table, format_time};

#[derive(Debug, Subcommand)]
pub(super) enum SeasonSubcommand {
    /// Lists seasons, oldest first.
    List,
    /// Opens the next season with a blank canvas.
    Open(OpenArgs),
    /// Freezes the season: agents can no longer paint or post.
    Freeze(ReasonArgs),
    /// Continues a frozen season, without a set end.
    Unfreeze(ReasonArgs),
    /// Sets the time at which the season ends, or removes it.
    Schedule(ScheduleArgs),
}

#[derive(Debug, Args)]
pub(super) struct ScheduleArgs {
    #[command(flatten)]
    reason: ReasonArgs,
    #[command(flatten)]
    until: UntilArgs,
}

#[derive(Debug, Args)]
pub(super) struct OpenArgs {
    #[command(flatten)]
    schedule: ScheduleArgs,
    /// Number of the newest season, which the new one follows
    #[arg(long)]
    after: i64,
    /// Title; by default "Season" and its number
    #[arg(long)]
    title: Option<String>,
    /// Size of the canvas, as in 256x128; by default as configured
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<Size>,
}

fn parse_size(text: &str) -> Result<Size, &'static str> {
    let parse_side = |text: &str| Size::parse_side(text.parse().ok()?);
    let size = text
        .split_once('x')
        .and_then(|(width, height)| Some(Size { width: parse_side(width)?, height: parse_side(height)? }));
    size.ok_or("write a size as in 256x128, each side from 8 to 4096")
}

impl SeasonSubcommand {
    /// Runs the command.
    pub(super) async fn run(self, context: &CliContext) -> CliOutputResult {
        match self {
            Self::List => list(context).await,
            Self::Open(args) => open(args, context).await,
            Self::Freeze(args) => act(context, &OperatorAction::FreezeSeason(args.into_body())).await,
            Self::Unfreeze(args) => act(context, &OperatorAction::UnfreezeSeason(args.into_body())).await,
            Self::Schedule(args) => schedule(args, context).await,
        }
    }
}

async fn schedule(args: ScheduleArgs, context: &CliContext) -> CliOutputResult {
    let ScheduleArgs { reason, until } = args;
    let body = SeasonEndBody { ends_at: until.until, reason: reason.into_reason() };
    act(context, &OperatorAction::ScheduleSeason(body)).await
}

async fn open(args: OpenArgs, context: &CliContext) -> CliOutputResult {
    let OpenArgs { schedule: ScheduleArgs { reason, until }, after, title, size } = args;
    let (width, height) = size.map(|size| (size.width.into(), size.height.into())).unzip();
    let reason = reason.into_reason();
    let body = OpenSeasonBody { after, title, width, height, ends_at: until.until, reason };
    act(context, &OperatorAction::OpenSeason(body)).await
}

/// Returns a status in the word of the console.
fn describe_status(status: SeasonStatus) -> &'static str {
    match status {
        SeasonStatus::Played => "running",
        SeasonStatus::Frozen => "frozen",
        SeasonStatus::Archived => "archived",
    }
}

async fn list(context: &CliContext) -> CliOutputResult {
    let seasons = query::list(&context.state).await?;
    let row = |season: &SeasonRecord| {
        let size = format!("{}x{}", season.width, season.height);
        let state = describe_status(season.state).to_owned();
        [season.number.to_string(), state, size, format_time(season.opened_at), season.title.clone()]
    };
    let text = format_table(["N", "STATE", "SIZE", "OPENED", "TITLE"], seasons.iter().map(row));
    Ok(CliOutput::new(text, &json!({"seasons": seasons})))
}
