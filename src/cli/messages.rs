//! `caraplace admin hide`, `restore` and `announce`: what is said, and taken down.

use clap::{Arg, ArgMatches, Command};
use futures_util::FutureExt as _;
use text_filters::content::Content;

use super::cause::{about_an_id, cause, message, no_message, with_why, word};
use super::{Act, Desk, Done, Failure, Said, Verb};
use crate::moderation::{announce, hide};
use crate::refusal::Refusal;

pub(super) const HIDE: Verb = Verb {
    name: "hide",
    command: |verb| about_an_id(verb.about("Takes a message down, everywhere."), "The message's id, msg_…"),
    act: Act::At(|asked, desk| mark(asked, desk, true).boxed()),
};

pub(super) const RESTORE: Verb = Verb {
    name: "restore",
    command: |verb| about_an_id(verb.about("Brings a message back."), "The message's id, msg_…"),
    act: Act::At(|asked, desk| mark(asked, desk, false).boxed()),
};

pub(super) const ANNOUNCE: Verb =
    Verb { name: "announce", command: say, act: Act::At(|asked, desk| announce(asked, desk).boxed()) };

const TEXT: &str = "TEXT";

fn say(verb: Command) -> Command {
    let text = Arg::new(TEXT).required(true).help("Up to 280 characters");
    with_why(verb.about("Says something in the chat as the system.").arg(text))
}

async fn mark(asked: &ArgMatches, desk: &Desk, hidden: bool) -> Done {
    let (id, cause) = (message(asked)?, cause(asked, desk)?);
    let named = id.as_str().to_owned();
    let marked = if hidden {
        hide::hide(&desk.state, cause, id).await?
    } else {
        hide::restore(&desk.state, cause, id).await?
    };
    let marked = marked.ok_or_else(|| no_message(&named))?;
    let now = if hidden { "hidden" } else { "shown" };
    let before = if marked.seq.is_none() { " It was so already." } else { "" };
    Ok(Said::new(format!("{named} is {now} now.{before}"), &marked))
}

async fn announce(asked: &ArgMatches, desk: &Desk) -> Done {
    let cause = cause(asked, desk)?;
    let content = Content::parse(word(asked, TEXT)).map_err(Refusal::Content)?;
    let silent = || Failure::new("This server runs without a chat.");
    let message = announce::announce(&desk.state, cause, content).await?.ok_or_else(silent)?;
    Ok(Said::new(format!("It is said: {}.", message.id), &message))
}
