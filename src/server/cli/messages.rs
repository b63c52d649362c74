//! `caraplace admin hide`, `restore` and `announce`.

use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::{AnnounceBody, ReasonBody};
use clap::Args;
use rules::ids::MessageId;

use super::act::act;
use super::arguments::{ReasonArgs, unknown_message};
use super::context::{CliContext, CliOutputResult};

#[derive(Debug, Args)]
pub(super) struct MessageArgs {
    /// Id of the message, msg_…
    id: String,
    #[command(flatten)]
    reason: ReasonArgs,
}

#[derive(Debug, Args)]
pub(super) struct AnnounceArgs {
    /// Text of the message; CARAPLACE_MESSAGE_CHARS says how long it may be
    text: String,
    #[command(flatten)]
    reason: ReasonArgs,
}

/// Hides a message or shows it again.
pub(super) async fn act_on(
    args: MessageArgs,
    context: &CliContext,
    make: fn(MessageId, ReasonBody) -> OperatorAction,
) -> CliOutputResult {
    let id = MessageId::parse(&args.id).ok_or_else(|| unknown_message(&args.id))?;
    act(context, &make(id, args.reason.into_body())).await
}

/// Posts a message as the system.
pub(super) async fn announce(args: AnnounceArgs, context: &CliContext) -> CliOutputResult {
    let body = AnnounceBody { content: args.text, reason: args.reason.into_reason() };
    act(context, &OperatorAction::Announce(body)).await
}
