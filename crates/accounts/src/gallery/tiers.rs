//! The tiers of the Gallery Pass: name, price, message interval and badge.

use platform::config::PaymentSettings;

/// A tier of the Gallery Pass.
#[derive(Clone, Debug)]
pub struct Tier {
    /// The id for programs.
    pub id: &'static str,
    /// The name for people, which is also the badge.
    pub name: &'static str,
    /// The id of its price at Stripe; `None` if it is not sold.
    pub price: Option<String>,
    /// Seconds between two messages; `None` for the game's default.
    pub interval: Option<i32>,
}

/// All tiers, from the lowest to the highest.
#[derive(Clone, Debug)]
pub struct Tiers(Vec<Tier>);

impl Tiers {
    /// Returns the two tiers, with the configured prices.
    pub fn new(payments: &PaymentSettings) -> Self {
        let gallery =
            Tier { id: "gallery", name: "Gallery Pass", price: payments.price.clone(), interval: None };
        let patron =
            Tier { id: "patron", name: "Patron", price: payments.patron_price.clone(), interval: Some(120) };
        Self(vec![gallery, patron])
    }

    /// Returns the tiers that are sold.
    pub fn for_sale(&self) -> impl Iterator<Item = &Tier> {
        self.0.iter().filter(|tier| tier.price.is_some())
    }

    /// Returns the tier with this id.
    pub fn find(&self, id: &str) -> Option<&Tier> {
        self.0.iter().find(|tier| tier.id == id)
    }

    /// Returns the rank of a tier; higher is better. `None` if it does not exist any more.
    pub fn rank(&self, id: &str) -> Option<usize> {
        self.0.iter().position(|tier| tier.id == id)
    }

    /// Returns the tier with this badge.
    pub(crate) fn find_by_badge(&self, badge: &str) -> Option<&Tier> {
        self.0.iter().find(|tier| tier.name == badge)
    }

    /// Returns the tier of a subscription: by its price, or else by the id that our Checkout stored when the
    /// price was another one. `None` if neither matches.
    pub(crate) fn purchased_tier(&self, id: Option<&str>, price: Option<&str>) -> Option<String> {
        let by_price = self.0.iter().find(|tier| price.is_some() && tier.price.as_deref() == price);
        let tier = by_price.or_else(|| self.find(id?))?;
        Some(tier.id.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::config::Config;

    #[test]
    fn finds_tier_by_price_then_by_metadata() {
        let prices = [("STRIPE_PRICE_ID", "price_g"), ("CARAPLACE_PATRON_PRICE_ID", "price_p")];
        let find =
            |setting: &str| prices.iter().find(|(name, _)| *name == setting).map(|(_, it)| (*it).to_owned());
        let tiers = Tiers::new(&Config::read(find).unwrap().payments);
        for (note, price, tier) in [
            (Some("gallery"), Some("price_p"), Some("patron")),
            (Some("gallery"), Some("price_of_last_year"), Some("gallery")),
            (None, Some("price_g"), Some("gallery")),
            (Some("mug"), Some("price_mug"), None),
            (None, None, None),
        ] {
            assert_eq!(tiers.purchased_tier(note, price).as_deref(), tier, "{note:?} {price:?}");
        }
        assert_eq!(tiers.for_sale().count(), 2);
    }
}
