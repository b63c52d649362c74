//! `caraplace admin settings` and `set`: settings that change while servers run.

use clap::Args;
use serde_json::{Value, json};

use super::arguments::WhyArgs;
use super::desk::{Desk, Done, Said, table};
use crate::config::Adjustable;
use crate::settings::{self, Told};

#[derive(Args)]
pub(super) struct SetArgs {
    /// As `caraplace admin settings` lists it
    #[arg(value_parser = setting)]
    name: &'static Adjustable,
    /// Left out: as the environment says again
    value: Option<String>,
    #[command(flatten)]
    why: WhyArgs,
}

fn setting(name: &str) -> Result<&'static Adjustable, String> {
    let unknown = || format!("there is no setting {name} that can change while servers run");
    Adjustable::named(name).ok_or_else(unknown)
}

/// Changes a setting.
pub(super) async fn set(asked: SetArgs, desk: &Desk) -> Done {
    let (setting, cause) = (asked.name, asked.why.cause(desk)?);
    let value = asked.value.map_or(Value::Null, |text| setting.read(&text));
    let told = settings::set(&desk.state, &cause, setting.name, &value).await?;
    Ok(Said::new(format!("{} is {} now.", told.name, told.value), &told))
}

/// Lists the settings.
pub(super) async fn list(desk: &Desk) -> Done {
    let settings = settings::all(&desk.state).await?;
    let row = |one: &Told| [one.name.to_owned(), short(&one.value), one.range.clone()];
    let text = table(["NAME", "VALUE", "MUST BE"], settings.iter().map(row));
    Ok(Said::new(text, &json!({"settings": settings})))
}

/// A word list is too long for a table.
fn short(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let line = text.lines().next().unwrap_or_default();
    if line.len() < text.len() { format!("{line}…") } else { text }
}
