//! `caraplace admin set`: settings that change while servers run.

use clap::{Arg, ArgMatches, Command};
use futures_util::FutureExt as _;
use serde_json::{Value, json};

use super::cause::{cause, with_why, word};
use super::{Act, Desk, Done, Failure, Said, Verb, table};
use crate::config::live::Adjustable;
use crate::settings::{self, Told};

pub(super) const LIST: Verb = Verb {
    name: "settings",
    command: |settings| settings.about("Lists the settings that can change while servers run."),
    act: Act::At(|_, desk| list(desk).boxed()),
};
pub(super) const SET: Verb =
    Verb { name: "set", command, act: Act::At(|asked, desk| set(asked, desk).boxed()) };

const NAME: &str = "NAME";
const VALUE: &str = "VALUE";

fn command(set: Command) -> Command {
    with_why(set.about("Changes a setting on every server at once."))
        .arg(Arg::new(NAME).required(true).help("As `caraplace admin settings` lists it"))
        .arg(Arg::new(VALUE).help("Left out: as the environment says again"))
}

async fn set(asked: &ArgMatches, desk: &Desk) -> Done {
    let (name, cause) = (word(asked, NAME), cause(asked, desk)?);
    let unknown = || Failure::new(format!("There is no setting {name} that can change while servers run."));
    let setting = Adjustable::named(name).ok_or_else(unknown)?;
    let value = asked.get_one::<String>(VALUE).map_or(Value::Null, |text| setting.read(text));
    let changed = settings::change(&desk.state, &cause, setting, &value).await?;
    let refused = || Failure::new(format!("{name} must be {}.", setting.expected()));
    let told = changed.ok_or_else(refused)?;
    Ok(Said::new(format!("{} is {} now.", told.name, told.value), &told))
}

async fn list(desk: &Desk) -> Done {
    let settings = settings::all(&desk.state).await?;
    let row = |one: &Told| [one.name.to_owned(), short(&one.value), one.range.clone()];
    let rows: Vec<_> = settings.iter().map(row).collect();
    Ok(Said::new(table(["NAME", "VALUE", "MUST BE"], rows), &json!({"settings": settings})))
}

/// A word list is too long for a table.
fn short(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let line = text.lines().next().unwrap_or_default();
    if line.len() < text.len() { format!("{line}…") } else { text }
}
