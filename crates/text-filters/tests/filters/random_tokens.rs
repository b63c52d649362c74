//! Generates random tokens of a format such as `ghp_[A-Za-z0-9]{36}`.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

/// Returns a generator that repeats its results for the same seed.
pub fn seeded_rng(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

/// Returns one of these.
pub fn choose<T: Clone>(rng: &mut StdRng, items: &[T]) -> T {
    items[rng.random_range(0..items.len())].clone()
}

/// Returns a token of this format. It ends in a letter, because a sign at the end would be cut as the end of
/// a sentence.
pub fn random_token(rng: &mut StdRng, format: &str) -> String {
    let mut token = String::new();
    let mut rest = format;
    while let Some((plain, after)) = rest.split_once('[') {
        let (class, after) = after.split_once("]{").unwrap();
        let (count, after) = after.split_once('}').unwrap();
        let alphabet = alphabet(class);
        token.push_str(plain);
        token.extend((0..count.parse().unwrap()).map(|_| choose(rng, &alphabet)));
        rest = after;
    }
    token.push_str(rest);
    if token.ends_with(['-', '_', '.', '~', '/', '+', '!', '?', '*', '^', '&']) {
        token.pop();
        token.push('k');
    }
    token
}

fn alphabet(class: &str) -> Vec<char> {
    let chars: Vec<char> = class.chars().collect();
    let mut alphabet = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if at + 2 < chars.len() && chars[at + 1] == '-' {
            alphabet.extend(chars[at]..=chars[at + 2]);
            at += 3;
        } else {
            alphabet.push(chars[at]);
            at += 1;
        }
    }
    alphabet
}
