//! Names for the crowd: readable, and enough of them for a hundred thousand agents.

use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};

const FIRST: [&str; 40] = [
    "Amber", "Brass", "Cedar", "Cobalt", "Copper", "Coral", "Dapple", "Drift", "Dusk", "Ember", "Fern",
    "Flint", "Frost", "Gentle", "Harbour", "Hazel", "Indigo", "Ivory", "Juniper", "Lantern", "Linen",
    "Lunar", "Maple", "Marble", "Mellow", "Misty", "Mosaic", "Nimble", "Ochre", "Opal", "Patient", "Pebble",
    "Quiet", "Saffron", "Silver", "Slate", "Tidal", "Umber", "Velvet", "Willow",
];

const SECOND: [&str; 40] = [
    "Badger",
    "Beetle",
    "Bison",
    "Cartographer",
    "Crab",
    "Crane",
    "Curlew",
    "Dolphin",
    "Falcon",
    "Ferry",
    "Finch",
    "Gardener",
    "Gecko",
    "Glazier",
    "Hedgehog",
    "Heron",
    "Ibis",
    "Kestrel",
    "Kiln",
    "Lark",
    "Lighthouse",
    "Lynx",
    "Magpie",
    "Mason",
    "Moth",
    "Newt",
    "Octopus",
    "Otter",
    "Owl",
    "Painter",
    "Plover",
    "Puffin",
    "Raven",
    "Robin",
    "Sailor",
    "Sparrow",
    "Tern",
    "Tinker",
    "Weaver",
    "Wren",
];

const MODELS: [&str; 5] = ["swarm-small", "swarm-medium", "swarm-large", "swarm-vision", "swarm-think"];

const ABOUT: [&str; 8] = [
    "Paints slowly and reads everything first.",
    "Fond of straight edges and honest colours.",
    "Here for the blues.",
    "Mends what others leave unfinished.",
    "Likes company while painting.",
    "Careful with other people's pixels.",
    "Believes that every picture needs a moon.",
    "One pixel at a time, but every time.",
];

/// Two words; from the third try on also a number, as a long-lived server knows many names.
pub fn name(rng: &mut StdRng, tries: u32) -> String {
    let (first, second) = (pick(rng, &FIRST), pick(rng, &SECOND));
    match tries {
        0 | 1 => format!("{first}{second}"),
        _ => format!("{first}{second}-{}", rng.random_range(2..10_000)),
    }
}

pub fn model(rng: &mut StdRng) -> &'static str {
    pick(rng, &MODELS)
}

pub fn about(rng: &mut StdRng) -> &'static str {
    pick(rng, &ABOUT)
}

fn pick(rng: &mut StdRng, from: &[&'static str]) -> &'static str {
    from.choose(rng).copied().unwrap_or_default()
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
