//! The SQL of what accounts see otherwise than everyone else: their own reactions and changes of their own
//! intents.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use platform::database::column;
use rules::intent::IntentDetails;
use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::Result;
use super::messages::{intent_details, reactions, regions_to_array};
use super::own_texts::own_texts;
use crate::changes::last_of_each;
use crate::shadow::changes::{ShadowChanges, ShadowIntentChange, ShadowReactionChange};
use crate::shadow::view::{ShadowReaction, ShadowView, count_reactions_seen};

/// Writes the changes of reactions and intents that only their authors see: the last change of each.
pub(super) async fn record_shadow_views(
    connection: &mut PgConnection,
    changes: &ShadowChanges,
) -> Result<()> {
    if !changes.reactions.is_empty() {
        record_reactions(connection, &changes.reactions).await?;
    }
    if !changes.ended_views.is_empty() {
        sqlx::query!("delete from shadow_intent where message_id = any($1)", &changes.ended_views)
            .execute(&mut *connection)
            .await?;
    }
    if !changes.withdrawn_views.is_empty() {
        sqlx::query!(
            "update shadow_intent set intent_state = 'withdrawn', regions = null where message_id = any($1)",
            &changes.withdrawn_views
        )
        .execute(&mut *connection)
        .await?;
    }
    if changes.intents.is_empty() { Ok(()) } else { record_intents(connection, &changes.intents).await }
}

async fn record_reactions(connection: &mut PgConnection, changes: &[ShadowReactionChange]) -> Result<()> {
    let rows = last_of_each(changes, |change| (change.agent, &change.message_id, &change.emoji));
    let ids = column(&rows, |change| change.message_id.clone());
    let agents = column(&rows, |change| change.agent);
    let emojis = column(&rows, |change| change.emoji.clone());
    sqlx::query!(
        r#"delete from shadow_reaction r
           using unnest($1::text[], $2::bigint[], $3::text[]) as c (message_id, agent, emoji)
           where r.message_id = c.message_id and r.agent = c.agent and r.emoji = c.emoji"#,
        &ids,
        &agents as _,
        &emojis
    )
    .execute(&mut *connection)
    .await?;
    let statement = sqlx::query!(
        r#"insert into shadow_reaction (message_id, agent, emoji, added, after_seq)
           select c.message_id, c.agent, c.emoji, c.added, c.after_seq
           from unnest($1::text[], $2::bigint[], $3::text[], $4::boolean[], $5::bigint[]) with ordinality
                as c (message_id, agent, emoji, added, after_seq, place)
           where c.added is not null order by c.place"#,
        &ids,
        &agents as _,
        &emojis,
        &column(&rows, |change| change.added) as &[Option<bool>],
        &column(&rows, |change| change.after_seq) as _
    );
    statement.execute(connection).await.map(|_| ())
}

async fn record_intents(connection: &mut PgConnection, changes: &[ShadowIntentChange]) -> Result<()> {
    let rows = last_of_each(changes, |change| &change.message_id);
    let statement = sqlx::query!(
        r#"with changes as (
               select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[],
                                    $6::boolean[])
                   as c (id, agent, state, regions, expires_at, is_shadow)
           ), shadow as (
               update shadow_message set intent_state = c.state, regions = c.regions::integer[],
                   intent_expires_at = c.expires_at
               from changes c where c.is_shadow and shadow_message.id = c.id
           )
           insert into shadow_intent (message_id, agent, intent_state, regions, intent_expires_at)
           select c.id, c.agent, c.state, c.regions::integer[], c.expires_at
           from changes c where not c.is_shadow
           on conflict (message_id) do update set intent_state = excluded.intent_state,
               regions = excluded.regions, intent_expires_at = excluded.intent_expires_at"#,
        &column(&rows, |change| change.message_id.clone()),
        &column(&rows, |change| change.author) as _,
        &column(&rows, |change| change.details.state.name().to_owned()),
        &column(&rows, |change| regions_to_array(&change.details)) as &[Option<String>],
        &column(&rows, |change| change.details.expires_at),
        &column(&rows, |change| !change.audience.is_everyone())
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the reactions to these messages that their authors see otherwise than everyone else.
pub async fn shadow_reactions(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<HashMap<String, Vec<ShadowReaction>>> {
    let mut by_message: HashMap<String, Vec<ShadowReaction>> = HashMap::new();
    if ids.is_empty() {
        return Ok(by_message);
    }
    let statement = sqlx::query!(
        r#"select message_id, agent as "agent: AccountNo", emoji, added, after_seq as "after_seq: Seq"
           from shadow_reaction where message_id = any($1)
           order by no"#,
        ids
    );
    for row in statement.fetch_all(connection).await? {
        by_message.entry(row.message_id).or_default().push(ShadowReaction {
            agent: row.agent,
            emoji: row.emoji,
            added: row.added,
            after_seq: row.after_seq,
        });
    }
    Ok(by_message)
}

struct ShadowIntentRow {
    message_id: String,
    intent_state: String,
    regions: Option<Vec<i32>>,
    intent_expires_at: DateTime<Utc>,
}

impl ShadowIntentRow {
    fn into_details(self) -> Option<(String, IntentDetails)> {
        let expires_at = Some(self.intent_expires_at);
        let details = intent_details(Some(&self.intent_state), expires_at, self.regions.as_deref())?;
        Some((self.message_id, details))
    }
}

/// Returns the details of these public intents as their authors see them; only those of `author` if it is
/// given. Intents that everyone sees with the same details are left out.
pub async fn shadow_intents(
    connection: &mut PgConnection,
    ids: &[String],
    author: Option<AccountNo>,
) -> Result<HashMap<String, IntentDetails>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = sqlx::query_as!(
        ShadowIntentRow,
        r#"select message_id, intent_state, regions, intent_expires_at from shadow_intent
           where message_id = any($1) and ($2::bigint is null or agent = $2)"#,
        ids,
        author as _
    );
    Ok(statement.fetch_all(connection).await?.into_iter().filter_map(ShadowIntentRow::into_details).collect())
}

/// Returns how an account sees all its public intents that it sees otherwise than everyone else, as far as
/// they end after a time.
pub async fn shadow_intents_of(
    connection: &mut PgConnection,
    author: AccountNo,
    after: DateTime<Utc>,
) -> Result<HashMap<String, IntentDetails>> {
    let statement = sqlx::query_as!(
        ShadowIntentRow,
        r#"select message_id, intent_state, regions, intent_expires_at from shadow_intent
           where agent = $1 and intent_expires_at > $2"#,
        author as _,
        after
    );
    Ok(statement.fetch_all(connection).await?.into_iter().filter_map(ShadowIntentRow::into_details).collect())
}

/// Returns what an account sees otherwise than everyone else of these messages.
pub async fn shadow_view(
    connection: &mut PgConnection,
    account: AccountNo,
    ids: &[String],
) -> Result<ShadowView> {
    let mut own = shadow_reactions(connection, ids).await?;
    own.retain(|_, given| given.iter().any(|reaction| reaction.agent == account));
    let reacted: Vec<String> = own.keys().cloned().collect();
    let public = reactions(connection, &reacted).await?;
    let intents = shadow_intents(connection, ids, Some(account)).await?;
    let texts = own_texts(connection, ids, Some(account)).await?;
    let seen = reacted.into_iter().map(|id| {
        let counts = count_reactions_seen(account, &public, &own, &id);
        (id, counts)
    });
    Ok(ShadowView { reactions: seen.collect(), intents, texts })
}
