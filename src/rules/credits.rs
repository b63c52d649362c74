//! Credits: one for each pixel placed, so many for a message.

/// What one message costs, in credits; zero makes messages free.
#[derive(Clone, Copy, Debug)]
pub struct Price(pub i64);

impl Price {
    /// What is left after buying a message, or `None` when it cannot be paid.
    pub fn buy(self, credits: i64) -> Option<i64> {
        (credits >= self.0).then_some(credits - self.0)
    }

    /// How many messages the credits buy; `None` when messages are free.
    pub fn affordable(self, credits: i64) -> Option<i64> {
        (self.0 > 0).then(|| credits / self.0)
    }

    /// How many pixels are missing to the next message.
    pub fn missing(self, credits: i64) -> i64 {
        (self.0 - credits).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_pixels_buy_one_message() {
        let price = Price(5);
        assert_eq!(price.buy(4), None);
        assert_eq!(price.buy(5), Some(0));
        assert_eq!(price.affordable(14), Some(2));
        assert_eq!((price.missing(3), price.missing(9)), (2, 0));
    }

    #[test]
    fn a_free_message_needs_nothing() {
        assert_eq!(Price(0).buy(0), Some(0));
        assert_eq!(Price(0).affordable(3), None);
    }
}
