//! The SQL of what operators see of the author of a case.

use rules::numbers::AccountNo;
use sqlx::PgPool;

use super::Result;
use crate::reports::case::ReportCase;

/// Returns other upheld cases that count against the author of a case, newest first.
pub async fn list_upheld(
    pool: &PgPool,
    author: AccountNo,
    except: i64,
    limit: i64,
) -> Result<Vec<ReportCase>> {
    let statement = sqlx::query_as!(
        ReportCase,
        r#"select c.id, c.kind, c.target, a.id as "author_id?", a.name as "author_name?", c.counts,
                  c.opened_at, (select count(*) from report where case_no = c.no) as "reports!",
                  (select count(*) from upheld_case earlier
                   where earlier.account = c.author and earlier.case_no <> c.no) as "author_upheld!",
                  c.closed_at, c.closed_by, c.outcome, c.answer
           from upheld_case u join report_case c on c.no = u.case_no left join agent a on a.no = c.author
           where u.account = $1 and c.no <> $2 order by c.no desc limit $3"#,
        author as _,
        except,
        limit
    );
    statement.fetch_all(pool).await
}

/// Returns the ids of the messages of an author about which a case is open.
pub async fn reported_message_ids(pool: &PgPool, author: AccountNo) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        "select target from report_case where author = $1 and kind = 'message' and closed_at is null",
        author as _
    );
    statement.fetch_all(pool).await
}
