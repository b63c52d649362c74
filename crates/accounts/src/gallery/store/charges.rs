//! The SQL of charges, and of the invoices and subscriptions that they pay. Transactions lock a charge first,
//! then its payment intent, then the customer. Of two transactions about the same payment, the later one
//! therefore sees what the earlier one has saved.

use sqlx::PgConnection;

use super::Result;
use crate::gallery::event::{InvoicePayment, PaymentSource, StripeCharge, StripeDispute, StripeInvoice};

/// Saves a charge. Returns its customer if the charge was refunded or ever disputed.
pub async fn save_charge(connection: &mut PgConnection, charge: &StripeCharge) -> Result<Option<String>> {
    let row = sqlx::query!(
        r#"insert into gallery_charge as known
               (id, customer, made_at, returned, invoice, payment_intent, looked_up)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (id) do update set customer = coalesce(known.customer, excluded.customer),
               made_at = coalesce(known.made_at, excluded.made_at),
               returned = known.returned or excluded.returned,
               invoice = coalesce(known.invoice, excluded.invoice),
               payment_intent = coalesce(known.payment_intent, excluded.payment_intent),
               looked_up = known.looked_up or excluded.looked_up
           returning customer, returned or disputed_at is not null as "matters!""#,
        charge.id,
        charge.customer,
        charge.made_at,
        charge.is_refunded,
        charge.invoice,
        charge.payment_intent,
        charge.has_no_invoice
    )
    .fetch_one(&mut *connection)
    .await?;
    lock_payment_intent(connection, charge.payment_intent.as_deref()).await?;
    Ok(row.customer.filter(|_| row.matters))
}

/// Saves the state of a charge's dispute and returns the charge's customer, if it is known. The newest state
/// counts, in whatever order they arrive; of two in the same second, the one that takes the money.
pub async fn save_dispute(connection: &mut PgConnection, dispute: &StripeDispute) -> Result<Option<String>> {
    let customer = sqlx::query_scalar!(
        r#"insert into gallery_charge as known (id, returned, disputed, disputed_at, payment_intent)
           values ($1, false, $2, $3, $4)
           on conflict (id) do update set
               disputed = case when (excluded.disputed_at, excluded.disputed)
                                    > (coalesce(known.disputed_at, '-infinity'), known.disputed)
                               then excluded.disputed else known.disputed end,
               disputed_at = greatest(known.disputed_at, excluded.disputed_at),
               payment_intent = coalesce(known.payment_intent, excluded.payment_intent)
           returning customer"#,
        dispute.charge,
        dispute.is_withheld,
        dispute.at,
        dispute.payment_intent
    )
    .fetch_one(&mut *connection)
    .await?;
    lock_payment_intent(connection, dispute.payment_intent.as_deref()).await?;
    Ok(customer)
}

/// Locks a payment intent, and inserts it if it is new.
async fn lock_payment_intent(connection: &mut PgConnection, payment_intent: Option<&str>) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into gallery_payment (payment_intent) select $1 where $1::text is not null
           on conflict (payment_intent) do update set payment_intent = excluded.payment_intent"#,
        payment_intent
    );
    statement.execute(connection).await.map(|_| ())
}

/// Saves which invoice a payment has paid. Returns the customer if the payment was refunded or ever disputed.
pub async fn save_invoice_payment(
    connection: &mut PgConnection,
    payment: &InvoicePayment,
) -> Result<Option<String>> {
    match &payment.source {
        PaymentSource::PaymentIntent(id) => save_invoice_of_intent(connection, id, &payment.invoice).await,
        PaymentSource::Charge(id) => save_invoice_of_charge(connection, id, &payment.invoice).await,
    }
}

async fn save_invoice_of_intent(
    connection: &mut PgConnection,
    payment_intent: &str,
    invoice: &str,
) -> Result<Option<String>> {
    sqlx::query!(
        r#"insert into gallery_payment (payment_intent, invoice) values ($1, $2)
           on conflict (payment_intent) do update set invoice = excluded.invoice"#,
        payment_intent,
        invoice
    )
    .execute(&mut *connection)
    .await?;
    let statement = sqlx::query_scalar!(
        r#"select customer from gallery_charge
           where payment_intent = $1 and customer is not null and (returned or disputed_at is not null)
           limit 1"#,
        payment_intent
    );
    Ok(statement.fetch_optional(connection).await?.flatten())
}

async fn save_invoice_of_charge(
    connection: &mut PgConnection,
    charge: &str,
    invoice: &str,
) -> Result<Option<String>> {
    let row = sqlx::query!(
        r#"insert into gallery_charge as known (id, returned, invoice) values ($1, false, $2)
           on conflict (id) do update set invoice = excluded.invoice
           returning customer, returned or disputed_at is not null as "matters!""#,
        charge,
        invoice
    )
    .fetch_one(connection)
    .await?;
    Ok(row.customer.filter(|_| row.matters))
}

/// Saves the subscription that an invoice belongs to.
pub async fn save_invoice(connection: &mut PgConnection, invoice: &StripeInvoice) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into gallery_invoice (id, customer, subscription) values ($1, $2, $3)
           on conflict (id) do nothing"#,
        invoice.id,
        invoice.customer,
        invoice.subscription
    );
    statement.execute(connection).await.map(|_| ())
}

/// Marks a charge as looked up at Stripe.
pub async fn mark_looked_up(connection: &mut PgConnection, charge: &str) -> Result<()> {
    let statement = sqlx::query!("update gallery_charge set looked_up = true where id = $1", charge);
    statement.execute(connection).await.map(|_| ())
}
