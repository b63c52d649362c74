//! The SQL of the operators' list of crews.

use sqlx::PgPool;

use super::Result;
use crate::ReviewedCrew;

/// Returns the crews with numbers below `before` whose name matches and that are in a state: `open`,
/// `invite`, `archived`, `hidden` or `shadowed`. The one that was created last is first.
pub async fn list(
    pool: &PgPool,
    name_pattern: Option<&str>,
    state: Option<&str>,
    before: i64,
    limit: i64,
) -> Result<Vec<ReviewedCrew>> {
    let statement = sqlx::query_as!(
        ReviewedCrew,
        r#"select c.channel as no, ch.id, c.name, c.description, c.visibility = 'open' as "is_open!",
                  a.id as owner_id, a.name as owner_name,
                  (select count(*) from channel_member m where m.channel = c.channel) as "members!",
                  ch.created_at, c.archived_at, c.hidden as is_hidden, c.shadow as is_shadow
           from crew c join channel ch on ch.no = c.channel join agent a on a.no = c.owner
           where c.channel < $1 and ($3::text is null or c.name ilike $3)
             and case $4::text when 'open' then c.visibility = 'open'
                     when 'invite' then c.visibility = 'invite'
                     when 'archived' then c.archived_at is not null when 'hidden' then c.hidden
                     when 'shadowed' then c.shadow else true end
           order by c.channel desc limit $2"#,
        before,
        limit,
        name_pattern,
        state
    );
    statement.fetch_all(pool).await
}
