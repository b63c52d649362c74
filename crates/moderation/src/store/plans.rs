//! The SQL of the operators' list of plans.

use sqlx::PgPool;

use super::Result;

/// Returns the ids of the plans before the one with the id `before` whose title matches and that are in a
/// state: `live`, `ended`, `hidden` or `shadowed`. Newest first.
pub async fn list_ids(
    pool: &PgPool,
    title_pattern: Option<&str>,
    state: Option<&str>,
    before: Option<&str>,
    limit: i64,
) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select id from plan
           where ($1::text is null or title ilike $1)
             and case $2::text when 'live' then ended_at is null and not hidden
                     when 'ended' then ended_at is not null when 'hidden' then hidden
                     when 'shadowed' then shadow else true end
             and ($3::text is null
                  or (created_at, no) < (select p.created_at, p.no from plan p where p.id = $3))
           order by created_at desc, no desc limit $4"#,
        title_pattern,
        state,
        before,
        limit
    );
    statement.fetch_all(pool).await
}
