//! `caraplace admin rollback`: what was painted, undone and done again. The servers that run do the work.

use chrono::{DateTime, Utc};
use clap::{Arg, ArgMatches, Command};
use futures_util::FutureExt as _;
use rules::grid::{Corners, Rect, Size};
use serde_json::json;

use super::cause::{about_an_id, cause, id, nobody, with_why, word};
use super::{Act, Desk, Done, Failure, Said, Verb, table};
use crate::agents::holder;
use crate::moderation::rollback::{self, Order, Rollback};
use crate::past::Past;
use crate::past::moment::Moment;

pub(super) const VERB: Verb =
    Verb { name: "rollback", command, act: Act::At(|asked, desk| act(asked, desk).boxed()) };

const AGENT: &str = "agent";
const REGION: &str = "region";
const FROM: &str = "from";
const TO: &str = "to";
/// How many are listed.
const LISTED: i64 = 50;

fn command(rollback: Command) -> Command {
    let option = |name: &'static str, help: &'static str| Arg::new(name).long(name).help(help);
    let begin = with_why(Command::new("begin").about("Strikes out what was painted between two moments."))
        .arg(option(AGENT, "Whose placements, agent_…; anyone's in the region by default"))
        .arg(option(REGION, "x1,y1,x2,y2, inclusive; the whole canvas by default"))
        .arg(option(FROM, "The first moment: an event's number, or a time").required(true))
        .arg(option(TO, "The last moment; now by default"));
    let undo = Command::new("undo").about("Lets what was struck stand again.");
    rollback
        .about("Rolls pixels back, and undoes that.")
        .subcommand_required(true)
        .subcommand(begin)
        .subcommand(about_an_id(undo, "rollback_…"))
        .subcommand(Command::new("list").about("Lists rollbacks and how far they have come, newest first."))
}

async fn act(asked: &ArgMatches, desk: &Desk) -> Done {
    match asked.subcommand() {
        Some(("begin", options)) => begin(options, desk).await,
        Some(("undo", options)) => undo(options, desk).await,
        _ => list(desk).await,
    }
}

async fn begin(asked: &ArgMatches, desk: &Desk) -> Done {
    let cause = cause(asked, desk)?;
    let text = |name| asked.get_one::<String>(name).map(String::as_str);
    if text(AGENT).is_none() && text(REGION).is_none() {
        return Err(Failure::new(
            "Name --agent, --region, or both: nobody means the whole canvas by accident.",
        ));
    }
    let (size, opening) = desk.state.snapshot(|world| (world.season.size, world.season.seq));
    let agent = match text(AGENT) {
        Some(id) => Some(holder::by_id(&desk.state, id).await?.ok_or_else(|| nobody(id))?.no),
        None => None,
    };
    let past = Past::new(desk.state.clone());
    let from = past.oldest_from(moment(word(asked, FROM))?).await?.ok_or_else(to_come)?;
    let upto = match text(TO) {
        Some(to) => past.newest_at(moment(to)?).await?.ok_or_else(to_come)?,
        None => past.head(),
    };
    let rect = text(REGION).map_or(Ok(size.whole()), |text| region(size, text))?;
    let after = (from - 1).max(opening);
    if after >= upto {
        return Err(Failure::new("--to must be a moment of this season, and not before --from."));
    }
    let order = Order { agent, rect, after, upto };
    let begun = rollback::begin(&desk.state, &order, &cause).await?;
    Ok(Said::new(format!("{} has begun; a running server does the work.", begun.id), &begun))
}

async fn undo(asked: &ArgMatches, desk: &Desk) -> Done {
    let undone = rollback::undo(&desk.state, id(asked), &cause(asked, desk)?).await?;
    let nowhere = || Failure::new("There is no such rollback, or it is undone, or its season is over.");
    let undone = undone.ok_or_else(nowhere)?;
    Ok(Said::new(format!("{} is being undone by a running server.", undone.id), &undone))
}

async fn list(desk: &Desk) -> Done {
    let newest = rollback::newest(&desk.state, LISTED).await?;
    let row = |one: &Rollback| {
        let state = json!(one.state).as_str().unwrap_or_default().to_owned();
        let whose = one.agent_name.clone().unwrap_or_else(|| "anyone".to_owned());
        [one.id.clone(), state, format!("{} of {}", one.pixels_done, one.pixels), whose, one.why.clone()]
    };
    let rows: Vec<_> = newest.iter().map(row).collect();
    Ok(Said::new(table(["ID", "STATE", "PIXELS", "WHOSE", "WHY"], rows), &json!({"rollbacks": newest})))
}

fn moment(text: &str) -> Result<Moment, Failure> {
    if let Ok(number) = text.parse() {
        return Ok(Moment::Number(number));
    }
    let time = DateTime::parse_from_rfc3339(text).map(|time| Moment::Time(time.with_timezone(&Utc)));
    time.map_err(|_| Failure::new("A moment is an event's number, or a time as in 2027-01-31T08:30:00Z."))
}

fn to_come() -> Failure {
    Failure::new("That moment is still to come.")
}

fn region(size: Size, text: &str) -> Result<Rect, Failure> {
    let sides: Option<Vec<i64>> = text.split(',').map(|side| side.trim().parse().ok()).collect();
    let rect = match sides.as_deref() {
        Some([x1, y1, x2, y2]) => size.rect(Corners { x1: *x1, y1: *y1, x2: *x2, y2: *y2 }),
        _ => None,
    };
    rect.ok_or_else(|| Failure::new("--region must be x1,y1,x2,y2 on the canvas, corners in order."))
}
