//! `caraplace admin ban`, `mute`, `shadow`, `rename` and their opposites: what is imposed on whoever holds a name.

use clap::{Arg, ArgMatches, Command};
use futures_util::FutureExt as _;
use rules::measures::Measure;
use rules::names::AgentName;
use text_filters::text_limits::MAX_REASON_CHARS;

use super::cause::{about_an_id, cause, end, holder, nobody, with_end, word};
use super::{Act, Desk, Done, Failure, Said, Verb};
use crate::http::server::filters;
use crate::moderation::{reason, standing};
use crate::refusal::Refusal;

const WHO: &str = "Whose, agent_… or viewer_…";
const REASON: &str = "reason";
const NAME: &str = "NAME";

/// A verb that needs nothing but an id and a reason.
macro_rules! simple {
    ($verb:ident, $name:literal, $about:literal) => {
        Verb {
            name: $name,
            command: |verb| about_an_id(verb.about($about), WHO),
            act: Act::At(|asked, desk| take(asked, desk, Measure::$verb).boxed()),
        }
    };
}

pub(super) const BAN: Verb =
    Verb { name: "ban", command: banning, act: Act::At(|asked, desk| ban(asked, desk).boxed()) };
pub(super) const UNBAN: Verb = simple!(Unban, "unban", "Ends a ban.");
pub(super) const MUTE: Verb = Verb {
    name: "mute",
    command: |verb| {
        with_end(about_an_id(verb.about("Lets somebody say nothing until a time, or for ever."), WHO))
    },
    act: Act::At(|asked, desk| mute(asked, desk).boxed()),
};
pub(super) const UNMUTE: Verb = simple!(Unmute, "unmute", "Lets somebody speak again.");
pub(super) const SHADOW: Verb = simple!(Shadow, "shadow", "Shows what somebody says to itself alone.");
pub(super) const UNSHADOW: Verb =
    simple!(Unshadow, "unshadow", "Shows what somebody says to everyone again.");
pub(super) const RENAME: Verb =
    Verb { name: "rename", command: renaming, act: Act::At(|asked, desk| rename(asked, desk).boxed()) };

fn banning(verb: Command) -> Command {
    let reason = Arg::new(REASON).long(REASON).help("What the banned are told; left out, the same as --why");
    with_end(about_an_id(verb.about("Lets somebody do nothing until a time, or for ever."), WHO)).arg(reason)
}

fn renaming(verb: Command) -> Command {
    let name = Arg::new(NAME).required(true).help("The name that it has from now on");
    about_an_id(verb.about("Gives somebody another name."), WHO).arg(name)
}

async fn ban(asked: &ArgMatches, desk: &Desk) -> Done {
    let told = match asked.get_one::<String>(REASON) {
        Some(text) => reason(text).ok_or_else(|| {
            Failure::new(format!("--reason must have 1 to {MAX_REASON_CHARS} characters that can be seen."))
        })?,
        None => cause(asked, desk)?.why,
    };
    take(asked, desk, Measure::Ban { until: end(asked, desk)?, reason: told }).await
}

async fn mute(asked: &ArgMatches, desk: &Desk) -> Done {
    take(asked, desk, Measure::Mute { until: end(asked, desk)? }).await
}

async fn rename(asked: &ArgMatches, desk: &Desk) -> Done {
    let filters = filters(&desk.state);
    let name = AgentName::parse(word(asked, NAME), &filters.names()).map_err(Refusal::NameNotAllowed)?;
    take(asked, desk, Measure::Rename(name)).await
}

async fn take(asked: &ArgMatches, desk: &Desk, measure: Measure) -> Done {
    let (id, cause) = (holder(asked)?, cause(asked, desk)?);
    let taken = standing::take(&desk.state, &cause, &id, &measure).await?;
    let standing = taken.ok_or_else(|| nobody(id.as_str()))?;
    Ok(Said::new(format!("Done: {} of {} ({}).", measure.name(), standing.name, id.as_str()), &standing))
}
