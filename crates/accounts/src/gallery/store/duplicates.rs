//! The SQL of subscriptions that the same buyer has bought twice.

use chrono::{DateTime, Utc};
use rules::gallery_pass::PassSubscription;
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::Result;
use super::payments::SubscriptionRow;

/// A subscription of which it is not decided whether it was bought twice.
pub struct UndecidedSubscription {
    pub id: String,
    /// The Checkout that began it.
    pub checkout: String,
}

/// A subscription that was bought twice.
pub struct DuplicateRow {
    /// The Checkout of the accepted subscription.
    pub original_checkout: String,
    /// The viewer who has its pass.
    pub viewer: AccountNo,
}

/// Lists the undecided subscriptions of a customer in the order in which their Checkouts began.
pub async fn list_undecided(
    connection: &mut PgConnection,
    customer: &str,
) -> Result<Vec<UndecidedSubscription>> {
    let statement = sqlx::query_as!(
        UndecidedSubscription,
        r#"select s.id, k.id as checkout
           from gallery_subscription s join gallery_checkout k on k.id = s.checkout
           where s.customer = $1 and s.accepted_at is null and s.duplicate_of is null
           order by k.made_at, k.id"#,
        customer
    );
    statement.fetch_all(connection).await
}

/// Locks the browser that began a Checkout, and the viewer who was signed in, against decisions about their
/// other Checkouts, for the rest of the transaction.
pub async fn lock_buyer(connection: &mut PgConnection, checkout: &str) -> Result<()> {
    let statement = sqlx::query!(
        r#"select pg_advisory_xact_lock(hashtextextended('checkouts of ' || buyer, 0))
           from gallery_checkout k
           cross join lateral
               (values (1, encode(k.secret_hash, 'hex')), (2, k.viewer::text)) as keys(rank, buyer)
           where k.id = $1 and buyer is not null order by rank"#,
        checkout
    );
    statement.fetch_all(connection).await.map(|_| ())
}

/// Lists the accepted subscriptions of the buyer of a Checkout that were bought while this Checkout was open.
pub async fn list_bought_meanwhile(
    connection: &mut PgConnection,
    checkout: &str,
) -> Result<Vec<(String, PassSubscription)>> {
    let statement = sqlx::query_as!(
        SubscriptionRow,
        r#"select s.id, s.told_at, s.paid, s.past_due, s.period_begin, s.period_end, s.paid_begin, s.paid_end,
                  s.ended_at, s.cancels_at, s.cancels, s.tier_at, s.tier,
                  (select max(made_at) from gallery_refund where subscription = s.id) as refunded_until
           from gallery_checkout k
           join gallery_checkout o on o.id <> k.id and (o.secret_hash = k.secret_hash or o.viewer = k.viewer)
           join gallery_subscription s on s.checkout = o.id and s.accepted_at >= k.made_at
           where k.id = $1 order by s.accepted_at, s.id"#,
        checkout
    );
    let rows = statement.fetch_all(connection).await?.into_iter();
    Ok(rows.map(|row| (row.id.clone(), row.into_subscription())).collect())
}

/// Saves the decision about a subscription: it is the duplicate of another one, or accepted.
pub async fn save_decision(
    connection: &mut PgConnection,
    subscription: &str,
    duplicate_of: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update gallery_subscription
           set duplicate_of = $2, accepted_at = case when $2::text is null then $3::timestamptz end
           where id = $1"#,
        subscription,
        duplicate_of,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the accepted subscription's Checkout and viewer, if this subscription was bought twice.
pub async fn find_duplicate(
    connection: &mut PgConnection,
    subscription: &str,
) -> Result<Option<DuplicateRow>> {
    let statement = sqlx::query_as!(
        DuplicateRow,
        r#"select o.checkout as "original_checkout!", v.viewer as "viewer: AccountNo"
           from gallery_subscription s
           join gallery_subscription o on o.id = s.duplicate_of
           join gallery_viewer v on v.customer = o.customer
           where s.id = $1 and o.checkout is not null"#,
        subscription
    );
    statement.fetch_optional(connection).await
}

/// Returns the viewer of a subscription's customer.
pub async fn find_subscriber(connection: &mut PgConnection, subscription: &str) -> Result<Option<AccountNo>> {
    let statement = sqlx::query_scalar!(
        r#"select v.viewer as "viewer: AccountNo"
           from gallery_subscription s join gallery_viewer v on v.customer = s.customer
           where s.id = $1"#,
        subscription
    );
    statement.fetch_optional(connection).await
}
