//! The passes that are there to be had: name, price, interval and badge of each.

use crate::config::PaymentSettings;

/// One kind of pass.
#[derive(Clone, Debug)]
pub struct Tier {
    /// As programs know it.
    pub id: &'static str,
    /// As people do; the badge beside the name.
    pub name: &'static str,
    /// Stripe's id of its price; it is not sold without one.
    pub price: Option<String>,
    /// Seconds between two messages; as long as the game's setting says where there are none.
    pub interval: Option<i32>,
}

/// All of them, the ordinary one first and the best one last.
#[derive(Clone, Debug)]
pub struct Tiers(Vec<Tier>);

impl Tiers {
    /// The two that ship, with the operator's prices.
    pub fn new(payments: &PaymentSettings) -> Self {
        let gallery =
            Tier { id: "gallery", name: "Gallery Pass", price: payments.price.clone(), interval: None };
        let patron =
            Tier { id: "patron", name: "Patron", price: payments.patron_price.clone(), interval: Some(120) };
        Self(vec![gallery, patron])
    }

    /// Those that are sold.
    pub fn for_sale(&self) -> impl Iterator<Item = &Tier> {
        self.0.iter().filter(|tier| tier.price.is_some())
    }

    /// The tier of this name.
    pub fn find(&self, id: &str) -> Option<&Tier> {
        self.0.iter().find(|tier| tier.id == id)
    }

    /// How good a tier is, beside the others; none for one that is there no more.
    pub fn rank(&self, id: &str) -> Option<usize> {
        self.0.iter().position(|tier| tier.id == id)
    }

    /// The tier with this badge.
    pub fn find_by_badge(&self, badge: &str) -> Option<&Tier> {
        self.0.iter().find(|tier| tier.name == badge)
    }

    /// What a subscription buys: the tier of its price, else what our Checkout wrote on it when that price was another. What
    /// is neither is not ours.
    pub fn purchased_tier(&self, id: Option<&str>, price: Option<&str>) -> Option<String> {
        let by_price = self.0.iter().find(|tier| price.is_some() && tier.price.as_deref() == price);
        let tier = by_price.or_else(|| self.find(id?))?;
        Some(tier.id.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

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
