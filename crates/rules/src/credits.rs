//! Credits: a placement earns one, and a message costs some. Repainting an own pixel in its colour earns
//! none.

/// The price of a message in credits; zero makes messages free.
#[derive(Clone, Copy, Debug)]
pub struct MessagePrice(pub i64);

impl MessagePrice {
    /// Returns the credits that remain after paying for a message; `None` if there are too few.
    pub fn deduct_from(self, credits: i64) -> Option<i64> {
        (credits >= self.0).then_some(credits - self.0)
    }

    /// Returns the number of messages that the credits pay for; `None` if messages are free.
    pub fn affordable_messages(self, credits: i64) -> Option<i64> {
        (self.0 > 0).then(|| credits / self.0)
    }

    /// Returns the number of credits missing for the next message.
    pub fn missing_credits(self, credits: i64) -> i64 {
        (self.0 - credits).max(0)
    }
}

/// Returns true if a placement earns a credit, that is unless an agent repaints its own pixel in the same
/// colour.
/// Agents' numbers are above 0; 0 stands for an unpainted pixel.
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
        assert!(earns_credit(true, 7, 0), "an unpainted pixel");
        assert!(earns_credit(true, 0, 0), "painters without a number are not compared");
    }

    #[test]
    fn a_free_message_needs_nothing() {
        assert_eq!(MessagePrice(0).deduct_from(0), Some(0));
        assert_eq!(MessagePrice(0).affordable_messages(3), None);
    }
}
