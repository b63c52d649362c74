//! The SQL of the check of corrections.

use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::Result;

/// Returns the numbers of the placements with links that corrections may not have. A correction is a
/// placement of the operators' account; it restores an earlier placement of the same colour on the same
/// pixel, by the agent that it names.
pub(in crate::rollback) async fn wrong_corrections(connection: &mut PgConnection) -> Result<Vec<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"select c.seq as "seq: Seq" from placement c left join placement o on o.seq = c.restores
           where (c.restores is not null or c.restored_agent is not null)
             and (c.agent <> $1 or o.seq is null or o.seq >= c.seq
                  or (o.x, o.y, o.color, o.agent) is distinct from (c.x, c.y, c.color, c.restored_agent))
           order by c.seq"#,
        AccountNo::OPERATOR as _
    );
    statement.fetch_all(connection).await
}
