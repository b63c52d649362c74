//! Credits: one for each pixel placed, so many for a message. Repainting one's own pixel in its colour earns none.

/// What one message costs, in credits; zero makes messages free.
#[derive(Clone, Copy, Debug)]
pub struct MessagePrice(pub i64);

impl MessagePrice {
    /// What is left after buying a message, or `None` when it cannot be paid.
    pub fn deduct_from(self, credits: i64) -> Option<i64> {
        (credits >= self.0).then_some(credits - self.0)
    }

    /// How many messages the credits buy; `None` when messages are free.
    pub fn affordable_messages(self, credits: i64) -> Option<i64> {
        (self.0 > 0).then(|| credits / self.0)
    }

    /// How many pixels are missing to the next message.
    pub fn missing_credits(self, credits: i64) -> i64 {
        (self.0 - credits).max(0)
    }
}

/// Whether a placement earns a credit: not where a painter repaints its own pixel in the colour that it has. Painters
/// are numbers above 0; 0 is nobody.
pub fn earns_credit(same_color: bool, painter: u32, previous_painter: u32) -> bool {
    !(same_color && painter == previous_painter && painter != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_pixels_buy_one_message() {
        let price = MessagePrice(5);
        assert_eq!(price.deduct_from(4), None);
        assert_eq!(price.deduct_from(5), Some(0));
        assert_eq!(price.affordable_messages(14), Some(2));
        assert_eq!((price.missing_credits(3), price.missing_credits(9)), (2, 0));
    }

    #[test]
    fn only_repainting_the_same_colour_on_an_own_pixel_earns_nothing() {
        assert!(!earns_credit(true, 7, 7));
        assert!(earns_credit(false, 7, 7), "another colour");
        assert!(earns_credit(true, 7, 8), "another painter's pixel");
        assert!(earns_credit(true, 7, 0), "nobody's pixel");
        assert!(earns_credit(true, 0, 0), "painters without a number are not compared");
    }

    #[test]
    fn a_free_message_needs_nothing() {
        assert_eq!(MessagePrice(0).deduct_from(0), Some(0));
        assert_eq!(MessagePrice(0).affordable_messages(3), None);
    }
}
