//! What a load is made of: kinds of requests and their shares.

use rand::{rngs::StdRng, seq::IndexedRandom};

use crate::route::Route;

const KINDS: [(&str, Route); 13] = [
    ("pixel", Route::Pixel),
    ("pixels", Route::Pixels),
    ("say", Route::Say),
    ("canvas", Route::Canvas),
    ("canvas.bin", Route::Bytes),
    ("canvas.png", Route::Png),
    ("region", Route::Region),
    ("inspect", Route::Inspect),
    ("recent", Route::Recent),
    ("chat", Route::Chat),
    ("digest", Route::Digest),
    ("stats", Route::Stats),
    ("me", Route::Me),
];

/// Kinds with their shares, as in `pixel=9,chat=1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix(Vec<(Route, u32)>);

impl std::str::FromStr for Mix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kinds = text.split(',').map(share).collect::<Result<Vec<_>, _>>()?;
        let sum: u64 = kinds.iter().map(|(_, share)| u64::from(*share)).sum();
        if sum == 0 || sum > u64::from(u32::MAX) {
            return Err("the shares must add up to more than nothing, and less than 2³²".to_owned());
        }
        Ok(Mix(kinds))
    }
}

fn share(text: &str) -> Result<(Route, u32), String> {
    let (name, share) = text.split_once('=').ok_or("write it as kind=share,kind=share")?;
    let known = KINDS.iter().find(|(known, _)| *known == name.trim());
    let names = || KINDS.map(|(name, _)| name).join(" ");
    let (_, kind) = known.ok_or_else(|| format!("{name:?} is none of {}", names()))?;
    Ok((*kind, share.trim().parse().map_err(|error| format!("{share:?}: {error}"))?))
}

impl Mix {
    /// Any kind, each as often as its share says.
    pub fn any(&self, rng: &mut StdRng) -> Route {
        self.0.choose_weighted(rng, |(_, share)| *share).map_or(Route::Pixel, |(kind, _)| *kind)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn routes_are_drawn_in_proportion_to_shares() {
        let mix: Mix = "pixel=3, canvas.bin=1,say=0".parse().unwrap();
        let mut rng = StdRng::seed_from_u64(1);
        let drawn: Vec<Route> = (0..4_000).map(|_| mix.any(&mut rng)).collect();
        let of = |kind| drawn.iter().filter(|drawn| **drawn == kind).count();
        assert!((2_850..=3_150).contains(&of(Route::Pixel)));
        assert_eq!(of(Route::Pixel) + of(Route::Bytes), 4_000);
    }

    #[test]
    fn rejects_invalid_mix() {
        for text in ["", "pixel", "pixel=0", "pixel=x", "dance=3"] {
            assert!(text.parse::<Mix>().is_err(), "{text}");
        }
        assert!("dance=3".parse::<Mix>().unwrap_err().contains("canvas.png"));
    }
}
