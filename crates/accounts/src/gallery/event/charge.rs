//! Charges, and what they pay for: the charge or its payment intent names the invoice, and the invoice names
//! the subscription.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{id_at, string_at, time_at};

/// A charge that was made or refunded.
#[derive(Debug, PartialEq, Eq)]
pub struct StripeCharge {
    pub id: String,
    pub customer: Option<String>,
    pub made_at: Option<DateTime<Utc>>,
    pub is_refunded: bool,
    /// The invoice that it pays, in the older API versions.
    pub invoice: Option<String>,
    pub payment_intent: Option<String>,
    /// True if it certainly pays no invoice.
    pub has_no_invoice: bool,
}

/// The state of a charge's dispute at a time.
pub struct StripeDispute {
    pub charge: String,
    pub payment_intent: Option<String>,
    pub at: DateTime<Utc>,
    /// True if the money is lost or may be lost.
    pub is_withheld: bool,
}

/// An invoice of a subscription.
#[derive(Debug, PartialEq, Eq)]
pub struct StripeInvoice {
    pub id: String,
    pub customer: String,
    pub subscription: String,
    /// Its payments, as far as the invoice names them.
    pub payments: Vec<InvoicePayment>,
    /// In the smallest unit of its currency.
    pub amount_paid: i64,
}

/// A payment for an invoice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvoicePayment {
    pub invoice: String,
    pub source: PaymentSource,
}

/// The object that paid an invoice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentSource {
    /// `pi_…`, for all payments but the oldest.
    PaymentIntent(String),
    /// `ch_…`.
    Charge(String),
}

/// Parses a charge.
pub fn parse_charge(object: &Value) -> Option<StripeCharge> {
    let invoice = id_at(object, "/invoice");
    Some(StripeCharge {
        id: string_at(object, "/id")?,
        customer: id_at(object, "/customer"),
        made_at: time_at(object, "/created"),
        is_refunded: object["refunded"] == true,
        payment_intent: id_at(object, "/payment_intent"),
        // Only the older API versions have the field. The newer ones leave it out.
        has_no_invoice: object.get("invoice").is_some_and(Value::is_null),
        invoice,
    })
}

/// Parses an invoice. `None` if it does not belong to a subscription of a customer.
pub fn parse_invoice(object: &Value) -> Option<StripeInvoice> {
    let id = string_at(object, "/id")?;
    let customer = id_at(object, "/customer")?;
    let subscription = ["/subscription", "/parent/subscription_details/subscription"]
        .into_iter()
        .find_map(|pointer| id_at(object, pointer))?;
    // The older API versions name the payment in the invoice; the newer ones list payments if asked to.
    let listed = object.pointer("/payments/data").and_then(Value::as_array).into_iter().flatten();
    let sources = std::iter::once(parse_source(object))
        .chain(listed.filter(|payment| payment["status"] == "paid").map(payment_source));
    let payments = sources.flatten().map(|source| InvoicePayment { invoice: id.clone(), source }).collect();
    let amount_paid = object["amount_paid"].as_i64().unwrap_or(0);
    Some(StripeInvoice { id, customer, subscription, payments, amount_paid })
}

/// Parses a payment for an invoice.
pub fn parse_invoice_payment(object: &Value) -> Option<InvoicePayment> {
    Some(InvoicePayment { invoice: id_at(object, "/invoice")?, source: payment_source(object)? })
}

fn payment_source(payment: &Value) -> Option<PaymentSource> {
    parse_source(payment.get("payment")?)
}

fn parse_source(object: &Value) -> Option<PaymentSource> {
    let payment_intent = id_at(object, "/payment_intent").map(PaymentSource::PaymentIntent);
    payment_intent.or_else(|| id_at(object, "/charge").map(PaymentSource::Charge))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_invoices_of_old_and_new_api_versions() {
        let old = json!({"id": "in_1", "customer": "cus_1", "subscription": "sub_1", "charge": "ch_1",
            "payment_intent": "pi_1"});
        let payment =
            json!({"status": "paid", "payment": {"type": "payment_intent", "payment_intent": "pi_1"}});
        let new = json!({"id": "in_1", "customer": {"id": "cus_1"}, "payments": {"data": [
                {"status": "open", "payment": {"payment_intent": "pi_0"}}, payment]},
            "parent": {"subscription_details": {"subscription": {"id": "sub_1"}}}});
        let source = PaymentSource::PaymentIntent("pi_1".into());
        let payments = vec![InvoicePayment { invoice: "in_1".into(), source }];
        let [id, customer, subscription] = ["in_1", "cus_1", "sub_1"].map(str::to_owned);
        let expected = StripeInvoice { id, customer, subscription, payments, amount_paid: 0 };
        assert_eq!(
            (parse_invoice(&old), parse_invoice(&new).as_ref()),
            (Some(expected), parse_invoice(&old).as_ref())
        );
        assert_eq!(parse_invoice(&json!({"id": "in_2", "customer": "cus_1", "subscription": null})), None);
    }

    #[test]
    fn tells_a_charge_without_invoice_from_one_that_does_not_name_it() {
        let old = parse_charge(&json!({"id": "ch_1", "invoice": null, "payment_intent": null})).unwrap();
        let new = parse_charge(&json!({"id": "ch_1", "payment_intent": "pi_1"})).unwrap();
        assert_eq!((old.has_no_invoice, new.has_no_invoice), (true, false));
        assert_eq!((old.payment_intent, new.payment_intent), (None, Some("pi_1".into())));
    }
}
