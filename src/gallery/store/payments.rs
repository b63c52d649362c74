//! The SQL of payments.

use chrono::{DateTime, Utc};
use rules::gallery_pass::{PaidPeriod, PassSubscription, PaymentStatus, SubscriptionState};
use sqlx::PgConnection;

use super::Result;
use crate::gallery::event::{StripeCharge, StripeDispute, StripeEvent};

/// A customer at Stripe.
pub struct Customer {
    /// True if the customer has completed a Checkout.
    pub has_completed: bool,
    /// The mail address given in the Checkout.
    pub email: Option<String>,
    /// The number of the customer's viewer.
    pub viewer: Option<i64>,
    /// The number of the viewer who was signed in when the Checkout began.
    pub buyer: Option<i64>,
}

/// Inserts an event. Returns false if it is already stored.
pub async fn insert_event(
    connection: &mut PgConnection,
    event: &StripeEvent,
    payload: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let inserted = sqlx::query!(
        r#"insert into stripe_event (id, kind, at, received_at, payload) values ($1, $2, $3, $4, $5)
           on conflict (id) do nothing"#,
        event.id,
        event.kind,
        event.at,
        now,
        payload
    )
    .execute(connection)
    .await?;
    Ok(inserted.rows_affected() > 0)
}

/// Locks a customer, and inserts it if it is new. This must come before any change of its payments.
pub async fn lock_customer(connection: &mut PgConnection, id: &str) -> Result<()> {
    sqlx::query!(
        "insert into gallery_customer (id) values ($1) on conflict (id) do update set id = excluded.id",
        id
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Saves the Checkout that a customer has completed, with the mail address. Returns true if it differs from
/// the previous Checkout. The caller must have locked the customer.
pub async fn save_checkout(
    connection: &mut PgConnection,
    customer: &str,
    checkout: &str,
    email: Option<&str>,
) -> Result<bool> {
    sqlx::query_scalar!(
        r#"with known as (select checkout from gallery_customer where id = $1)
           update gallery_customer c set checkout = $2, email = coalesce($3, email) from known
           where c.id = $1 returning known.checkout is distinct from $2 as "is_new!""#,
        customer,
        checkout,
        email
    )
    .fetch_one(connection)
    .await
}

/// Returns a customer, which the caller must have locked.
pub async fn find_customer(connection: &mut PgConnection, id: &str) -> Result<Customer> {
    sqlx::query_as!(
        Customer,
        r#"select c.checkout is not null as "has_completed!", c.email, v.viewer as "viewer?", b.viewer as buyer
           from gallery_customer c
           left join gallery_viewer v on v.customer = c.id
           left join gallery_checkout b on b.id = c.checkout
           where c.id = $1"#,
        id
    )
    .fetch_one(connection)
    .await
}

/// Returns the state of a subscription.
pub async fn find_subscription(connection: &mut PgConnection, id: &str) -> Result<PassSubscription> {
    let row = sqlx::query_as!(
        SubscriptionRow,
        r#"select told_at, paid, period_begin, period_end, ended_at, tier_at, tier
           from gallery_subscription where id = $1"#,
        id
    );
    Ok(row.fetch_optional(connection).await?.map(SubscriptionRow::into_subscription).unwrap_or_default())
}

/// Returns all subscriptions of a customer, and the time of its newest refunded or disputed charge.
pub async fn list_subscriptions(
    connection: &mut PgConnection,
    customer: &str,
) -> Result<(Vec<PassSubscription>, Option<DateTime<Utc>>)> {
    let rows = sqlx::query_as!(
        SubscriptionRow,
        r#"select told_at, paid, period_begin, period_end, ended_at, tier_at, tier
           from gallery_subscription where customer = $1"#,
        customer
    )
    .fetch_all(&mut *connection)
    .await?;
    let refunded = sqlx::query_scalar!(
        "select max(made_at) from gallery_charge where customer = $1 and (returned or disputed)",
        customer
    )
    .fetch_one(connection)
    .await?;
    Ok((rows.into_iter().map(SubscriptionRow::into_subscription).collect(), refunded))
}

/// Saves the state of a subscription. The caller must have locked the customer.
pub async fn save_subscription(
    connection: &mut PgConnection,
    customer: &str,
    id: &str,
    subscription: &PassSubscription,
) -> Result<()> {
    let period = subscription.latest_state.and_then(|state| state.period);
    sqlx::query!(
        r#"insert into gallery_subscription
               (id, customer, told_at, paid, period_begin, period_end, ended_at, tier_at, tier)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           on conflict (id) do update set told_at = excluded.told_at, paid = excluded.paid,
               period_begin = excluded.period_begin, period_end = excluded.period_end,
               ended_at = excluded.ended_at, tier_at = excluded.tier_at, tier = excluded.tier"#,
        id,
        customer,
        subscription.latest_state.map(|state| state.at),
        subscription.latest_state.map(|state| state.status == PaymentStatus::Paid),
        period.map(|period| period.start),
        period.map(|period| period.end),
        subscription.ended_at,
        subscription.tier.as_ref().map(|(at, _)| *at),
        subscription.tier.as_ref().map(|(_, tier)| tier.as_str())
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Saves a charge. Returns its customer if the charge was refunded or ever disputed.
pub async fn save_charge(connection: &mut PgConnection, charge: &StripeCharge) -> Result<Option<String>> {
    let row = sqlx::query!(
        r#"insert into gallery_charge as known (id, customer, made_at, returned) values ($1, $2, $3, $4)
           on conflict (id) do update set customer = coalesce(known.customer, excluded.customer),
               made_at = coalesce(known.made_at, excluded.made_at), returned = known.returned or excluded.returned
           returning customer, returned or disputed_at is not null as "matters!""#,
        charge.id,
        charge.customer,
        charge.made_at,
        charge.is_refunded
    )
    .fetch_one(connection)
    .await?;
    Ok(row.customer.filter(|_| row.matters))
}

/// Saves the state of a charge's dispute and returns the charge's customer, if it is known. The newest state
/// counts, in whatever order they arrive; of two in the same second, the one that takes the money.
pub async fn save_dispute(connection: &mut PgConnection, dispute: &StripeDispute) -> Result<Option<String>> {
    sqlx::query_scalar!(
        r#"insert into gallery_charge as known (id, returned, disputed, disputed_at) values ($1, false, $2, $3)
           on conflict (id) do update set
               disputed = case when (excluded.disputed_at, excluded.disputed)
                                    > (coalesce(known.disputed_at, '-infinity'), known.disputed)
                               then excluded.disputed else known.disputed end,
               disputed_at = greatest(known.disputed_at, excluded.disputed_at)
           returning customer"#,
        dispute.charge,
        dispute.is_withheld,
        dispute.at
    )
    .fetch_one(connection)
    .await
}

struct SubscriptionRow {
    told_at: Option<DateTime<Utc>>,
    paid: Option<bool>,
    period_begin: Option<DateTime<Utc>>,
    period_end: Option<DateTime<Utc>>,
    ended_at: Option<DateTime<Utc>>,
    tier_at: Option<DateTime<Utc>>,
    tier: Option<String>,
}

impl SubscriptionRow {
    fn into_subscription(self) -> PassSubscription {
        let status = if self.paid == Some(true) { PaymentStatus::Paid } else { PaymentStatus::Unpaid };
        let period =
            self.period_begin.zip(self.period_end).map(|(begin, end)| PaidPeriod { start: begin, end });
        PassSubscription {
            latest_state: self.told_at.map(|at| SubscriptionState { at, status, period }),
            ended_at: self.ended_at,
            tier: self.tier_at.zip(self.tier),
        }
    }
}
