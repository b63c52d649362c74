//! What a load is made of: kinds of requests and their shares.

use rand::{RngExt, rngs::StdRng};

use crate::route::Route;

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pixel,
    Pixels,
    Say,
    Look(Look),
}

/// Something that is only read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Canvas,
    Bytes,
    Png,
    Region,
    Inspect,
    Recent,
    Chat,
    Digest,
    Stats,
    Me,
}

const KINDS: [(&str, Kind); 13] = [
    ("pixel", Kind::Pixel),
    ("pixels", Kind::Pixels),
    ("say", Kind::Say),
    ("canvas", Kind::Look(Look::Canvas)),
    ("canvas.bin", Kind::Look(Look::Bytes)),
    ("canvas.png", Kind::Look(Look::Png)),
    ("region", Kind::Look(Look::Region)),
    ("inspect", Kind::Look(Look::Inspect)),
    ("recent", Kind::Look(Look::Recent)),
    ("chat", Kind::Look(Look::Chat)),
    ("digest", Kind::Look(Look::Digest)),
    ("stats", Kind::Look(Look::Stats)),
    ("me", Kind::Look(Look::Me)),
];

impl Look {
    pub fn route(self) -> Route {
        match self {
            Look::Canvas => Route::Canvas,
            Look::Bytes => Route::Bytes,
            Look::Png => Route::Png,
            Look::Region => Route::Region,
            Look::Inspect => Route::Inspect,
            Look::Recent => Route::Recent,
            Look::Chat => Route::Chat,
            Look::Digest => Route::Digest,
            Look::Stats => Route::Stats,
            Look::Me => Route::Me,
        }
    }
}

/// Kinds with their shares, as in `pixel=9,chat=1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix(Vec<(Kind, u32)>);

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

fn share(text: &str) -> Result<(Kind, u32), String> {
    let (name, share) = text.split_once('=').ok_or("write it as kind=share,kind=share")?;
    let known = KINDS.iter().find(|(known, _)| *known == name.trim());
    let names = || KINDS.map(|(name, _)| name).join(" ");
    let (_, kind) = known.ok_or_else(|| format!("{name:?} is none of {}", names()))?;
    Ok((*kind, share.trim().parse().map_err(|error| format!("{share:?}: {error}"))?))
}

impl Mix {
    /// Any kind, each as often as its share says.
    pub fn any(&self, rng: &mut StdRng) -> Kind {
        let sum: u32 = self.0.iter().map(|(_, share)| share).sum();
        let mut at = rng.random_range(0..sum.max(1));
        for (kind, share) in &self.0 {
            match at.checked_sub(*share) {
                None => return *kind,
                Some(rest) => at = rest,
            }
        }
        Kind::Pixel
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn kinds_come_as_often_as_their_share_says() {
        let mix: Mix = "pixel=3, canvas.bin=1,say=0".parse().unwrap();
        let mut rng = StdRng::seed_from_u64(1);
        let drawn: Vec<Kind> = (0..4_000).map(|_| mix.any(&mut rng)).collect();
        let of = |kind| drawn.iter().filter(|drawn| **drawn == kind).count();
        assert!((2_850..=3_150).contains(&of(Kind::Pixel)));
        assert_eq!(of(Kind::Pixel) + of(Kind::Look(Look::Bytes)), 4_000);
    }

    #[test]
    fn a_mix_that_cannot_be_is_refused() {
        for text in ["", "pixel", "pixel=0", "pixel=x", "dance=3"] {
            assert!(text.parse::<Mix>().is_err(), "{text}");
        }
        assert!("dance=3".parse::<Mix>().unwrap_err().contains("canvas.png"));
    }
}
