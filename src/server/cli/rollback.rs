//! `caraplace admin rollback`: begins, undoes and lists rollbacks. Running servers do the work.

use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::perform::ActionServices as _;
use caraplace_moderation::rollback::request::{RollbackBody, RollbackRequest, build_filter};
use caraplace_moderation::rollback::simulation::{PainterLoss, RollbackSimulation, simulate_rollback};
use caraplace_moderation::rollback::{self, ReasonClass, Rollback};
use clap::{Args, Subcommand};
use platform::input;
use rules::grid::Corners;
use rules::numbers::Seq;
use rules::rollback::RollbackFilter;
use serde_json::json;

use super::account_names::to_account_id;
use super::act::act;
use super::arguments::{IdArgs, ReasonArgs, parse_time};
use super::context::{CliContext, CliOutput, CliOutputResult, format_table};
use super::database::CliResult;

/// The maximum number of rollbacks in the list.
const MAX_LISTED_ROLLBACKS: i64 = 50;

#[derive(Debug, Subcommand)]
pub(super) enum RollbackSubcommand {
    /// Removes the placements between two points in time from the canvas.
    Begin(BeginArgs),
    /// Counts what a rollback would change, by painter.
    Preview(SelectionArgs),
    /// Undoes a rollback: its placements count again.
    Undo(IdArgs),
    /// Lists rollbacks and their progress, newest first.
    List,
}

#[derive(Debug, Args)]
pub(super) struct BeginArgs {
    #[command(flatten)]
    reason: ReasonArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Class of the reason, which the chat tells everyone: vandalism, offensive, spam, mistake or other
    #[arg(long, default_value = "other", value_parser = parse_reason_class)]
    reason_class: ReasonClass,
}

// The placements of a rollback.
#[derive(Debug, Args)]
pub(super) struct SelectionArgs {
    /// Report of pixels, report_…: says agent, region and start, as far as they are not given
    #[arg(long)]
    report: Option<String>,
    /// Only this agent's placements, by its name or id; by default all agents' in the region
    #[arg(long)]
    agent: Option<String>,
    /// Region as x1,y1,x2,y2, inclusive; by default the whole canvas, if --agent is given
    #[arg(long, value_parser = parse_corners)]
    region: Option<Corners>,
    /// First event: its number, or a time
    #[arg(long, value_parser = parse_point_in_time, required_unless_present = "report")]
    from: Option<PointInTime>,
    /// Last event: its number, or a time; by default the newest event
    #[arg(long, value_parser = parse_point_in_time)]
    to: Option<PointInTime>,
}

fn parse_reason_class(name: &str) -> Result<ReasonClass, &'static str> {
    ReasonClass::try_from(name.to_owned())
}

fn parse_point_in_time(text: &str) -> Result<PointInTime, String> {
    text.parse().map(|seq| PointInTime::Seq(Seq(seq))).or_else(|_| {
        let time = parse_time(text).map(PointInTime::Time);
        time.map_err(|error| format!("write an event's number or a time ({error})"))
    })
}

fn parse_corners(text: &str) -> Result<Corners, &'static str> {
    let numbers: Option<Vec<i64>> = text.split(',').map(|side| side.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([x1, y1, x2, y2]) => Ok(Corners { x1: *x1, y1: *y1, x2: *x2, y2: *y2 }),
        _ => Err("write x1,y1,x2,y2 with whole numbers"),
    }
}

impl RollbackSubcommand {
    /// Runs the command.
    pub(super) async fn run(self, context: &CliContext) -> CliOutputResult {
        match self {
            Self::Begin(args) => begin(args, context).await,
            Self::Preview(args) => preview(args, context).await,
            Self::Undo(args) => undo(args, context).await,
            Self::List => list(context).await,
        }
    }
}

async fn begin(args: BeginArgs, context: &CliContext) -> CliOutputResult {
    let BeginArgs { reason, selection, reason_class } = args;
    let SelectionArgs { report: report_id, agent, region, from, to } = selection;
    let agent_id = find_agent(context, agent).await?;
    let body = RollbackBody {
        agent_id,
        region,
        report_id,
        from: from.map(write_point_in_time),
        to: to.map(write_point_in_time),
        reason: reason.into_reason(),
        reason_class,
    };
    act(context, &OperatorAction::BeginRollback(body)).await
}

/// Returns the id of the agent whose placements are chosen. `None` for all agents.
async fn find_agent(context: &CliContext, agent: Option<String>) -> CliResult<Option<String>> {
    match agent {
        Some(agent) => to_account_id(context, agent).await.map(Some),
        None => Ok(None),
    }
}

/// Returns a point in time as the body of a rollback has it. A negative number is before the first event.
fn write_point_in_time(point: PointInTime) -> String {
    match point {
        PointInTime::Seq(seq) => seq.max(Seq::ZERO).to_string(),
        PointInTime::Time(time) => time.to_rfc3339(),
    }
}

async fn preview(args: SelectionArgs, context: &CliContext) -> CliOutputResult {
    let filter = find_filter(args, context).await?;
    let RollbackSimulation { placements, pixels, painters, .. } =
        simulate_rollback(&context.state, &filter).await?;
    let row = |painter: &PainterLoss| {
        [painter.agent_name.clone(), painter.pixels.to_string(), painter.placements.to_string()]
    };
    let table = format_table(["PAINTER", "PIXELS", "PLACEMENTS"], painters.iter().map(row));
    let text = format!("Would remove {placements} placements and change {pixels} pixels.\n{table}");
    Ok(CliOutput::new(text, &json!({"placements": placements, "pixels": pixels, "painters": painters})))
}

async fn find_filter(args: SelectionArgs, context: &CliContext) -> CliResult<RollbackFilter> {
    let SelectionArgs { report: report_id, agent, region, from, to } = args;
    let agent_id = find_agent(context, agent).await?;
    let size = context.state.read_world(|world| world.season.size);
    let region = region.map(|corners| input::rect(size, corners)).transpose()?;
    let request = RollbackRequest { agent_id, region, report_id, from, to };
    Ok(build_filter(&context.state, context.history(), &request).await?)
}

async fn undo(args: IdArgs, context: &CliContext) -> CliOutputResult {
    act(context, &OperatorAction::UndoRollback(args.id, args.reason.into_body())).await
}

async fn list(context: &CliContext) -> CliOutputResult {
    let newest = rollback::list(&context.state, MAX_LISTED_ROLLBACKS).await?;
    let row = |rollback: &Rollback| {
        let state = json!(rollback.state).as_str().unwrap_or_default().to_owned();
        let agent = rollback.agent_name.clone().unwrap_or_else(|| "all agents".to_owned());
        [
            rollback.id.clone(),
            state,
            format!("{} of {}", rollback.pixels_done, rollback.pixels),
            agent,
            rollback.reason.clone(),
        ]
    };
    let text = format_table(["ID", "STATE", "PIXELS", "AGENT", "REASON"], newest.iter().map(row));
    Ok(CliOutput::new(text, &json!({"rollbacks": newest})))
}
