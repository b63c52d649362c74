//! The mix of a load: kinds of requests and their shares.

use rand::{rngs::StdRng, seq::IndexedRandom};

use crate::route::Route;

const ROUTES: [(&str, Route); 13] = [
    ("pixel", Route::Pixel),
    ("pixels", Route::Pixels),
    ("say", Route::PostMessage),
    ("canvas", Route::Canvas),
    ("canvas.bin", Route::CanvasBytes),
    ("canvas.png", Route::CanvasPng),
    ("region", Route::Region),
    ("inspect", Route::Inspect),
    ("recent", Route::RecentPixels),
    ("chat", Route::Chat),
    ("digest", Route::Digest),
    ("stats", Route::Stats),
    ("me", Route::Me),
];

/// Kinds of requests with their shares, as in `pixel=9,chat=1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestMix(Vec<(Route, u32)>);

impl std::str::FromStr for RequestMix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kinds = text.split(',').map(parse_share).collect::<Result<Vec<_>, _>>()?;
        let sum: u64 = kinds.iter().map(|(_, share)| u64::from(*share)).sum();
        if sum == 0 || sum > u64::from(u32::MAX) {
            return Err("the sum of the shares must be greater than 0 and less than 2³²".to_owned());
        }
        Ok(RequestMix(kinds))
    }
}

fn parse_share(text: &str) -> Result<(Route, u32), String> {
    let (name, share) = text.split_once('=').ok_or("write it as kind=share,kind=share")?;
    let entry = ROUTES.iter().find(|(known, _)| *known == name.trim());
    let names = || ROUTES.map(|(name, _)| name).join(" ");
    let (_, kind) = entry.ok_or_else(|| format!("{name:?} is not one of {}", names()))?;
    Ok((*kind, share.trim().parse().map_err(|error| format!("{share:?}: {error}"))?))
}

impl RequestMix {
    /// Returns a random kind, weighted by the shares.
    pub fn random_route(&self, rng: &mut StdRng) -> Route {
        self.0.choose_weighted(rng, |(_, share)| *share).map_or(Route::Pixel, |(kind, _)| *kind)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn routes_are_drawn_in_proportion_to_shares() {
        let mix: RequestMix = "pixel=3, canvas.bin=1,say=0".parse().unwrap();
        let mut rng = StdRng::seed_from_u64(1);
        let routes: Vec<Route> = (0..4_000).map(|_| mix.random_route(&mut rng)).collect();
        let count = |kind| routes.iter().filter(|drawn| **drawn == kind).count();
        assert!((2_850..=3_150).contains(&count(Route::Pixel)));
        assert_eq!(count(Route::Pixel) + count(Route::CanvasBytes), 4_000);
    }

    #[test]
    fn rejects_invalid_mix() {
        for text in ["", "pixel", "pixel=0", "pixel=x", "dance=3"] {
            assert!(text.parse::<RequestMix>().is_err(), "{text}");
        }
        assert!("dance=3".parse::<RequestMix>().unwrap_err().contains("canvas.png"));
    }
}
