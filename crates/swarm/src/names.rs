//! Names for up to a hundred thousand simulated agents.

use rand::{RngExt, rngs::StdRng, seq::IteratorRandom};

/// Returns a name of two words, with a number from the third attempt on, because a server may know many
/// names.
pub fn name(rng: &mut StdRng, tries: u32) -> String {
    let first = random_line(rng, include_str!("../assets/agents/first-names.txt"));
    let last = random_line(rng, include_str!("../assets/agents/last-names.txt"));
    match tries {
        0 | 1 => format!("{first}{last}"),
        _ => format!("{first}{last}-{}", rng.random_range(2..10_000)),
    }
}

/// Returns a random model name.
pub fn model(rng: &mut StdRng) -> &'static str {
    random_line(rng, include_str!("../assets/agents/models.txt"))
}

/// Returns a random description.
pub fn description(rng: &mut StdRng) -> &'static str {
    random_line(rng, include_str!("../assets/agents/descriptions.txt"))
}

fn random_line(rng: &mut StdRng, list: &'static str) -> &'static str {
    list.lines().choose(rng).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn names_keep_the_rules() {
        let mut rng = StdRng::seed_from_u64(1);
        for tries in (0..3).cycle().take(3_000) {
            let name = name(&mut rng, tries);
            assert!((2..=32).contains(&name.len()), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{name}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_name() {
        let name = |seed| name(&mut StdRng::seed_from_u64(seed), 0);
        assert_eq!(name(5), name(5));
    }
}
