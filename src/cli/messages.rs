//! `caraplace admin hide`, `restore` and `announce`: what is said, and taken down.

use clap::Args;
use rules::ids::MessageId;

use super::arguments::WhyArgs;
use super::desk::{Desk, Done, Said};
use crate::moderation::{announce, hide};

#[derive(Debug, Args)]
pub(super) struct MessageArgs {
    /// The message's id, msg_…
    id: String,
    #[command(flatten)]
    why: WhyArgs,
}

#[derive(Debug, Args)]
pub(super) struct AnnounceArgs {
    /// Up to 280 characters
    text: String,
    #[command(flatten)]
    why: WhyArgs,
}

/// Takes a message down, or brings it back.
pub(super) async fn set_hidden(asked: MessageArgs, desk: &Desk, hidden: bool) -> Done {
    let (id, cause) = (asked.id, asked.why.cause(desk)?);
    let unknown = || format!("There never was a message with the id {id}.");
    let message_id = MessageId::parse(&id).ok_or_else(unknown)?;
    let marked = hide::set_hidden(&desk.state, cause, message_id, hidden).await?.ok_or_else(unknown)?;
    let now = if hidden { "hidden" } else { "shown" };
    let before = if marked.seq.is_none() { " It was so already." } else { "" };
    Ok(Said::new(format!("{id} is {now} now.{before}"), &marked))
}

/// Says something as the system.
pub(super) async fn announce(asked: AnnounceArgs, desk: &Desk) -> Done {
    let cause = asked.why.cause(desk)?;
    let message = announce::announce(&desk.state, cause, &asked.text).await?;
    Ok(Said::new(format!("It is said: {}.", message.id), &message))
}
