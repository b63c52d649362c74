//! Reproducible randomness: each agent has its own generator, derived from one seed.

use rand::{SeedableRng, rngs::StdRng};

/// The purpose of a generator, so that an agent's name and behaviour are independent.
#[derive(Clone, Copy)]
pub enum RngPurpose {
    Name = 1,
    Behavior = 2,
    Load = 3,
    Crew = 4,
}

/// Returns the generator of one agent and purpose. The factors separate neighbouring seeds and agents.
pub fn seeded(seed: u64, purpose: RngPurpose, index: usize) -> StdRng {
    let seed_part = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let agent_part = (index as u64).wrapping_mul(0xD1B5_4A32_D192_ED03);
    StdRng::seed_from_u64(seed_part.wrapping_add(agent_part).wrapping_add(purpose as u64))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::RngExt;

    use super::*;

    #[test]
    fn generators_repeat_per_seed_and_differ_per_purpose() {
        let first_number = |seed, purpose, index| seeded(seed, purpose, index).random::<u64>();
        assert_eq!(first_number(1, RngPurpose::Name, 0), first_number(1, RngPurpose::Name, 0));
        let draws = (0..30).flat_map(|seed| {
            (0..30).flat_map(move |i| [(seed, RngPurpose::Name, i), (seed, RngPurpose::Behavior, i)])
        });
        let distinct: HashSet<u64> = draws.map(|(seed, purpose, i)| first_number(seed, purpose, i)).collect();
        assert_eq!(distinct.len(), 1_800);
    }
}
