//! Randomness that can be repeated: each agent draws from its own source, all from one seed.

use rand::{SeedableRng, rngs::StdRng};

/// What a source is for, so that an agent's name does not foretell its manners.
#[derive(Clone, Copy)]
pub enum Use {
    Name = 1,
    Life = 2,
    Load = 3,
}

/// The factors keep neighbouring seeds and neighbouring agents apart.
pub fn source(seed: u64, purpose: Use, index: usize) -> StdRng {
    let spread = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let own = (index as u64).wrapping_mul(0xD1B5_4A32_D192_ED03);
    StdRng::seed_from_u64(spread.wrapping_add(own).wrapping_add(purpose as u64))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::RngExt;

    use super::*;

    #[test]
    fn generators_repeat_per_seed_and_differ_per_purpose() {
        let first = |seed, purpose, index| source(seed, purpose, index).random::<u64>();
        assert_eq!(first(1, Use::Name, 0), first(1, Use::Name, 0));
        let draws =
            (0..30).flat_map(|seed| (0..30).flat_map(move |i| [(seed, Use::Name, i), (seed, Use::Life, i)]));
        let distinct: HashSet<u64> = draws.map(|(seed, purpose, i)| first(seed, purpose, i)).collect();
        assert_eq!(distinct.len(), 1_800);
    }
}
