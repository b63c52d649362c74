//! Reads what private messages are decided on. The head must be locked, unless it is only a first look.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use rules::private_message::{AskState, IMPORTANCE_PERIOD, Importance};
use sqlx::PgConnection;

use super::{Result, column};
use crate::log::batch_private::{
    ChannelTarget, CrewState, MessageChannel, PrivateLookups, PrivateNeeds, StoredAsk, StoredPrivateMessage,
};

/// Reads everything that is needed.
pub async fn private_lookups(
    connection: &mut PgConnection,
    needs: &PrivateNeeds,
    now: DateTime<Utc>,
) -> Result<PrivateLookups> {
    if needs.is_empty() {
        return Ok(PrivateLookups::default());
    }
    Ok(PrivateLookups {
        channels: channels(connection, &needs.channels).await?,
        refusing: contact_refusals(connection, &needs.contacts).await?,
        messages: messages(connection, &needs.messages, now).await?,
        importance: importance_uses(connection, &needs.importance_of, now).await?,
    })
}

/// Returns the form in which the participants of a conversation are stored.
pub fn participants_key(participants: &[AccountNo]) -> String {
    participants.iter().map(AccountNo::to_string).collect::<Vec<_>>().join(",")
}

/// Returns those of these crews and conversations that exist.
async fn channels(
    connection: &mut PgConnection,
    targets: &[ChannelTarget],
) -> Result<HashMap<ChannelTarget, MessageChannel>> {
    let mut crew_ids = Vec::new();
    let mut participants = Vec::new();
    for target in targets {
        match target {
            ChannelTarget::Crew(id) => crew_ids.push(id.clone()),
            ChannelTarget::Participants(numbers) => participants.push(participants_key(numbers)),
        }
    }
    if targets.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query!(
        r#"select c.no as "no!", c.id as "id!: Arc<str>", c.participants, w.visibility as "visibility?",
                  w.archived_at is not null as "is_archived!", w.hidden as "is_hidden?",
                  w.shadow as "is_shadow?", w.owner as "owner?: AccountNo"
           from channel c left join crew w on w.channel = c.no
           where c.id = any($1) and c.kind = 'crew' or c.participants = any($2)"#,
        &crew_ids,
        &participants
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut members = members_of(connection, &column(&rows, |row| row.no)).await?;
    let channels = rows.into_iter().filter_map(|row| {
        let crew = row.visibility.map(|visibility| CrewState {
            is_open: visibility == "open",
            is_archived: row.is_archived,
            is_hidden: row.is_hidden.unwrap_or_default(),
            shadow_owner: row.owner.filter(|_| row.is_shadow.unwrap_or_default()),
        });
        let target = match row.participants {
            Some(key) => ChannelTarget::Participants(
                key.split(',')
                    .map(|number| number.parse().map(AccountNo))
                    .collect::<std::result::Result<_, _>>()
                    .ok()?,
            ),
            None => ChannelTarget::Crew(row.id.to_string()),
        };
        Some((
            target,
            MessageChannel { id: row.id, crew, members: members.remove(&row.no).unwrap_or_default() },
        ))
    });
    Ok(channels.collect())
}

/// Returns the numbers of the members of channels, in ascending order.
async fn members_of(connection: &mut PgConnection, channels: &[i64]) -> Result<HashMap<i64, Vec<AccountNo>>> {
    let rows = sqlx::query!(
        r#"select channel, account as "account: AccountNo"
           from channel_member where channel = any($1) order by channel, account"#,
        channels
    )
    .fetch_all(connection)
    .await?;
    let mut members: HashMap<i64, Vec<AccountNo>> = HashMap::new();
    for row in rows {
        members.entry(row.channel).or_default().push(row.account);
    }
    Ok(members)
}

/// Returns the pairs of sender and recipient of whom the recipient refuses the sender. People are never
/// written to first.
pub async fn contact_refusals(
    connection: &mut PgConnection,
    contacts: &[(AccountNo, AccountNo)],
) -> Result<HashSet<(AccountNo, AccountNo)>> {
    if contacts.is_empty() {
        return Ok(HashSet::new());
    }
    let rows = sqlx::query!(
        r#"select p.sender as "sender!: AccountNo", r.no as "recipient: AccountNo"
           from unnest($1::bigint[], $2::bigint[]) as p (sender, recipient) join agent r on r.no = p.recipient
           where exists (select from agent_block b where b.account = r.no and b.blocked = p.sender)
              or r.contact = 'closed'
              or (r.contact = 'acquainted' or r.kind = 'viewer')
                 and not exists (select from acquaintance k where k.account = r.no and k.knows = p.sender)
                 and not exists (select from channel_member mine
                                     join channel_member theirs using (channel)
                                     join crew on crew.channel = mine.channel
                                 where mine.account = r.no and theirs.account = p.sender
                                   and not crew.hidden and not crew.shadow)"#,
        &column(contacts, |(sender, _)| *sender) as _,
        &column(contacts, |(_, recipient)| *recipient) as _
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.sender, row.recipient)).collect())
}

async fn messages(
    connection: &mut PgConnection,
    ids: &[String],
    now: DateTime<Utc>,
) -> Result<HashMap<String, StoredPrivateMessage>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query!(
        r#"select p.id, c.id as "channel_id: Arc<str>", p.author as "author: AccountNo", p.shadow,
                  p.hidden or p.deleted_at is not null as "is_gone!",
                  p.deleted_at is not null as "is_deleted!", p.ask_to as "ask_to: AccountNo", p.ask_by,
                  p.ask_state, p.ask_shadow_state, p.sent_at
           from private_message p join channel c on c.no = p.channel where p.id = any($1)"#,
        ids
    )
    .fetch_all(connection)
    .await?;
    let messages = rows.into_iter().map(|row| {
        let ask = row.ask_to.zip(row.ask_by).map(|(to, by)| {
            let state = AskState::from_stored(row.ask_state.as_deref().unwrap_or_default(), by, now);
            let shadow_state =
                row.ask_shadow_state.as_deref().map(|state| AskState::from_stored(state, by, now));
            StoredAsk { to, by, asked_at: row.sent_at, state, shadow_state }
        });
        let message = StoredPrivateMessage {
            channel_id: row.channel_id,
            author: row.author,
            sent_at: row.sent_at,
            is_gone: row.is_gone,
            is_deleted: row.is_deleted,
            is_shadow: row.shadow,
            ask,
        };
        (row.id, message)
    });
    Ok(messages.collect())
}

async fn importance_uses(
    connection: &mut PgConnection,
    authors: &[AccountNo],
    now: DateTime<Utc>,
) -> Result<HashMap<(AccountNo, Importance), Vec<DateTime<Utc>>>> {
    let mut uses: HashMap<(AccountNo, Importance), Vec<DateTime<Utc>>> = HashMap::new();
    if authors.is_empty() {
        return Ok(uses);
    }
    let rows = sqlx::query!(
        r#"select account as "account: AccountNo", importance, at
           from importance_use where account = any($1) and at > $2"#,
        authors as _,
        now - IMPORTANCE_PERIOD
    )
    .fetch_all(connection)
    .await?;
    for row in rows {
        uses.entry((row.account, Importance::from_stored(&row.importance))).or_default().push(row.at);
    }
    Ok(uses)
}
