//! Deletes what erased accounts have written, a moment after they were closed. Each step finds what is left, so
//! it goes on after a restart, and instances do not disturb one another.

use std::sync::Arc;
use std::time::Duration;

use caraplace_accounts::agents::accounts;
use caraplace_accounts::erasure::{self, UnfinishedErasure};
use caraplace_accounts::visitor::ConversationOwner;
use caraplace_canvas::plans::erase::erase_plans;
use caraplace_companion::app::App;
use caraplace_companion::guide::conversation;
use caraplace_moderation::erase::{delete_texts, earlier_names};
use caraplace_news::notifications::settings;
use caraplace_news::webhooks::change;
use caraplace_talk::crews::erase::leave_all;
use caraplace_talk::message::erase::erase_messages;
use caraplace_talk::welcome::erase::replace_name;
use platform::refusal::Refusal;
use rules::rights::AccountKind;
use tokio::time::sleep;

/// The interval between checks whether an account was erased.
const INTERVAL: Duration = Duration::from_secs(1);
/// The maximum number of accounts in a round.
const MAX_ACCOUNTS: i64 = 100;

/// Deletes the texts of erased accounts until the task is aborted.
pub async fn run(app: Arc<App>) {
    loop {
        sleep(INTERVAL).await;
        match erasure::list_unfinished(&app.state, MAX_ACCOUNTS).await {
            Ok(accounts) => {
                for account in &accounts {
                    finish(&app, account).await;
                }
            }
            Err(error) => tracing::warn!(%error, "erased accounts could not be read, trying again later"),
        }
    }
}

/// Deletes what an account has written. An error does not keep others waiting.
async fn finish(app: &App, account: &UnfinishedErasure) {
    let finished = async {
        if Box::pin(erase_texts(app, account)).await? {
            erasure::finish(&app.state, account.no).await?;
            tracing::info!(account = account.no.0, "texts of an erased account deleted");
        }
        Ok::<_, Refusal>(())
    };
    if let Err(error) = finished.await {
        tracing::warn!(
            %error,
            account = account.no.0,
            "deletion of texts of an erased account failed, trying again"
        );
    }
}

/// Deletes all texts of an account that are left. Returns false if they must wait for another task.
async fn erase_texts(app: &App, erased: &UnfinishedErasure) -> Result<bool, Refusal> {
    let (state, no) = (&app.state, erased.no);
    let Some(account) = accounts::find(state, &erased.id).await? else { return Ok(true) };
    // What could still reach somebody comes first.
    settings::delete_all(state, no).await?;
    change::delete_all(state, &app.webhooks, no).await?;
    // A plan that must wait is ended within moments. Until then, no private message is read again and again.
    if !erase_plans(state, no).await? {
        return Ok(false);
    }
    erase_messages(state, &account).await?;
    // The audit log has the earlier names until the last step.
    let earlier_names = earlier_names(state, &erased.id).await?;
    for name in erased.former_name.iter().chain(&earlier_names) {
        replace_name(state, name, erased.created_at).await?;
    }
    leave_all(state, &account).await?;
    erasure::delete_relations(state, no).await?;
    delete_texts(state, no, &erased.id).await?;
    if account.rights.kind == AccountKind::Viewer {
        conversation::forget(app, ConversationOwner::Account(no)).await?;
    }
    state.log.delete_responses_of(no).await?;
    Ok(true)
}
