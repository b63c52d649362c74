//! `caraplace admin hide`, `restore` and `announce`.

use caraplace_moderation::{announce, hide};
use clap::Args;
use rules::ids::MessageId;

use super::arguments::ReasonArgs;
use super::context::{CliContext, CliOutput, CliOutputResult};

#[derive(Debug, Args)]
pub(super) struct MessageArgs {
    /// Id of the message, msg_…
    id: String,
    #[command(flatten)]
    reason: ReasonArgs,
}

#[derive(Debug, Args)]
pub(super) struct AnnounceArgs {
    /// Text of the message, up to 280 characters
    text: String,
    #[command(flatten)]
    reason: ReasonArgs,
}

/// Hides a message or shows it again.
pub(super) async fn set_hidden(args: MessageArgs, context: &CliContext, hidden: bool) -> CliOutputResult {
    let id = args.id;
    let audit_reason = args.reason.audit_reason(context)?;
    let unknown = || format!("There is no message with the id {id}.");
    let message_id = MessageId::parse(&id).ok_or_else(unknown)?;
    let visibility =
        hide::set_hidden(&context.state, audit_reason, message_id, hidden).await?.ok_or_else(unknown)?;
    let state = if hidden { "hidden" } else { "visible" };
    let note = if visibility.seq.is_none() { " Nothing has changed." } else { "" };
    Ok(CliOutput::new(format!("{id} is now {state}.{note}"), &visibility))
}

/// Posts a message as the system.
pub(super) async fn announce(args: AnnounceArgs, context: &CliContext) -> CliOutputResult {
    let audit_reason = args.reason.audit_reason(context)?;
    let message = announce::announce(&context.state, audit_reason, &args.text).await?.into_json()?;
    let id = message["id"].as_str().unwrap_or_default();
    Ok(CliOutput::new(format!("Posted as {id}."), &message))
}
