//! The price of a tier, as Stripe describes it and as people read it.

use std::fmt;

use serde_json::Value;

use super::event::string_at;

/// Currencies without minor units. See <https://docs.stripe.com/currencies>.
const ZERO_DECIMAL_CURRENCIES: [&str; 15] =
    ["bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf", "xof", "xpf"];
const THREE_DECIMAL_CURRENCIES: [&str; 5] = ["bhd", "jod", "kwd", "omr", "tnd"];
/// Stripe's documentation is not clear about the unit of its amounts.
const UNCLEAR_CURRENCIES: [&str; 1] = ["ugx"];

/// The symbols that people write instead of a currency's code.
const SYMBOLS: [(&str, &str); 12] = [
    ("usd", "$"),
    ("eur", "€"),
    ("gbp", "£"),
    ("jpy", "¥"),
    ("inr", "₹"),
    ("krw", "₩"),
    ("ils", "₪"),
    ("vnd", "₫"),
    ("brl", "R$"),
    ("cad", "CA$"),
    ("aud", "A$"),
    ("nzd", "NZ$"),
];

/// A recurring price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// The amount in the currency's minor unit.
    amount: u64,
    /// The lower-case ISO code.
    currency: String,
    interval: Interval,
    /// The number of intervals between two payments.
    interval_count: u64,
}

/// The unit of the time between two payments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interval {
    Day,
    Week,
    Month,
    Year,
}

impl Price {
    /// Parses a price of Stripe's API. `None` if one figure cannot state it: it is tiered, has fractions of
    /// the minor unit, or is not recurring.
    pub fn parse(object: &Value) -> Option<Self> {
        let currency = string_at(object, "/currency")?.to_ascii_lowercase();
        let is_code = currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_lowercase());
        if !is_code || UNCLEAR_CURRENCIES.contains(&currency.as_str()) {
            return None;
        }
        Some(Self {
            amount: object["unit_amount"].as_u64()?,
            currency,
            interval: Interval::parse(&string_at(object, "/recurring/interval")?)?,
            interval_count: object.pointer("/recurring/interval_count").map_or(Some(1), Value::as_u64)?,
        })
    }

    /// Returns the number of decimals of the minor unit.
    fn decimals(&self) -> usize {
        match self.currency.as_str() {
            code if ZERO_DECIMAL_CURRENCIES.contains(&code) => 0,
            code if THREE_DECIMAL_CURRENCIES.contains(&code) => 3,
            _ => 2,
        }
    }

    /// Returns the amount in the currency's main unit, without decimals if they are zero.
    fn figure(&self) -> String {
        let decimals = self.decimals();
        let digits = format!("{:0>width$}", self.amount, width = decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        if fraction.bytes().all(|digit| digit == b'0') {
            whole.to_owned()
        } else {
            format!("{whole}.{fraction}")
        }
    }
}

/// Writes the price as in "$5 a month" or "12.50 CHF every 3 months".
impl fmt::Display for Price {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figure = self.figure();
        match SYMBOLS.iter().find(|(code, _)| *code == self.currency) {
            Some((_, symbol)) => write!(formatter, "{symbol}{figure}")?,
            None => write!(formatter, "{figure} {}", self.currency.to_ascii_uppercase())?,
        }
        match self.interval_count {
            1 => write!(formatter, " a {}", self.interval.word()),
            count => write!(formatter, " every {count} {}s", self.interval.word()),
        }
    }
}

impl Interval {
    fn parse(text: &str) -> Option<Self> {
        [Self::Day, Self::Week, Self::Month, Self::Year].into_iter().find(|interval| interval.word() == text)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn price(amount: u64, currency: &str, interval: &str, count: u64) -> Option<String> {
        let recurring = json!({"interval": interval, "interval_count": count});
        let object = json!({"unit_amount": amount, "currency": currency, "recurring": recurring});
        Price::parse(&object).map(|price| price.to_string())
    }

    #[test]
    fn writes_amounts_of_all_kinds_of_currencies() {
        for (amount, currency, count, text) in [
            (500, "usd", 1, "$5 a month"),
            (450, "eur", 1, "€4.50 a month"),
            (5, "usd", 1, "$0.05 a month"),
            (0, "usd", 1, "$0 a month"),
            (1_250, "chf", 3, "12.50 CHF every 3 months"),
            (500, "jpy", 1, "¥500 a month"),
            (500, "xof", 1, "500 XOF a month"),
            (1_500, "kwd", 1, "1.500 KWD a month"),
            (500, "isk", 1, "5 ISK a month"),
            (500, "USD", 1, "$5 a month"),
        ] {
            assert_eq!(price(amount, currency, "month", count).as_deref(), Some(text));
        }
        assert_eq!(price(6_000, "gbp", "year", 1).as_deref(), Some("£60 a year"));
    }

    #[test]
    fn tells_no_figure_that_may_be_wrong() {
        assert_eq!(price(500, "ugx", "month", 1), None);
        assert_eq!(price(500, "usd", "fortnight", 1), None);
        assert_eq!(price(500, "<b>", "month", 1), None);
        let recurring = json!({"interval": "month", "interval_count": 1});
        for object in [
            json!({"unit_amount": null, "unit_amount_decimal": "0.5", "currency": "usd",
                "recurring": recurring}),
            json!({"unit_amount": 500, "currency": "usd", "recurring": null}),
            json!({}),
        ] {
            assert_eq!(Price::parse(&object), None);
        }
    }
}
