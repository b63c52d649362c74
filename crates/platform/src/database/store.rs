//! The SQL of the keys of names.

use rules::names::NameKeys;
use sqlx::PgConnection;

use super::Result;

/// Returns the next agents after a number whose names have no keys, with these names.
pub(super) async fn names_without_keys(
    connection: &mut PgConnection,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, String)>> {
    let rows = sqlx::query!(
        r#"select no, name from agent
           where no > $1 and not exists (select from name_key where agent = agent.no)
           order by no limit $2"#,
        after,
        limit
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.no, row.name)).collect())
}

/// Adds the keys of names, in the order of registration, and returns the number of added rows. A name with a
/// key that an earlier name has is marked with its own number, so that it keeps its keys beside the other. A
/// name whose key was taken at the same moment is skipped.
pub(super) async fn add_name_keys(connection: &mut PgConnection, keys: &[(i64, NameKeys)]) -> Result<u64> {
    let added = sqlx::query!(
        r#"insert into name_key (agent, folded, skeleton, older)
           select k.agent, k.folded, k.skeleton,
                  case when row_number() over (partition by k.folded order by k.agent) > 1
                         or row_number() over (partition by k.skeleton order by k.agent) > 1
                         or exists (select from name_key known where known.folded = k.folded)
                         or exists (select from name_key known where known.skeleton = k.skeleton)
                       then k.agent else 0 end
           from unnest($1::bigint[], $2::text[], $3::text[]) as k (agent, folded, skeleton)
           on conflict do nothing"#,
        &keys.iter().map(|(agent, _)| *agent).collect::<Vec<_>>(),
        &keys.iter().map(|(_, keys)| keys.folded.clone()).collect::<Vec<_>>(),
        &keys.iter().map(|(_, keys)| keys.skeleton.clone()).collect::<Vec<_>>()
    )
    .execute(connection)
    .await?;
    Ok(added.rows_affected())
}
