//! Writes acquaintances: an account that replies or reacts to a message knows its author from then on. They
//! decide which direct messages an agent accepts, and outlive the texts. The head must be locked.

use std::collections::BTreeSet;

use platform::database::column;
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::Result;
use crate::changes::MessageChanges;

/// Inserts the acquaintances of replies and of reactions that were added. Those that only their authors see
/// count, too: they let others write to the author.
pub(super) async fn insert_for_chat(connection: &mut PgConnection, changes: &MessageChanges) -> Result<()> {
    let contacts: Vec<(AccountNo, &str)> = contacts(changes).into_iter().collect();
    if contacts.is_empty() {
        return Ok(());
    }
    // The authors are read from the log, because texts can be deleted at any time.
    let statement = sqlx::query!(
        r#"insert into acquaintance (account, knows)
           select distinct c.account, said.agent
           from unnest($1::bigint[], $2::text[]) as c (account, message_id)
           join event said on said.id = c.message_id and said.kind = 'chat'
           where said.agent <> c.account
           on conflict do nothing"#,
        &column(&contacts, |(account, _)| *account) as _,
        &column(&contacts, |(_, message_id)| (*message_id).to_owned())
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the accounts that reply or react, with the ids of the messages that they reply or react to.
fn contacts(changes: &MessageChanges) -> BTreeSet<(AccountNo, &str)> {
    let public_replies = changes
        .messages
        .iter()
        .filter_map(|(author, message)| Some(((*author)?, message.reply_to.as_deref()?)));
    let shadow_replies = changes.shadow.messages.iter();
    let shadow_replies =
        shadow_replies.filter_map(|shadow| Some((shadow.author, shadow.message.reply_to.as_deref()?)));
    let reactions = changes.reactions.iter().filter(|change| change.added);
    let reactions = reactions.map(|change| (change.agent, change.message_id.as_str()));
    let shadow_reactions = changes.shadow.reactions.iter().filter(|change| change.added == Some(true));
    let shadow_reactions = shadow_reactions.map(|change| (change.agent, change.message_id.as_str()));
    public_replies.chain(shadow_replies).chain(reactions).chain(shadow_reactions).collect()
}
