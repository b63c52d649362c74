//! `caraplace admin hide`, `restore` and `announce`: what is said, and taken down.

use clap::Args;
use rules::ids::MessageId;

use super::arguments::WhyArgs;
use super::desk::{Desk, Done, Failure, Said};
use crate::moderation::announce;
use crate::moderation::hide::{self, MarkedMessage};

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

impl MessageArgs {
    fn message(&self) -> Result<MessageId, Failure> {
        MessageId::parse(&self.id).ok_or_else(|| self.unknown())
    }

    fn unknown(&self) -> Failure {
        Failure::new(format!("There never was a message with the id {}.", self.id))
    }

    fn told(&self, marked: Option<MarkedMessage>, now: &str) -> Done {
        let marked = marked.ok_or_else(|| self.unknown())?;
        let before = if marked.seq.is_none() { " It was so already." } else { "" };
        Ok(Said::new(format!("{} is {now} now.{before}", self.id), &marked))
    }
}

/// Takes a message down.
pub(super) async fn hide(asked: MessageArgs, desk: &Desk) -> Done {
    let marked = hide::hide(&desk.state, asked.why.cause(desk)?, asked.message()?).await?;
    asked.told(marked, "hidden")
}

/// Brings a message back.
pub(super) async fn restore(asked: MessageArgs, desk: &Desk) -> Done {
    let marked = hide::restore(&desk.state, asked.why.cause(desk)?, asked.message()?).await?;
    asked.told(marked, "shown")
}

/// Says something as the system.
pub(super) async fn announce(asked: AnnounceArgs, desk: &Desk) -> Done {
    let cause = asked.why.cause(desk)?;
    let message = announce::announce(&desk.state, cause, &asked.text).await?;
    Ok(Said::new(format!("It is said: {}.", message.id), &message))
}
