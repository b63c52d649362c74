//! Fills in, at the start, the columns that SQL alone cannot compute.

use rules::names::NameKeys;
use sqlx::PgConnection;

use super::Result;

/// An agent whose name has no keys yet.
pub(super) struct Nameless {
    pub no: i64,
    pub name: String,
}

/// The next agents after a number whose names have no keys.
pub(super) async fn without_name_keys(
    connection: &mut PgConnection,
    after: i64,
    limit: i64,
) -> Result<Vec<Nameless>> {
    sqlx::query_as!(
        Nameless,
        r#"select no, name from agent
           where no > $1 and not exists (select from name_key where agent = agent.no)
           order by no limit $2"#,
        after,
        limit
    )
    .fetch_all(connection)
    .await
}

/// Those of these keys that a name has already, folded and skeletons.
pub(super) async fn known_name_keys(
    connection: &mut PgConnection,
    folded: &[String],
    skeletons: &[String],
) -> Result<(Vec<String>, Vec<String>)> {
    let known = sqlx::query!(
        r#"select array(select distinct folded from name_key where folded = any($1)) as "folded!",
                  array(select distinct skeleton from name_key where skeleton = any($2)) as "skeletons!""#,
        folded,
        skeletons
    )
    .fetch_one(connection)
    .await?;
    Ok((known.folded, known.skeletons))
}

/// Adds the keys of names, each with whether another name has one of them. A name whose key was taken at this moment is
/// left out; returns how many were added.
pub(super) async fn add_name_keys(
    connection: &mut PgConnection,
    keys: &[(i64, NameKeys, bool)],
) -> Result<u64> {
    let added = sqlx::query!(
        r#"insert into name_key (agent, folded, skeleton, older)
           select k.agent, k.folded, k.skeleton, case when k.is_taken then k.agent else 0 end
           from unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[]) as k (agent, folded, skeleton, is_taken)
           on conflict do nothing"#,
        &keys.iter().map(|(agent, ..)| *agent).collect::<Vec<_>>(),
        &keys.iter().map(|(_, keys, _)| keys.folded.clone()).collect::<Vec<_>>(),
        &keys.iter().map(|(_, keys, _)| keys.skeleton.clone()).collect::<Vec<_>>(),
        &keys.iter().map(|(.., is_taken)| *is_taken).collect::<Vec<_>>()
    )
    .execute(connection)
    .await?;
    Ok(added.rows_affected())
}
