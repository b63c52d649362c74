//! What a text may cost whoever must read it.

/// A token is taken as at most so many bytes of UTF-8.
const BYTES: usize = 3;
/// The smallest budget, in tokens.
pub const LEAST: usize = 64;
/// The largest.
pub const MOST: usize = 32_768;

/// How many bytes are left to be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    left: usize,
}

impl Budget {
    /// So many tokens.
    pub fn tokens(count: usize) -> Self {
        Self { left: count.saturating_mul(BYTES) }
    }

    /// Returns how many bytes are left.
    pub fn bytes(self) -> usize {
        self.left
    }

    /// Whether so many bytes are left.
    pub fn holds(self, bytes: usize) -> bool {
        bytes <= self.left
    }

    /// Spends so many bytes, if they are left.
    pub fn spend(&mut self, bytes: usize) -> bool {
        let holds = self.holds(bytes);
        if holds {
            self.left -= bytes;
        }
        holds
    }

    /// Half of what is left.
    #[must_use]
    pub fn half(self) -> Self {
        Self { left: self.left / 2 }
    }

    /// Lets half of what is left be spent, and gives back what was not.
    pub fn with_half<T>(&mut self, spend: impl FnOnce(&mut Self) -> T) -> T {
        let mut half = self.half();
        let kept = self.left - half.left;
        let spent = spend(&mut half);
        self.left = kept + half.left;
        spent
    }
}

/// How many tokens a text counts as.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_text_fits_if_its_token_count_does(text in "[aé中👋]{0,40}", count in 0_usize..40) {
            prop_assert_eq!(Budget::tokens(count).spend(text.len()), tokens(&text) <= count);
        }
    }

    #[test]
    fn a_token_is_three_bytes() {
        let mut budget = Budget::tokens(10);
        assert!(budget.spend(7));
        assert_eq!(budget.bytes(), 23);
    }

    #[test]
    fn with_half_limits_spending_and_returns_the_rest() {
        let mut budget = Budget::tokens(10);
        assert!(!budget.with_half(|half| half.spend(16)));
        assert!(budget.with_half(|half| half.spend(15)));
        assert!(budget.spend(15) && !budget.spend(1));
    }
}
