//! The SQL of the order in which operators go through open cases.

use sqlx::PgPool;

use super::Result;
use crate::reports::case::QueueNeighbours;

/// Returns the open cases beside the case with this id; `None` if there is no such case.
pub async fn find_neighbours(pool: &PgPool, id: &str) -> Result<Option<QueueNeighbours>> {
    let statement = sqlx::query_as!(
        QueueNeighbours,
        r#"select (select other.id from report_case other
                   where other.closed_at is null and other.no < c.no order by other.no desc limit 1) as next,
                  (select other.id from report_case other
                   where other.closed_at is null and other.no > c.no order by other.no limit 1) as previous
           from report_case c where c.id = $1"#,
        id
    );
    statement.fetch_optional(pool).await
}
