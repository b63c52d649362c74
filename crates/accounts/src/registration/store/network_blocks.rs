//! The SQL of blocked networks.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgExecutor, PgPool};

use super::Result;
use crate::registration::{AccountNetwork, NetworkBlock};

/// A block to be stored.
pub(in crate::registration) struct NewBlockRow<'a> {
    /// The id, unless the network has a block already.
    pub id: &'a str,
    /// The keyed hash of the network.
    pub network: &'a [u8],
    /// `None` for no end.
    pub until: Option<DateTime<Utc>>,
    pub reason: &'a str,
    /// The name of the operator who imposes it.
    pub operator: &'a str,
    pub now: DateTime<Utc>,
}

/// The network that an account was registered from.
pub(in crate::registration) struct NetworkRow {
    /// Its keyed hash; `None` if it is not known.
    pub registered_network: Option<Vec<u8>>,
}

/// The end of a block that is in force.
pub(in crate::registration) struct BlockEndRow {
    /// `None` if it has no end.
    pub until: Option<DateTime<Utc>>,
}

/// Returns the network of the account with this id. `None` if there is no such account.
pub(in crate::registration) async fn find_network(
    connection: &mut PgConnection,
    account: &str,
) -> Result<Option<NetworkRow>> {
    let statement = sqlx::query_as!(
        NetworkRow,
        "select registered_network from agent where id = $1 and kind <> 'operator'",
        account
    );
    statement.fetch_optional(connection).await
}

/// Inserts a block, or replaces the one that the network has. Returns its id.
pub(in crate::registration) async fn save(
    connection: &mut PgConnection,
    row: &NewBlockRow<'_>,
) -> Result<String> {
    let statement = sqlx::query_scalar!(
        r#"insert into network_block (id, network, until, reason, operator, created_at)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (network) where ended_at is null
           do update set until = $3, reason = $4, operator = $5, created_at = $6
           returning id"#,
        row.id,
        row.network,
        row.until,
        row.reason,
        row.operator,
        row.now
    );
    statement.fetch_one(connection).await
}

/// Ends the block with this id. Returns false if there is none, or if an operator has ended it already.
pub(in crate::registration) async fn end(
    connection: &mut PgConnection,
    id: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let statement =
        sqlx::query!("update network_block set ended_at = $2 where id = $1 and ended_at is null", id, now);
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// Returns the blocks that are in force, newest first.
pub(in crate::registration) async fn list(pool: &PgPool, now: DateTime<Utc>) -> Result<Vec<NetworkBlock>> {
    let statement = sqlx::query_as!(
        NetworkBlock,
        r#"select b.id, encode(substring(b.network from 1 for 6), 'hex') as "network!",
                  (select count(*) from agent a where a.registered_network = b.network) as "accounts!",
                  (select count(*) from agent a
                   where a.registered_network = b.network and a.banned_until > $1) as "banned!",
                  b.until, b.reason, b.operator, b.created_at
           from network_block b where b.ended_at is null and (b.until is null or b.until > $1)
           order by b.created_at desc, b.id"#,
        now
    );
    statement.fetch_all(pool).await
}

/// Returns the network that an account was registered from. `None` if it is not known.
pub(in crate::registration) async fn find_account_network(
    pool: &PgPool,
    account: AccountNo,
    now: DateTime<Utc>,
) -> Result<Option<AccountNetwork>> {
    let statement = sqlx::query_as!(
        AccountNetwork,
        r#"select encode(substring(a.registered_network from 1 for 6), 'hex') as "label!",
                  (select count(*) from agent o where o.registered_network = a.registered_network)
                      as "accounts!",
                  (select count(*) from agent o
                   where o.registered_network = a.registered_network and o.banned_until > $2) as "banned!",
                  b.id as "block_id?", b.until as "blocked_until?"
           from agent a left join network_block b on b.network = a.registered_network
               and b.ended_at is null and (b.until is null or b.until > $2)
           where a.no = $1 and a.registered_network is not null"#,
        account as _,
        now
    );
    statement.fetch_optional(pool).await
}

/// Returns the end of the block of a network. `None` if the network is not blocked.
pub(in crate::registration) async fn find_end(
    database: impl PgExecutor<'_>,
    network: &[u8],
    now: DateTime<Utc>,
) -> Result<Option<BlockEndRow>> {
    let statement = sqlx::query_as!(
        BlockEndRow,
        r#"select until from network_block
           where network = $1 and ended_at is null and (until is null or until > $2)"#,
        network,
        now
    );
    statement.fetch_optional(database).await
}
