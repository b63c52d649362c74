//! `caraplace admin season`: opened, frozen, given an end.

use clap::{Arg, ArgMatches, Command, value_parser};
use futures_util::FutureExt as _;
use rules::grid::Size;
use rules::rights::FOR_EVER;
use rules::season::Title;
use serde_json::json;

use super::cause::{cause, end, with_end, with_why, word};
use super::{Act, Desk, Done, Failure, Said, Verb, table};
use crate::seasons::open::{self, Wanted};
use crate::seasons::{Recorded, freeze, read, schedule};

pub(super) const VERB: Verb =
    Verb { name: "season", command, act: Act::At(|asked, desk| act(asked, desk).boxed()) };

const TITLE: &str = "title";
const SIZE: &str = "size";
const AFTER: &str = "after";

fn command(season: Command) -> Command {
    let after = Arg::new(AFTER).long(AFTER).required(true).value_parser(value_parser!(i64));
    let open = with_end(with_why(Command::new("open").about("Opens the next season on a blank canvas.")))
        .arg(after.help("The number of the season that it follows"))
        .arg(Arg::new(TITLE).long(TITLE).help("What it is called; left out, its number"))
        .arg(
            Arg::new(SIZE).long(SIZE).value_name("WxH").help("As in 256x128; left out, as the settings say"),
        );
    let freeze = with_why(Command::new("freeze").about("Lets nobody paint or speak any more."));
    let unfreeze = with_why(Command::new("unfreeze").about("Lets the season go on."));
    let schedule = with_end(with_why(Command::new("schedule").about("Says when it freezes by itself.")));
    season
        .about("Lists seasons; opens, freezes and ends them.")
        .subcommand_required(true)
        .subcommand(Command::new("list").about("Lists seasons, oldest first."))
        .subcommands([open, freeze, unfreeze, schedule])
}

async fn act(asked: &ArgMatches, desk: &Desk) -> Done {
    match asked.subcommand() {
        Some(("open", options)) => open(options, desk).await,
        Some(("freeze", options)) => {
            let season = freeze::freeze(&desk.state, &cause(options, desk)?).await?;
            Ok(told("is frozen", &season))
        }
        Some(("unfreeze", options)) => {
            let season = freeze::unfreeze(&desk.state, &cause(options, desk)?).await?;
            Ok(told("goes on", &season))
        }
        Some(("schedule", options)) => {
            let ends_at = Some(end(options, desk)?).filter(|end| *end != FOR_EVER);
            let season = schedule::appoint(&desk.state, &cause(options, desk)?, ends_at).await?;
            Ok(told("has another end", &season))
        }
        _ => list(desk).await,
    }
}

fn told(what: &str, season: &Recorded) -> Said {
    Said::new(format!("Season {}, {}, {what}.", season.number, season.title), season)
}

async fn open(asked: &ArgMatches, desk: &Desk) -> Done {
    let cause = cause(asked, desk)?;
    let wanted = Wanted {
        title: asked.get_one::<String>(TITLE).map(|_| title(word(asked, TITLE))).transpose()?,
        size: asked.get_one::<String>(SIZE).map(|_| size(word(asked, SIZE))).transpose()?,
        ends_at: Some(end(asked, desk)?).filter(|end| *end != FOR_EVER),
        after: asked.get_one::<i64>(AFTER).copied().unwrap_or_default(),
    };
    let opened = open::open(&desk.state, &cause, wanted).await?;
    let missed = || Failure::new("--after is not the number of the newest season: somebody was faster.");
    Ok(told("is open", &opened.ok_or_else(missed)?))
}

fn title(text: &str) -> Result<Title, Failure> {
    Title::parse(text).ok_or_else(|| Failure::new("--title must be a short line."))
}

fn size(text: &str) -> Result<Size, Failure> {
    let sides = text.split_once('x').and_then(|(width, height)| {
        let side = |text: &str| text.parse::<u16>().ok().filter(|side| (8..=4096).contains(side));
        Some(Size { width: side(width)?, height: side(height)? })
    });
    sides.ok_or_else(|| Failure::new("--size must be as in 256x128, each side from 8 to 4096."))
}

async fn list(desk: &Desk) -> Done {
    let seasons = read::all(&desk.state).await?;
    let row = |season: &Recorded| {
        let size = format!("{}x{}", season.width, season.height);
        let opened = season.opened_at.format("%Y-%m-%d %H:%M").to_string();
        let state = json!(season.state).as_str().unwrap_or_default().to_owned();
        [season.number.to_string(), state, size, opened, season.title.clone()]
    };
    let rows: Vec<_> = seasons.iter().map(row).collect();
    Ok(Said::new(table(["N", "STATE", "SIZE", "OPENED", "TITLE"], rows), &json!({"seasons": seasons})))
}
