//! The SQL of texts that their authors have changed or deleted.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use rules::micros;
use serde::Serialize;
use sqlx::PgConnection;
use utoipa::ToSchema;

use super::own_texts::record_own_texts;
use super::{Result, notices};
use crate::changes::{ChangedText, TextChange};

/// A text that a message had before its author changed or deleted it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EarlierText {
    pub content: String,
    /// The time from which the message had this text.
    #[serde(serialize_with = "micros::serialize")]
    pub since: DateTime<Utc>,
    /// The time at which its author changed or deleted it.
    #[serde(serialize_with = "micros::serialize")]
    pub until: DateTime<Utc>,
}

/// Returns the current texts of messages, by their ids, and whether they are hidden. Those without a text are
/// missing.
pub(super) async fn current_texts(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<HashMap<String, (Option<String>, bool)>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = sqlx::query!(
        "select id, content, hidden from chat_message where id = any($1) and deleted_at is null",
        ids
    );
    Ok(statement
        .fetch_all(connection)
        .await?
        .into_iter()
        .map(|row| (row.id, (Some(row.content), row.hidden)))
        .collect())
}

/// Returns those of these messages that their authors have deleted.
pub async fn deleted_messages(connection: &mut PgConnection, ids: &[String]) -> Result<HashSet<String>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let statement = sqlx::query_scalar!("select id from event where kind = 'deleted' and id = any($1)", ids);
    Ok(statement.fetch_all(connection).await?.into_iter().collect())
}

/// Returns the earlier texts of these messages, by their ids, oldest first.
pub async fn earlier_texts(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<HashMap<String, Vec<EarlierText>>> {
    let rows = sqlx::query!(
        r#"select coalesce(message_id, shadow_message_id) as "id!", content, since, until from earlier_text
           where message_id = any($1) or shadow_message_id = any($1) order by no"#,
        ids
    )
    .fetch_all(connection)
    .await?;
    let mut texts_by_id: HashMap<String, Vec<EarlierText>> = HashMap::new();
    for row in rows {
        let content = row.content;
        let since = row.since;
        let until = row.until;
        texts_by_id.entry(row.id).or_default().push(EarlierText { content, since, until });
    }
    Ok(texts_by_id)
}

/// Stores changed texts, and keeps the earlier ones for operators. A deleted message keeps its row. A trigger
/// ends the text that only the author sees when the one that everyone sees changes. The head must be locked.
pub(super) async fn record_text_changes(
    connection: &mut PgConnection,
    changes: &[TextChange],
    now: DateTime<Utc>,
) -> Result<()> {
    for round in split_by_message(changes) {
        let of_text = |text: ChangedText| {
            round.iter().copied().filter(|change| change.text == text).collect::<Vec<_>>()
        };
        update_messages(connection, &of_text(ChangedText::Public), now).await?;
        record_own_texts(connection, &of_text(ChangedText::OwnText), now).await?;
        update_shadow_messages(connection, &of_text(ChangedText::ShadowMessage), now).await?;
    }
    let deleted =
        changes.iter().filter(|change| change.content.is_none() && change.text == ChangedText::Public);
    let deleted: Vec<String> = deleted.map(|change| change.message_id.clone()).collect();
    if deleted.is_empty() { Ok(()) } else { notices::recount_for_messages(connection, &deleted).await }
}

/// Splits changes so that each part has at most one change of a message, because a statement writes a row
/// once. The changes of one message stay in order; almost always there is one part.
fn split_by_message(changes: &[TextChange]) -> Vec<Vec<&TextChange>> {
    let mut rounds: Vec<Vec<&TextChange>> = Vec::new();
    let mut round_of: HashMap<&str, usize> = HashMap::new();
    for change in changes {
        let round = round_of.entry(&change.message_id).or_default();
        if rounds.len() == *round {
            rounds.push(Vec::new());
        }
        rounds[*round].push(change);
        *round += 1;
    }
    rounds
}

/// Returns the ids and the new texts of changes; a deletion has none.
fn columns(changes: &[&TextChange]) -> (Vec<String>, Vec<Option<String>>) {
    changes.iter().map(|change| (change.message_id.clone(), change.content.clone())).unzip()
}

async fn update_messages(
    connection: &mut PgConnection,
    changes: &[&TextChange],
    now: DateTime<Utc>,
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let (ids, contents) = columns(changes);
    let statement = sqlx::query!(
        r#"with change as (
               select id, content from unnest($1::text[], $2::text[]) as c (id, content)
           ), earlier as (
               insert into earlier_text (message_id, content, since, until)
               select m.id, m.content, coalesce(m.edited_at, m.sent_at), $3
               from chat_message m join change on change.id = m.id
           )
           update chat_message m set content = coalesce(change.content, ''),
               edited_at = case when change.content is null then m.edited_at else $3 end,
               deleted_at = case when change.content is null then $3 end,
               hidden = m.hidden or change.content is null, folded = m.folded and change.content is not null
           from change where m.id = change.id"#,
        &ids,
        &contents as &[Option<String>],
        now
    );
    statement.execute(connection).await.map(|_| ())
}

async fn update_shadow_messages(
    connection: &mut PgConnection,
    changes: &[&TextChange],
    now: DateTime<Utc>,
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let (ids, contents) = columns(changes);
    let statement = sqlx::query!(
        r#"with change as (
               select id, content from unnest($1::text[], $2::text[]) as c (id, content)
           ), earlier as (
               insert into earlier_text (shadow_message_id, content, since, until)
               select m.id, m.content, coalesce(m.edited_at, m.sent_at), $3
               from shadow_message m join change on change.id = m.id
           )
           update shadow_message m set content = coalesce(change.content, ''),
               edited_at = case when change.content is null then m.edited_at else $3 end,
               deleted_at = case when change.content is null then $3 end
           from change where m.id = change.id"#,
        &ids,
        &contents as &[Option<String>],
        now
    );
    statement.execute(connection).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use rules::numbers::{AccountNo, Seq};

    use super::*;

    #[test]
    fn changes_of_one_message_stay_in_order() {
        let change = |id: &str, seq| TextChange {
            message_id: id.to_owned(),
            seq: Seq(seq),
            text: ChangedText::Public,
            author: AccountNo(1),
            content: None,
        };
        let changes = [change("a", 1), change("b", 2), change("a", 3), change("c", 4), change("a", 5)];
        let rounds = split_by_message(&changes).into_iter();
        let seqs = rounds.map(|round| round.iter().map(|change| change.seq.0).collect::<Vec<_>>());
        assert_eq!(seqs.collect::<Vec<_>>(), [vec![1, 2, 4], vec![3], vec![5]]);
    }
}
