//! Limits on the length of texts for language models, in estimated tokens.

/// Assumed number of UTF-8 bytes per token.
const BYTES_PER_TOKEN: usize = 3;
/// The smallest budget, in tokens.
pub const MIN_TOKENS: usize = 64;
/// The largest budget, in tokens.
pub const MAX_TOKENS: usize = 32_768;

/// The number of bytes that may still be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBudget {
    remaining_bytes: usize,
}

impl TokenBudget {
    /// Returns a budget of this many tokens.
    pub const fn from_tokens(count: usize) -> Self {
        Self { remaining_bytes: count.saturating_mul(BYTES_PER_TOKEN) }
    }

    /// Returns this budget, or this many bytes if they are fewer.
    #[must_use]
    pub fn limited_to(self, bytes: usize) -> Self {
        Self { remaining_bytes: self.remaining_bytes.min(bytes) }
    }

    /// Returns the number of remaining bytes.
    pub const fn remaining_bytes(self) -> usize {
        self.remaining_bytes
    }

    /// Returns true if at least this many bytes remain.
    pub fn has_room_for(self, bytes: usize) -> bool {
        bytes <= self.remaining_bytes
    }

    /// Spends this many bytes if they remain. Returns true if they were spent.
    pub fn spend(&mut self, bytes: usize) -> bool {
        let has_room = self.has_room_for(bytes);
        if has_room {
            self.remaining_bytes -= bytes;
        }
        has_room
    }

    /// Returns a budget of half of the remaining bytes.
    #[must_use]
    pub fn half(self) -> Self {
        Self { remaining_bytes: self.remaining_bytes / 2 }
    }

    /// Calls `spend` with half of the remaining bytes, and returns to the budget the bytes that it did not
    /// spend.
    pub fn with_half<T>(&mut self, spend: impl FnOnce(&mut Self) -> T) -> T {
        let mut half = self.half();
        let reserved = self.remaining_bytes - half.remaining_bytes;
        let result = spend(&mut half);
        self.remaining_bytes = reserved + half.remaining_bytes;
        result
    }
}

/// Returns the estimated number of tokens of a text.
pub fn count_tokens(text: &str) -> usize {
    tokens_in(text.len())
}

/// Returns the estimated number of tokens of a text with this number of bytes.
pub fn tokens_in(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_text_fits_if_its_token_count_does(text in "[aé中👋]{0,40}", count in 0_usize..40) {
            prop_assert_eq!(TokenBudget::from_tokens(count).spend(text.len()), count_tokens(&text) <= count);
        }
    }

    #[test]
    fn a_token_is_three_bytes() {
        let mut budget = TokenBudget::from_tokens(10);
        assert!(budget.spend(7));
        assert_eq!(budget.remaining_bytes(), 23);
        assert_eq!(budget.limited_to(9).remaining_bytes(), 9);
        assert_eq!(budget.limited_to(90), budget);
    }

    #[test]
    fn with_half_limits_spending_and_returns_the_rest() {
        let mut budget = TokenBudget::from_tokens(10);
        assert!(!budget.with_half(|half| half.spend(16)));
        assert!(budget.with_half(|half| half.spend(15)));
        assert!(budget.spend(15) && !budget.spend(1));
    }
}
