//! `caraplace admin rollback`: what was painted, undone and done again. The servers that run do the work.

use clap::{Args, Subcommand};
use rules::grid::Corners;
use serde_json::json;

use super::arguments::{IdArgs, WhyArgs, time};
use super::desk::{Desk, Done, Said, table};
use crate::input;
use crate::moderation::rollback::plan::{RollbackRequest, plan};
use crate::moderation::rollback::{self, Rollback};
use crate::past::Past;
use crate::past::moment::Moment;

/// How many are listed.
const LISTED: i64 = 50;

#[derive(Debug, Subcommand)]
pub(super) enum RollbackVerb {
    /// Strikes out what was painted between two moments.
    Begin(BeginArgs),
    /// Lets what was struck stand again.
    Undo(IdArgs),
    /// Lists rollbacks and how far they have come, newest first.
    List,
}

#[derive(Debug, Args)]
pub(super) struct BeginArgs {
    #[command(flatten)]
    why: WhyArgs,
    /// Whose placements, agent_…; anyone's in the region by default
    #[arg(long)]
    agent: Option<String>,
    /// x1,y1,x2,y2, inclusive; the whole canvas by default, with --agent
    #[arg(long, value_parser = corners)]
    region: Option<Corners>,
    /// The first moment: an event's number, or a time
    #[arg(long, value_parser = moment)]
    from: Moment,
    /// The last moment; now by default
    #[arg(long, value_parser = moment)]
    to: Option<Moment>,
}

fn moment(text: &str) -> Result<Moment, String> {
    text.parse().map(Moment::Number).or_else(|_| {
        let time = time(text).map(Moment::Time);
        time.map_err(|error| format!("a moment is an event's number or a time ({error})"))
    })
}

fn corners(text: &str) -> Result<Corners, &'static str> {
    let sides: Option<Vec<i64>> = text.split(',').map(|side| side.trim().parse().ok()).collect();
    match sides.as_deref() {
        Some([x1, y1, x2, y2]) => Ok(Corners { x1: *x1, y1: *y1, x2: *x2, y2: *y2 }),
        _ => Err("write x1,y1,x2,y2 with whole numbers"),
    }
}

impl RollbackVerb {
    /// Does it.
    pub(super) async fn run(self, desk: &Desk) -> Done {
        match self {
            Self::Begin(asked) => begin(asked, desk).await,
            Self::Undo(asked) => undo(asked, desk).await,
            Self::List => list(desk).await,
        }
    }
}

async fn begin(asked: BeginArgs, desk: &Desk) -> Done {
    let cause = asked.why.cause(desk)?;
    let size = desk.state.snapshot(|world| world.season.size);
    let region = asked.region.map(|corners| input::rect(size, corners)).transpose()?;
    let request = RollbackRequest { agent_id: asked.agent, region, from: asked.from, to: asked.to };
    let strike = plan(&desk.state, &Past::new(desk.state.clone()), &request).await?;
    let begun = rollback::begin(&desk.state, &strike, &cause).await?;
    Ok(Said::new(format!("{} has begun; a running server does the work.", begun.id), &begun))
}

async fn undo(asked: IdArgs, desk: &Desk) -> Done {
    let undone = rollback::undo(&desk.state, &asked.id, &asked.why.cause(desk)?).await?;
    let undone = undone.ok_or("There is no such rollback, or it is undone, or its season is over.")?;
    Ok(Said::new(format!("{} is being undone by a running server.", undone.id), &undone))
}

async fn list(desk: &Desk) -> Done {
    let newest = rollback::newest(&desk.state, LISTED).await?;
    let row = |one: &Rollback| {
        let state = json!(one.state).as_str().unwrap_or_default().to_owned();
        let whose = one.agent_name.clone().unwrap_or_else(|| "anyone".to_owned());
        [one.id.clone(), state, format!("{} of {}", one.pixels_done, one.pixels), whose, one.why.clone()]
    };
    let text = table(["ID", "STATE", "PIXELS", "WHOSE", "WHY"], newest.iter().map(row));
    Ok(Said::new(text, &json!({"rollbacks": newest})))
}
