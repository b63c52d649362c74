//! The SQL that reads accounts for a batch.

use std::sync::Arc;

use rules::numbers::{AccountNo, Seq};
use rules::rights::{Rights, StoredRights};
use sqlx::PgConnection;

use super::{Result, column};
use crate::batch_context::Account;
use crate::control::AccountIdAndName;

/// Returns the accounts of these agents.
pub async fn accounts(connection: &mut PgConnection, agents: &[AccountNo]) -> Result<Vec<Account>> {
    if agents.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sqlx::query!(
        r#"select no as "no: AccountNo", id as "id: Arc<str>", name as "name: Arc<str>", key_generation,
                  charges_full_at, reactions_full_at, chat_credits, pixels_placed, messages_sent,
                  last_placement as "last_placement: Seq", next_message_at, last_message, free_intents,
                  private_messages_sent, next_whisper_at, kind, banned_until, ban_reason, muted_until,
                  mute_reason, shadowed, pass_until, pass_seconds, badge,
                  exists (select from waiting_agent w where w.account = agent.no) as "awaits_approval!",
                  array(select k.no from agent_key k where k.agent = agent.no and k.revoked_at is null)
                      as "extra_keys!: Vec<i64>"
           from agent where no = any($1)"#,
        agents as _
    );
    let accounts = statement.fetch_all(connection).await?.into_iter().map(|row| Account {
        no: row.no,
        id: row.id,
        name: row.name,
        key_generation: row.key_generation,
        extra_keys: row.extra_keys,
        rights: Rights::from(StoredRights {
            kind: row.kind,
            banned_until: row.banned_until,
            ban_reason: row.ban_reason,
            muted_until: row.muted_until,
            mute_reason: row.mute_reason,
            shadowed: row.shadowed,
            awaits_approval: row.awaits_approval,
            pass_until: row.pass_until,
            pass_seconds: row.pass_seconds,
            badge: row.badge,
        }),
        charges_full_at: row.charges_full_at,
        reactions_full_at: row.reactions_full_at,
        chat_credits: row.chat_credits,
        pixels_placed: row.pixels_placed,
        messages_sent: row.messages_sent,
        private_messages_sent: row.private_messages_sent,
        last_placement: row.last_placement,
        next_message_at: row.next_message_at,
        next_whisper_at: row.next_whisper_at,
        last_message: row.last_message,
        free_intents: row.free_intents,
    });
    Ok(accounts.collect())
}

/// Returns the ids and names of these agents.
pub async fn agent_names(
    connection: &mut PgConnection,
    agents: &[AccountNo],
) -> Result<Vec<AccountIdAndName>> {
    if agents.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sqlx::query!(
        r#"select id as "id: Arc<str>", name as "name: Arc<str>" from agent where no = any($1)"#,
        agents as _
    );
    Ok(statement.fetch_all(connection).await?.into_iter().map(|row| (row.id, row.name)).collect())
}

/// Updates the columns that placements do not change.
pub(super) async fn update_accounts(connection: &mut PgConnection, accounts: &[&Account]) -> Result<()> {
    let statement = sqlx::query!(
        r#"update agent set reactions_full_at = s.reactions_full_at, messages_sent = s.messages_sent,
               next_message_at = s.next_message_at, last_message = s.last_message,
               free_intents = s.free_intents, private_messages_sent = s.private_messages_sent,
               next_whisper_at = s.next_whisper_at
           from unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::timestamptz[], $5::bytea[],
                       $6::integer[], $7::bigint[], $8::timestamptz[])
                as s (no, reactions_full_at, messages_sent, next_message_at, last_message, free_intents,
                      private_messages_sent, next_whisper_at)
           where agent.no = s.no"#,
        &column(accounts, |account| account.no) as _,
        &column(accounts, |account| account.reactions_full_at),
        &column(accounts, |account| account.messages_sent),
        &column(accounts, |account| account.next_message_at),
        &column(accounts, |account| account.last_message.clone()) as &[Option<Vec<u8>>],
        &column(accounts, |account| account.free_intents),
        &column(accounts, |account| account.private_messages_sent),
        &column(accounts, |account| account.next_whisper_at)
    );
    statement.execute(connection).await.map(|_| ())
}
