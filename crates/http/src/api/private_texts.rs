//! Changing and deleting crew and direct messages, under the paths of public ones.

use caraplace_accounts::agents::permissions;
use caraplace_companion::app::App;
use caraplace_log::command::CommandOutcome;
use caraplace_log::identity::Identity;
use caraplace_talk::channels::PrivateMessage;
use caraplace_talk::channels::access::ChannelReader;
use caraplace_talk::channels::delete::{self, DeletePrivateResponse};
use caraplace_talk::channels::edit::{self, EditPrivateResponse};
use caraplace_talk::channels::read;
use caraplace_talk::message::edit::EditMessageBody;
use platform::refusal::{EditRefusal, Refusal};
use rules::ids::MessageId;

use crate::HandlerResult;
use crate::request::auth_viewer::AuthAccount;
use crate::request::extract::JsonBody;
use crate::response::no_store::no_store_json;
use crate::response::problem::Problem;

/// Changes the text of a private message.
pub(super) async fn edit(
    app: &App,
    body: &JsonBody<EditMessageBody>,
    message_id: MessageId,
) -> HandlerResult {
    let author = body.require_caller()?;
    let content = &body.fields.content;
    let command = edit::prepare(&app.state, &app.filters, author, message_id.clone(), content).await?;
    let changed = command.replaced_parts().to_vec();
    let important = match body.submit_command(app, command).await? {
        CommandOutcome::Executed(important) => important,
        // The route takes no idempotency key.
        CommandOutcome::Replayed(_) => None,
    };
    let message = find(app, author, &message_id).await?;
    Ok(no_store_json(EditPrivateResponse { success: true, message, changed, important }))
}

/// Deletes a private message.
pub(super) async fn delete(app: &App, author: &AuthAccount, message_id: MessageId) -> HandlerResult {
    let author = &author.0;
    let command = delete::prepare(&app.state, author, message_id.clone()).await?;
    if let Err(refusal) = app.state.log.submit(author, None, command, None).await {
        return Err(Box::pin(permissions::with_appeal(&app.state, author, refusal)).await.into());
    }
    let message = find(app, author, &message_id).await?;
    Ok(no_store_json(DeletePrivateResponse { success: true, message }))
}

async fn find(app: &App, author: &Identity, id: &MessageId) -> Result<PrivateMessage, Problem> {
    let found = read::find_message(&app.state, ChannelReader::Account(author), id).await?;
    Ok(found.ok_or(EditRefusal::NotFound).map_err(Refusal::from)?)
}
