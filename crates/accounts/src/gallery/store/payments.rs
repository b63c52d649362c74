//! The SQL of payments.

use chrono::{DateTime, Utc};
use rules::gallery_pass::{PaidPeriod, PassSubscription, PaymentStatus, SubscriptionState};
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::Result;
use crate::gallery::event::{CompletedCheckout, StripeEvent, SubscriptionUpdate};

/// A customer at Stripe.
pub struct Customer {
    /// True if the customer has completed a Checkout.
    pub has_completed: bool,
    /// The mail address given in the Checkout.
    pub email: Option<String>,
    /// The number of the customer's viewer.
    pub viewer: Option<AccountNo>,
    /// The number of the viewer who was signed in when the Checkout began.
    pub buyer: Option<AccountNo>,
}

/// Inserts an event. Returns false if it is already stored.
pub async fn insert_event(
    connection: &mut PgConnection,
    event: &StripeEvent,
    payload: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"insert into stripe_event (id, kind, at, received_at, payload) values ($1, $2, $3, $4, $5)
           on conflict (id) do nothing"#,
        event.id,
        event.kind,
        event.at,
        now,
        payload
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// Locks a customer, and inserts it if it is new. This must come before any change of its payments.
pub async fn lock_customer(connection: &mut PgConnection, id: &str) -> Result<()> {
    let statement = sqlx::query!(
        "insert into gallery_customer (id) values ($1) on conflict (id) do update set id = excluded.id",
        id
    );
    statement.execute(connection).await.map(|_| ())
}

/// Saves the Checkout that a customer has completed, with the mail address unless a newer one is known.
/// Returns true if the Checkout differs from the previous one. The caller must have locked the customer.
pub async fn save_checkout(connection: &mut PgConnection, completed: &CompletedCheckout) -> Result<bool> {
    let SubscriptionUpdate { customer, subscription, .. } = &completed.update;
    sqlx::query!(
        "update gallery_subscription set checkout = $2 where id = $1",
        subscription,
        completed.checkout
    )
    .execute(&mut *connection)
    .await?;
    let statement = sqlx::query_scalar!(
        r#"with known as (select checkout, coalesce(email_at, '-infinity') <= $4 as is_newer
                          from gallery_customer where id = $1)
           update gallery_customer c
           set checkout = $2, email = case when is_newer then coalesce($3, email) else email end,
               email_at = case when is_newer and $3 is not null then $4 else email_at end
           from known
           where c.id = $1 returning known.checkout is distinct from $2 as "is_new!""#,
        customer,
        completed.checkout,
        completed.email.as_deref(),
        completed.email_at
    );
    statement.fetch_one(connection).await
}

