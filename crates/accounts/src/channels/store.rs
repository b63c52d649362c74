//! The SQL of channels. The head must be locked, unless it is only a first look.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use platform::database::column;
use rules::audience::Audience;
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::{ChannelTarget, CrewState, MessageChannel};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Returns the form in which the participants of a conversation are stored.
fn participants_key(participants: &[AccountNo]) -> String {
    participants.iter().map(AccountNo::to_string).collect::<Vec<_>>().join(",")
}

/// Returns those of these crews and conversations that exist.
pub(super) async fn channels(
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
        let crew = row.visibility.zip(row.owner).map(|(visibility, owner)| CrewState {
            is_open: visibility == "open",
            is_archived: row.is_archived,
            is_hidden: row.is_hidden.unwrap_or_default(),
            audience: Audience::from_stored(row.is_shadow.unwrap_or_default(), owner),
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

/// Inserts conversations with their participants.
pub(super) async fn insert_conversations(
    connection: &mut PgConnection,
    conversations: &[(Arc<str>, Vec<AccountNo>)],
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"with new as (
               insert into channel (id, kind, participants, created_at)
               select c.id, 'direct', c.participants, $3
               from unnest($1::text[], $2::text[]) as c (id, participants)
               returning no, participants
           )
           insert into channel_member (channel, account, role, joined_at)
           select new.no, account::bigint, 'participant', $3
           from new, unnest(string_to_array(new.participants, ',')) as account"#,
        &column(conversations, |(id, _)| id.to_string()),
        &column(conversations, |(_, participants)| participants_key(participants)),
        now
    );
    statement.execute(connection).await.map(|_| ())
}