/// Saves the mail address that a known customer had at a time, unless a newer one is known. Returns false if
/// it is not saved. This locks the customer.
pub async fn save_customer_email(
    connection: &mut PgConnection,
    customer: &str,
    email: &str,
    at: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"update gallery_customer set email = $2, email_at = $3
           where id = $1 and coalesce(email_at, '-infinity') <= $3"#,
        customer,
        email,
        at
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// Returns a customer, which the caller must have locked.
pub async fn find_customer(connection: &mut PgConnection, id: &str) -> Result<Customer> {
    let statement = sqlx::query_as!(
        Customer,
        r#"select c.checkout is not null as "has_completed!", c.email, v.viewer as "viewer?: AccountNo",
                  b.viewer as "buyer: AccountNo"
           from gallery_customer c
           left join gallery_viewer v on v.customer = c.id
           left join gallery_checkout b on b.id = c.checkout
           where c.id = $1"#,
        id
    );
    statement.fetch_one(connection).await
}

/// Returns the state of a subscription.
pub async fn find_subscription(connection: &mut PgConnection, id: &str) -> Result<PassSubscription> {
    let statement = sqlx::query_as!(
        SubscriptionRow,
        r#"select id, told_at, paid, past_due, period_begin, period_end, paid_begin, paid_end, ended_at,
                  cancels_at, cancels, tier_at, tier,
                  (select max(made_at) from gallery_refund where subscription = s.id) as refunded_until
           from gallery_subscription s where id = $1"#,
        id
    );
    Ok(statement
        .fetch_optional(connection)
        .await?
        .map(SubscriptionRow::into_subscription)
        .unwrap_or_default())
}

/// Returns the subscriptions of a customer that can give passes: all but those that were bought twice.
pub async fn list_subscriptions(
    connection: &mut PgConnection,
    customer: &str,
) -> Result<Vec<PassSubscription>> {
    let statement = sqlx::query_as!(
        SubscriptionRow,
        r#"select id, told_at, paid, past_due, period_begin, period_end, paid_begin, paid_end, ended_at,
                  cancels_at, cancels, tier_at, tier,
                  (select max(made_at) from gallery_refund where subscription = s.id) as refunded_until
           from gallery_subscription s where customer = $1 and duplicate_of is null order by id"#,
        customer
    );
    Ok(statement.fetch_all(connection).await?.into_iter().map(SubscriptionRow::into_subscription).collect())
}

/// Saves the state of a subscription. The caller must have locked the customer.
pub async fn save_subscription(
    connection: &mut PgConnection,
    customer: &str,
    id: &str,
    subscription: &PassSubscription,
) -> Result<()> {
    let state = subscription.latest_state;
    let paid = subscription.paid_period;
    let period = state.and_then(|state| state.period);
    let status = state.map(|state| state.status);
    let statement = sqlx::query!(
        r#"insert into gallery_subscription
               (id, customer, told_at, paid, past_due, period_begin, period_end, paid_begin, paid_end,
                ended_at, cancels_at, cancels, tier_at, tier)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
           on conflict (id) do update set told_at = excluded.told_at, paid = excluded.paid,
               past_due = excluded.past_due, period_begin = excluded.period_begin,
               period_end = excluded.period_end, paid_begin = excluded.paid_begin,
               paid_end = excluded.paid_end, ended_at = excluded.ended_at,
               cancels_at = excluded.cancels_at, cancels = excluded.cancels,
               tier_at = excluded.tier_at, tier = excluded.tier"#,
        id,
        customer,
        state.map(|state| state.at),
        status.map(|status| status == PaymentStatus::Paid),
        status == Some(PaymentStatus::PastDue),
        period.map(|period| period.start),
        period.map(|period| period.end),
        paid.map(|period| period.start),
        paid.map(|period| period.end),
        subscription.ended_at,
        subscription.cancellation.map(|(at, _)| at),
        subscription.cancellation.map(|(_, is_scheduled)| is_scheduled),
        subscription.tier.as_ref().map(|(at, _)| *at),
        subscription.tier.as_ref().map(|(_, tier)| tier.as_str())
    );
    statement.execute(connection).await.map(|_| ())
}

/// A subscription as stored.
pub(super) struct SubscriptionRow {
    pub id: String,
    pub told_at: Option<DateTime<Utc>>,
    pub paid: Option<bool>,
    pub past_due: bool,
    pub period_begin: Option<DateTime<Utc>>,
    pub period_end: Option<DateTime<Utc>>,
    pub paid_begin: Option<DateTime<Utc>>,
    pub paid_end: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    pub cancels_at: Option<DateTime<Utc>>,
    pub cancels: Option<bool>,
    pub tier_at: Option<DateTime<Utc>>,
    pub tier: Option<String>,
    pub refunded_until: Option<DateTime<Utc>>,
}

impl SubscriptionRow {
    /// Returns the state of the subscription.
    pub fn into_subscription(self) -> PassSubscription {
        let status = match self.paid {
            Some(true) => PaymentStatus::Paid,
            _ if self.past_due => PaymentStatus::PastDue,
            _ => PaymentStatus::Unpaid,
        };
        let period = to_period(self.period_begin, self.period_end);
        PassSubscription {
            latest_state: self.told_at.map(|at| SubscriptionState { at, status, period }),
            paid_period: to_period(self.paid_begin, self.paid_end),
            ended_at: self.ended_at,
            cancellation: self.cancels_at.zip(self.cancels),
            tier: self.tier_at.zip(self.tier),
            refunded_until: self.refunded_until,
        }
    }
}

fn to_period(begin: Option<DateTime<Utc>>, end: Option<DateTime<Utc>>) -> Option<PaidPeriod> {
    begin.zip(end).map(|(start, end)| PaidPeriod { end, start })
}
